import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unknownHost } from '../../../http/identity/cross-origin.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'

// In open mode nothing but the browser's own marks separates a page of the service from a page of a stranger.

const JSON_TYPE = { 'content-type': 'application/json' }

describe('an open service and the pages of other sites', () => {
  let spec: SpecApp
  beforeAll(async () => {
    spec = await openApp({ mode: 'open', publicUrl: 'https://results.example' })
    expect((await spec.ingest(aDocument({ run_id: 'kept' }), { caller: null })).statusCode).toBe(201)
  })
  afterAll(() => spec.close())

  const WRITES = [
    ['POST', '/runs', JSON_TYPE, JSON.stringify(aDocument({ run_id: 'foreign' }))],
    ['DELETE', '/runs/kept', {}, undefined],
    ['PUT', '/sets/p/restriction', {}, undefined],
  ] as const

  it.each(WRITES)(
    'rejects %s %s from a page whose name was pointed to this server',
    async (method, path, headers, body) => {
      const rebound = { host: 'evil.example:8321', origin: 'http://evil.example:8321' }
      // Such a page can also send an Authorization header, but knows no credential.
      for (const marks of [
        rebound,
        { ...rebound, origin: 'null', 'sec-fetch-site': 'same-origin' },
        { ...rebound, authorization: 'Bearer x' },
      ]) {
        const answer = await spec.sendAs(null)(method, path, {
          headers: { ...headers, ...marks },
          ...(body === undefined ? {} : { body }),
        })
        expect([answer.statusCode, answer.json()]).toEqual([403, { error: unknownHost('evil.example:8321') }])
      }
      expect(unknownHost('evil.example')).toContain('SERVICE_PUBLIC_URL')
    },
  )

  it('accepts its own pages, clients that are no browser, and credentials', async () => {
    const send = (headers: Readonly<Record<string, string>>) =>
      spec.ingest(aDocument({ run_id: 'again' }), { caller: null, headers })
    for (const headers of [
      {},
      { host: 'results.example', origin: 'https://results.example', 'sec-fetch-site': 'same-origin' },
      { host: 'internal.example', origin: 'https://results.example' },
      { host: 'localhost:8321', origin: 'http://localhost:8321' },
      { host: '10.1.2.3:8321', origin: 'http://10.1.2.3:8321' },
      { host: 'elsewhere.example' },
      { host: 'elsewhere.example', origin: 'https://elsewhere.example', authorization: `Bearer ${TOKENS.read}` },
    ])
      expect((await send(headers)).statusCode, JSON.stringify(headers)).toBeLessThan(300)
  })
})
