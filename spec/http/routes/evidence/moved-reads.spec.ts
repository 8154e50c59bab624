import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { responseCache } from '../../../../runtime/response-cache.ts'
import { READ_PATHS } from '../../../support/access/read-paths.ts'
import { PART } from '../../../support/access/run-evidence.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { moveAll, moverOf } from '../../../support/documents/moves.ts'
import { attach, digestOf, noise, sendEvidence } from '../../../support/documents/parts.ts'
import { callTool, ENDLESS, MCP } from '../../../support/http/mcp.ts'
import { openSigningApp } from '../../../support/proof/signing-app.ts'
import { settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../../support/s3/stand-in.ts'
import { AN_AGENT, transcriptOf } from '../../../support/transcripts/transcripts.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('moved')
const DAY_MS = 86_400_000
let clock = Date.UTC(2026, 4, 5)
const { spec } = await openSigningApp({
  ...{ now: () => clock, bucket: settingsOf(url), movesDocuments: true, retention: { runMaxAgeDays: 100 } },
  ...{ mcp: MCP, publicUrl: 'https://evals.example' },
  // No answer is kept: each is read again.
  parts: () => ({ callBudget: ENDLESS, cache: responseCache({ entryBytes: 0 }) }),
})
afterAll(async () => {
  await spec.close()
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]

// The runs `v6` and `v7`, which the paths of all reads name, with evidence of `v6` in its object and in one of its own.
const KEY = aCase().case_key
const TRANSCRIPT = transcriptOf(AN_AGENT)
const [SMALL, LARGE] = [noise(100_000, 1), noise(300_000, 2)]
const documentOf = (run_id: string) =>
  aDocument({
    ...{ run_id, project: 'half', suite: 'light' },
    cases: [
      aCase({ output: `a needle in ${noise(5000, run_id === 'v6' ? 3 : 4).toString('hex')}`, raw: { prompt: 'hay' } }),
      ...Array.from({ length: 40 }, (_, i) =>
        aCase({ cell: { test_id: `other ${i}` }, output: noise(8000, i + 5).toString('hex') }),
      ),
    ],
  })
/** A run whose reads fill the memory of unpacked documents, so that nothing of the others is left there. */
const FILLER = Array.from({ length: 40 }, (_, i) =>
  aCase({ cell: { test_id: `filler ${i}` }, case_key: `filler-${i}`, output: noise(125_000, i + 50).toString('hex') }),
)
const forgetDocuments = async (): Promise<void> => {
  for (const { case_key } of FILLER) await spec.getJson(`/runs/filler/cases/${case_key}`)
}
const complete = async (sha256: string) =>
  (await spec.getJson<{ complete: boolean }>(`/runs/v6/transcripts/${sha256}`)).complete
const outlined = async (): Promise<void> => {
  for (const bytes of [PART, TRANSCRIPT]) while (!(await complete(digestOf(bytes)))) await setImmediate()
}

/** Every read of these runs: by its path, the route. */
const READS: ReadonlyMap<string, string> = new Map(
  [
    ...Object.entries(READ_PATHS),
    ['/runs/:id/export', ['/runs/v6/export']] as const,
    [
      '/runs/:id/parts/:sha256',
      [SMALL, LARGE, TRANSCRIPT].map((bytes) => `/runs/v6/parts/${digestOf(bytes)}`),
    ] as const,
    ...['', '/outline', '/events', '/events/2', '/find?q=century'].map(
      (rest) =>
        [
          `/runs/:id/transcripts/:sha256${rest.replace(/\?.*/, '').replace('/2', '/:n')}`,
          [`/runs/v6/transcripts/${digestOf(TRANSCRIPT)}${rest}`],
        ] as const,
    ),
    ['/runs/:id/share.html', ['/runs/v6/share.html?compare=v7&full=true']] as const,
  ].flatMap(([route, paths]) =>
    paths
      .filter((path) => !path.includes('cosigned') && /\bv6\b|^\/(?:search|runs|overview|projects|compare)/.test(path))
      .map((path) => [path, route] as const),
  ),
)

type Answer = { readonly status: number; readonly bytes: string; readonly requests: number }
/** Asks for everything as an admin, one after another. */
const answers = async (paths: Iterable<string> = READS.keys()): Promise<Map<string, Answer>> => {
  const found = new Map<string, Answer>()
  for (const path of paths) {
    const before = s3.requests.length
    const { statusCode, rawPayload } = await admin('GET', path)
    found.set(path, {
      status: statusCode,
      bytes: statusCode < 500 ? digestOf(rawPayload) : '',
      requests: s3.requests.length - before,
    })
  }
  return found
}
const ofAgents = () =>
  Promise.all(
    [{ fields: ['raw', 'prompt'] }, { fields: ['transcript'] }, {}].map(
      async (more) => (await callTool(admin, 'get_case', { run_id: 'v6', case_key: KEY, ...more })).data,
    ),
  )
const withoutRequests = (found: ReadonlyMap<string, Answer>) =>
  Object.fromEntries([...found].map(([path, { status, bytes }]) => [path, `${status} ${bytes}`]))

let before: Map<string, Answer>
let agentsBefore: Awaited<ReturnType<typeof ofAgents>>
beforeAll(async () => {
  for (const run_id of ['v6', 'v7']) expect((await spec.ingest(documentOf(run_id))).statusCode).toBe(201)
  const filler = aDocument({ run_id: 'filler', project: 'filler', suite: 'filler', cases: FILLER })
  expect((await spec.ingest(filler)).statusCode).toBe(201)
  const entries = [
    { bytes: PART, role: 'transcript' },
    { bytes: TRANSCRIPT, role: 'transcript' },
    { bytes: SMALL, role: 'input' },
    { bytes: LARGE, role: 'output' },
  ].map((entry) => ({ ...entry, case_key: KEY }))
  expect((await attach(write, 'v6', await sendEvidence(write, entries))).statusCode).toBe(201)
  await outlined()
  before = await answers()
  agentsBefore = await ofAgents()
  await forgetDocuments()
  expect(await moveAll(moverOf(spec, url))).toBe(3)
  expect(await spec.column('SELECT count(*) FROM document_frames')).toEqual([0])
}, 120_000)

/** The routes that show outputs, texts in which words were found, and parts of a moved run. */
const NEEDING_OBJECTS = [
  '/compare/outputs',
  '/runs/:id/cases',
  '/runs/:id/cases.csv',
  '/runs/:id/cases/:case_key',
  '/runs/:id/cases/:case_key/in-suite',
  '/runs/:id/export',
  '/runs/:id/export/:format',
  '/runs/:id/parts/:sha256',
  '/runs/:id/share.html',
  '/runs/:id/tests/:test_id',
  '/runs/:id/transcripts/:sha256/events',
  '/runs/:id/transcripts/:sha256/events/:n',
  '/runs/:id/transcripts/:sha256/find',
  '/search',
  '/search/cases',
]

describe('a run whose document was moved', () => {
  it('is answered byte for byte as before, by every read, to agents too', async () => {
    const statuses = [...before.values()].map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(100)
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    expect(withoutRequests(await answers())).toEqual(withoutRequests(before))
    expect(await ofAgents()).toEqual(agentsBefore)
  })

  it('has its transcripts outlined again from its object', async () => {
    await forgetDocuments()
    await spec.execute('DELETE FROM outlines')
    await outlined()
    const paths = [...READS.keys()].filter((path) => path.includes('/transcripts/'))
    expect(withoutRequests(await answers(paths))).toEqual(
      withoutRequests(new Map([...before].filter(([path]) => paths.includes(path)))),
    )
  })

  it('needs the bucket only for outputs, texts and parts: lists, matrix and comparison make no request to it', async () => {
    await forgetDocuments()
    // Unlike one that is unreachable, a bucket that denies is asked each time.
    s3.state.fault = () => ({ status: 403, code: 'AccessDenied' })
    const away = await answers()
    s3.state.fault = () => null
    const needing = [...away].filter(([, { status }]) => status >= 500)
    expect(needing.map(([, { status }]) => status)).toEqual(needing.map(() => 503))
    expect([...new Set(needing.map(([path]) => READS.get(path)))].toSorted()).toEqual(NEEDING_OBJECTS)
    // Lists need it only if they search texts.
    const lists = needing.filter(([path]) => /^\/runs\/:id\/cases(?:\.csv)?$/.test(READS.get(path) ?? ''))
    expect(lists.map(([path]) => path).toSorted()).toEqual(['/runs/v6/cases.csv?q=hay', '/runs/v6/cases?q=hay'])
    const others = [...away].filter(([, { status }]) => status < 500)
    expect(others.filter(([, { requests }]) => requests > 0).map(([path]) => path)).toEqual([])
    expect(Object.fromEntries(others)).toEqual(
      Object.fromEntries(others.map(([path]) => [path, { ...before.get(path), requests: 0 }])),
    )
  })

  it('goes by its age, with its object', async () => {
    const objects = () => [...s3.objects.keys()].filter((key) => key.startsWith('moved/objects/'))
    expect(objects()).toHaveLength(4)
    // The newest run of a suite stays.
    const newest = { run_id: 'newest', project: 'half', suite: 'light', finished_at: '2026-05-04T10:00:01Z' }
    expect((await spec.ingest(aDocument(newest))).statusCode).toBe(201)
    clock += 400 * DAY_MS
    await spec.services.retain(SYSTEM, { dry_run: false, signal: new AbortController().signal })
    expect(await spec.column('SELECT id FROM runs ORDER BY id')).toEqual(['filler', 'newest'])
    expect(await spec.column('SELECT count(*) FROM run_objects')).toEqual([1])
    await spec.services.partStore.removeDropped()
    expect(objects()).toHaveLength(1)
  })
})
