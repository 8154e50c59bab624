import { afterAll, describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import {
  answerOf,
  attach,
  digestOf,
  manifestOf,
  noise,
  PIECE,
  postParts,
  putPart,
  putPiece,
  sendEvidence,
} from '../../../support/documents/parts.ts'
import { openApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

const KEY = aCase().case_key
const spec = await openApp()
const bounded = await openApp({ partLimits: { maxBytes: 1000, maxRunBytes: 2500 } })
afterAll(() => Promise.all([spec.close(), bounded.close()]))
const write = spec.sendAs('write')
const note = Buffer.from('A note.')
/** Entries of one small part, each with a name of its own. */
const many = (count: number, role: string) =>
  Array.from({ length: count }, (_, n) => ({ bytes: note, role, case_key: KEY, name: `file ${n}` }))

describe('a manifest', () => {
  it.each([
    ['9 transcripts of a case', 8, 'transcript', 'parts[8]: a case has at most 8 transcripts'],
    ['1,001 parts of a case', 1000, 'other', 'parts[1000]: a case has at most 1000 parts'],
  ])('is refused with %s, and taken with one less', async (_, most, role, error) => {
    const run_id = `of ${role}`
    await spec.ingest(aDocument({ run_id, cases: [aCase()] }))
    const [over, within] = [manifestOf(many(most + 1, role)), manifestOf(many(most, role))]
    await postParts(write, [note, over, within])
    expect(answerOf(await attach(write, run_id, digestOf(over)))).toEqual([
      422,
      { error: `invalid manifest: ${error}` },
    ])
    expect((await attach(write, run_id, digestOf(within))).statusCode).toBe(201)
  })

  it('is refused with more than 64 MiB', async () => {
    const bytes = Buffer.alloc(8 * PIECE + 1, ' ')
    bytes.write('{"evidence":1,"parts":[]}')
    for (let n = 0; n * PIECE < bytes.length; n++) expect((await putPiece(write, bytes, n)).statusCode).toBe(200)
    const error = 'the manifest has more than 67108864 bytes'
    await spec.ingest(aDocument({ run_id: 'large' }))
    expect(answerOf(await attach(write, 'large', digestOf(bytes)))).toEqual([422, { error }])
    const document = { ...aDocument({ run_id: 'with large' }), evidence_manifest: digestOf(bytes) }
    expect(answerOf(await spec.ingest(document))).toEqual([422, { error }])
    expect((await write('DELETE', `/parts/${digestOf(bytes)}/upload`)).statusCode).toBe(204)
  })

  it('is added to a run a hundred times, and no more', async () => {
    await spec.ingest(aDocument({ run_id: 'often' }))
    const manifests = Array.from({ length: 101 }, (_, n) =>
      manifestOf([{ bytes: note, role: 'original', name: `file ${n}` }]),
    )
    await postParts(write, [note, ...manifests])
    for (const [n, manifest] of manifests.slice(0, 100).entries())
      expect(answerOf(await attach(write, 'often', digestOf(manifest)))).toEqual([201, { n: n + 1 }])
    expect(answerOf(await attach(write, 'often', digestOf(manifests[100] ?? note)))).toEqual([
      409,
      { error: 'evidence was added to this run 100 times, which is the maximum' },
    ])
    expect(answerOf(await attach(write, 'often', digestOf(manifests[7] ?? note)))).toEqual([200, { n: 8 }])
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})

describe('a part', () => {
  it('is refused with more bytes than a part may have: alone, announced, and in a form', async () => {
    const send = bounded.sendAs('write')
    const bytes = noise(1001, 1)
    for (const answer of [await putPart(send, bytes), await postParts(send, [note, bytes])])
      expect(answer.statusCode).toBe(413)
    expect((await putPiece(send, noise(PIECE + 1, 2), 0)).statusCode).toBe(413)
    expect(await bounded.column('SELECT count(*) FROM staged_parts')).toEqual([0])
    expect((await putPart(send, noise(1000, 1))).statusCode).toBe(200)
  })
})

describe('the parts of a run', () => {
  const send = bounded.sendAs('write')
  const parts = [1, 2, 3].map((seed) => ({ bytes: noise(1000, seed), role: 'original' }))
  const [first, second, third] = parts

  it('have no more bytes together than allowed, in one manifest', async () => {
    const error = 'the parts of the run would have 3000 bytes together, more than 2500'
    const manifest = await sendEvidence(send, parts)
    const document = { ...aDocument({ run_id: 'at once' }), evidence_manifest: manifest }
    expect(answerOf(await bounded.ingest(document))).toEqual([422, { error }])
    await bounded.ingest(aDocument({ run_id: 'at once' }))
    expect(answerOf(await attach(send, 'at once', manifest))).toEqual([422, { error }])
  })

  it('have no more in several manifests; one that the run has already counts once', async () => {
    if (!first || !second || !third) throw new Error('there are three parts')
    await bounded.ingest(aDocument({ run_id: 'later' }))
    for (const entries of [[first], [first, second]])
      expect((await attach(send, 'later', await sendEvidence(send, entries))).statusCode).toBe(201)
    expect(answerOf(await attach(send, 'later', await sendEvidence(send, [third])))).toEqual([
      422,
      { error: 'the parts of the run would have 3000 bytes together, more than 2500' },
    ])
    const small = { bytes: noise(500, 4), role: 'original' }
    expect((await attach(send, 'later', await sendEvidence(send, [small, first]))).statusCode).toBe(201)
    expect((await verifyStore(bounded)).finding).toBeNull()
  })
})
