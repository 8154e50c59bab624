import fastify from 'fastify'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorText, MAX_ERROR_BYTES } from '../../http/error-text.ts'
import { sendError } from '../../http/answer-error.ts'
import { openApp, type SpecApp } from '../support/servers/app.ts'
import { aCase, aDocument } from '../support/documents/documents.ts'

const CUT = '… (cut)'

describe('the text of an error', () => {
  it('is unchanged up to 2 KiB of UTF-8', () => {
    for (const text of [
      '',
      'run not found',
      'x'.repeat(MAX_ERROR_BYTES),
      'ü'.repeat(MAX_ERROR_BYTES / 2),
      '\u{1f600}'.repeat(MAX_ERROR_BYTES / 4),
    ])
      expect(errorText(text)).toBe(text)
  })

  it('is cut at a character boundary if it is longer, and then ends with a mark', () => {
    for (const character of ['x', 'ü', '€', '\u{1f600}']) {
      for (let before = 0; before < 4; before++) {
        const text = 'y'.repeat(before) + character.repeat(MAX_ERROR_BYTES + 1)
        const cut = errorText(text)
        expect(cut.endsWith(CUT)).toBe(true)
        expect(text.startsWith(cut.slice(0, -CUT.length))).toBe(true)
        expect(MAX_ERROR_BYTES - Buffer.byteLength(cut)).toBeLessThan(Buffer.byteLength(character))
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MAX_ERROR_BYTES)
      }
    }
  })

  it('is well-formed and within its limit for any input', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('x', '"', '\0', 'ü', '€', '\u{1f600}', '\u{10ffff}', '\ud800', '\udc00'), {
          maxLength: 20,
        }),
        fc.nat(400),
        (characters, count) => {
          const input = characters.join('').repeat(count)
          const shown = errorText(input)
          expect(shown.isWellFormed()).toBe(true)
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(MAX_ERROR_BYTES)
          expect(shown === input.toWellFormed() || shown.endsWith(CUT)).toBe(true)
        },
      ),
    ))

  it('is limited when an error response is sent', async () => {
    const app = fastify()
    app.get('/', (_, reply) => sendError(reply, 400, 'long '.repeat(100_000)))
    const { error } = (await app.inject('/')).json<{ error: string }>()
    expect(Buffer.byteLength(error)).toBe(MAX_ERROR_BYTES)
    await app.close()
  })
})

describe('an error that quotes the request', () => {
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp({ mode: 'open' })))
  afterAll(() => spec.close())

  const LONG = 'n'.repeat(3000)
  const MANY = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`name${n}`, 'x']))

  it.each([
    [
      'unknown parameters',
      `/runs?${new URLSearchParams(MANY).toString()}`,
      'unknown parameters "name0", "name1", "name2" and 697 more',
    ],
    ['a long unknown parameter', `/runs?${LONG}=1`, `unknown parameter "${LONG.slice(0, 79)}…"`],
    ['an unknown status', `/runs?status=${LONG}`, 'status: '],
    ['an unknown use of the cache', `/runs?cached=${LONG}`, 'cached: '],
    ['an unknown event type', `/audit?type=${LONG}`, 'type: '],
    ['an invalid number', `/runs?limit=${LONG}`, 'limit: must be an integer'],
    ['an invalid instant', `/runs?since=${LONG}`, 'since: must be'],
  ])('is short: %s', async (_, path, start) => {
    const answer = await spec.sendAs('admin')('GET', path)
    expect(answer.statusCode).toBe(400)
    const { error } = answer.json<{ error: string }>()
    expect(error.startsWith(start), error).toBe(true)
    expect(Buffer.byteLength(error)).toBeLessThanOrEqual(MAX_ERROR_BYTES)
  })

  it.each([
    ['a status', { ...aDocument({ run_id: 'long' }), cases: [{ ...aCase(), status: LONG }] }],
    ['a name', aDocument({ run_id: LONG })],
    ['a version', { ...aDocument({ run_id: 'long' }), schema_version: LONG }],
    ['an instant', { ...aDocument({ run_id: 'long' }), started_at: LONG }],
  ])('is short for a run document: %s', async (_, document) => {
    const answer = await spec.ingest(JSON.stringify(document), { caller: null })
    expect([400, 422]).toContain(answer.statusCode)
    expect(answer.body.length).toBeLessThanOrEqual(MAX_ERROR_BYTES)
  })
})
