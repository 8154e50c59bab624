import { afterEach, describe, expect, it } from 'vitest'
import { TooManyReads } from '../../../queries/too-many-reads.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { callsByName } from '../../../runtime/calls-by-name.ts'
import { wrapCalls } from '../../support/wrap-calls.ts'

let spec: SpecApp
afterEach(() => spec.close())

describe('a long read', () => {
  it('gets 429 with Retry-After when its caller has too many waiting reads', async () => {
    const refused = () => Promise.reject(new TooManyReads('too many reads of this caller are waiting: at most 32'))
    spec = await openApp({ mode: 'open', parts: () => ({ longReads: callsByName(refused) }) })
    const { statusCode, headers, json } = await spec.sendAs(null)('GET', '/search?q=x')
    expect([statusCode, headers['retry-after'], json()]).toEqual([
      429,
      '1',
      { error: 'too many reads of this caller are waiting: at most 32' },
    ])
  })

  it('is not shared with other callers, who would wait for the queue of the first', async () => {
    const readers: string[] = []
    const gate = Promise.withResolvers<void>()
    spec = await openApp({
      mode: 'open',
      parts: ({ longReads }) => ({
        longReads: wrapCalls(longReads, async ({ args: [viewer], run }) => {
          const { actor } = viewer as Viewer
          readers.push(actor.credential_id ?? actor.address ?? '')
          await gate.promise
          return run()
        }),
      }),
    })
    await spec.ingest(aDocument({ run_id: 'a' }))
    const get = (remoteAddress: string, authorization?: string) =>
      spec.app.inject({
        url: '/api/v1/runs/a/compare/a',
        remoteAddress,
        headers: authorization === undefined ? {} : { authorization },
      })
    const answers = [get('192.0.2.1'), get('192.0.2.1'), get('192.0.2.2'), get('192.0.2.2', TOKENS.read)].map(
      async (pending) => (await pending).statusCode,
    )
    while (readers.length < 3) await new Promise((resolve) => setImmediate(resolve))
    gate.resolve()
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200])
    expect(readers.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', 'static:read:1'])
  })

  it('has 429 documented where it can occur', async () => {
    spec = await openApp({ mode: 'open' })
    const { paths } = (await spec.sendAs(null)('GET', '/openapi.json')).json<{
      paths: Record<string, { get?: { responses: Record<string, unknown> } }>
    }>()
    const limitedPaths = Object.keys(paths).filter(
      (path) => paths[path]?.get?.responses['429'] && !/\/start$/.test(path),
    )
    expect(limitedPaths.map((path) => path.replace('/api/v1', '')).sort()).toEqual([
      '/cache/entries',
      '/cache/entries/{key}',
      '/cache/entries/{key}/runs',
      '/cache/facets',
      '/cache/overview',
      '/compare',
      '/compare/outputs',
      '/events/stream',
      '/overview',
      '/projects/{project}/suites/{suite}/badge.svg',
      '/projects/{project}/suites/{suite}/flakiness',
      '/projects/{project}/suites/{suite}/grid',
      '/projects/{project}/suites/{suite}/judges',
      '/projects/{project}/suites/{suite}/trend',
      '/review-queues',
      '/review-queues/{id}/agreement',
      '/review-queues/{id}/export/{format}',
      '/review/items/{item}',
      '/review/queues',
      '/run-changes',
      '/runs',
      '/runs.csv',
      '/runs/{id}',
      '/runs/{id}/calibration',
      '/runs/{id}/case-fields',
      '/runs/{id}/case-rows',
      '/runs/{id}/cases',
      '/runs/{id}/cases.csv',
      '/runs/{id}/cases/{case_key}',
      '/runs/{id}/cases/{case_key}/in-suite',
      '/runs/{id}/compare/{other}',
      '/runs/{id}/compare/{other}/calibration',
      '/runs/{id}/compare/{other}/cases',
      '/runs/{id}/compare/{other}/config',
      '/runs/{id}/compare/{other}/groups',
      '/runs/{id}/compare/{other}/nearest',
      '/runs/{id}/compare/{other}/statistics',
      '/runs/{id}/config',
      '/runs/{id}/distribution',
      '/runs/{id}/distribution/cases',
      '/runs/{id}/export/{format}',
      '/runs/{id}/in-suite',
      '/runs/{id}/leaderboard',
      '/runs/{id}/matrix',
      '/runs/{id}/matrix/rows',
      '/runs/{id}/previous',
      '/runs/{id}/share.html',
      '/runs/{id}/statistics',
      '/runs/{id}/tests/{test_id}',
      '/runs/{id}/transcripts/{sha256}',
      '/runs/{id}/transcripts/{sha256}/events',
      '/runs/{id}/transcripts/{sha256}/events/{n}',
      '/runs/{id}/transcripts/{sha256}/find',
      '/runs/{id}/transcripts/{sha256}/outline',
      '/search',
      '/search/cases',
      '/search/comments',
      '/search/runs',
      '/server',
      '/users/apikeys',
    ])
  })
})
