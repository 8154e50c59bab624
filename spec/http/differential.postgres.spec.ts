import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CaseSearch } from '../../queries/search/case-search.ts'
import type { RunSearch } from '../../queries/search/run-search.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { judgedRun, openQueue } from '../support/documents/queues.ts'
import { attach, digestOf, putPart, sendEvidence } from '../support/documents/parts.ts'
import { aRubric } from '../support/documents/rubrics.ts'
import { openApp } from '../support/servers/app.ts'
import type { SpecApp } from '../support/servers/app.ts'
import { randomRequest } from '../support/random/random-requests.ts'
import { requestTo, type AnyCaller, type RandomRequest, type RequestParts } from '../support/random/request.ts'
import { isSignInStep, routesOf } from '../support/http/routes.ts'
import { TOKENS } from '../support/servers/app.ts'

// A service on each storage receives the same sequence of requests; the responses must be equal.

/** The number of requests; SPEC_REQUESTS overrides it. */
const REQUESTS = Number(process.env['SPEC_REQUESTS'] ?? 4_200)
const BATCH = 60
const MAX_PAGES = 4

// The cache is separate from runs, and its own specs run on either storage.
const CACHE = '/api/v1/cache/'
/** Routes that report on one process, return the same file everywhere, depend on random salts, or never end. */
const NOT_COMPARED = [
  '/metrics',
  '/api/v1/server',
  '/api/v1/openapi.json',
  '/api/v1/events/stream',
  '/api/v1/auth/saml/:provider/metadata',
  // Sealed with a key that differs; their own specs run on either storage.
  '/api/v1/webhooks',
  '/api/v1/webhooks/:id/deliveries',
]

const SALTED = /^\/api\/v1\/(?:log\/|(?:runs|plans|review\/labels)\/:id\/receipt$)/

/** Fields with an id that the service made for a change. No name of an id is the start of another. */
const NEW_IDS = /"(revision|erasure_id)":"([0-9A-Z]{26})"/g

type Peer = {
  readonly spec: SpecApp
  readonly tokens: Map<AnyCaller, string>
  readonly ids: Map<string, string>
  readonly secrets: Set<string>
}
type Outcome = { readonly status: number; readonly type: unknown; readonly body: unknown; readonly raw: string }

const openPeer = async (storage: 'sqlite' | 'postgres' | 'icu', now: () => number): Promise<Peer> => {
  const spec = await openApp({ now, storage })
  const tokens = new Map<AnyCaller, string>(Object.entries(TOKENS) as Array<[AnyCaller, string]>)
  for (const [name, role] of [
    ['ann', 'member'],
    ['ben', 'member'],
    ['cat', 'viewer'],
    ['root', 'admin'],
  ] as const)
    tokens.set(name, (await spec.addUser(name, role)).token)
  // A queue of runs that no random request names.
  await spec.ingest(judgedRun('reviewed', 3, 2))
  await spec.service.commit.createRubric(SYSTEM, aRubric({ rubric_id: 'reviewed', suite: 'review' }))
  await openQueue(spec, {
    ...{ queue_id: 'reviewed', rubric_id: 'reviewed', suite: 'review' },
    items: [0, 1, 2].map((n) => [0, n, n < 2 ? 1 : 0, null] as const),
    people: (['ann', 'ben', 'root'] as const).map((name) => ({ name, role: 'reviewer' })),
  })
  const closed = { queue_id: 'decided', rubric_id: 'reviewed', suite: 'review', per_item: 2 } as const
  await openQueue(spec, { ...closed, people: ['ann', 'ben'].map((name) => ({ name, role: 'reviewer' as const })) })
  for (const [n, name] of ['ann', 'ben'].entries())
    await spec.sendWithToken(tokens.get(name as AnyCaller) ?? null)('POST', '/review/items/decided.1/labels', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ label_id: `01J000000000000000000000A${n}`, answers: { right: 'pass' }, seconds: 4 }),
    })
  const asRoot = spec.sendWithToken(tokens.get('root') ?? null)
  // The audit trail has the ids of requests.
  const sendAsRoot: typeof asRoot = (method, path, { headers, ...sent } = {}) =>
    asRoot(method, path, { ...sent, headers: { ...headers, 'x-request-id': 'set-up' } })
  await spec.ingest(judgedRun('reviewed-later', 3, 1))
  await attach(
    sendAsRoot,
    'reviewed',
    await sendEvidence(sendAsRoot, [
      { bytes: PART, role: 'original' },
      { bytes: PART, role: 'transcript', case_key: REVIEWED },
    ]),
  )
  await putPart(sendAsRoot, UNNAMED)
  return { spec, tokens, ids: new Map([['@instance', spec.service.instance]]), secrets: new Set() }
}

const REVIEWED = judgedRun('reviewed', 3, 2).cases[0]?.case_key ?? ''
const [PART, UNNAMED] = [Buffer.from('evidence'), Buffer.from('not named')]
/** Reads that random requests hardly ever answer. */
const RARE: readonly RequestParts[] = [
  requestTo('GET', '/review-queues/:id/agreement', { id: 'decided' }),
  requestTo('GET', '/review-queues/:id/items', { id: 'decided' }),
  requestTo('GET', '/review/items/:item', { item: 'reviewed.1' }),
  requestTo('GET', '/rubrics/:id', { id: 'reviewed' }),
  requestTo('GET', '/runs/:id/share.html', { id: 'reviewed' }),
  requestTo('GET', '/runs/:id/cases/:case_key/parts', { id: 'reviewed', case_key: REVIEWED }),
  requestTo('GET', '/runs/:id/compare/:other/calibration', { id: 'reviewed', other: 'reviewed-later' }),
  requestTo('GET', '/runs/:id/evidence', { id: 'reviewed' }),
  requestTo('GET', '/runs/:id/evidence/:n', { id: 'reviewed', n: '1' }),
  requestTo('GET', '/runs/:id/parts/:sha256', { id: 'reviewed', sha256: digestOf(PART) }),
  requestTo('GET', '/parts/:sha256/upload', { sha256: digestOf(UNNAMED) }),
  ...['', '/outline', '/events', '/find', '/events/:n'].map((rest) =>
    requestTo('GET', `/runs/:id/transcripts/:sha256${rest}`, {
      id: 'reviewed',
      sha256: digestOf(PART),
      ...(rest.endsWith(':n') && { n: '1' }),
    }),
  ),
]

/** Replaces what differs by chance with fixed names: ids from the service and values derived from random bytes. */
const normalized = ({ ids, secrets }: Peer, text: string): string => {
  let result = text
  for (const [name, id] of ids) result = result.replaceAll(id, name)
  for (const secret of secrets) result = result.replaceAll(secret, '@secret')
  // The last use of a key is written without waiting, so its time varies.
  return (
    result
      // Within the body of a record, quotes are escaped.
      .replaceAll(
        /(\\?")(salt|commitment|leaf|key|prefix|change_id|annotation_id|(?:credential|label|note|prefix|texts?)_sha256)\1:\1[0-9a-zA-Z_]*\1/g,
        '$1$2$1:$1@random$1',
      )
      .replaceAll(/"last_used_at":[^,}]*/g, '"last_used_at":"@later"')
      .replaceAll(/"last_seen_at":[^,}]*/g, '"last_seen_at":"@later"')
  )
}

/** Search hits as sorted lists: their order depends on the storage. */
const asSets = (body: unknown): unknown => {
  const { runs, cases } = body as { runs: unknown[]; cases: unknown[] }
  const sorted = (hits: unknown[]): string[] => hits.map((hit) => JSON.stringify(hit)).sort()
  return { runs: sorted(runs), cases: sorted(cases) }
}

/**
 * What a search of cases returns on any storage. The order of tests and of their cases is a ranking, and the name and
 * snippet of a test are of its best case. A page that is not the only one has the best tests.
 */
const withoutRanking = (body: unknown): unknown => {
  const { tests, ...counted } = body as CaseSearch
  if (tests.length < counted.test_count) return { ...counted, tests: tests.length }
  return {
    ...counted,
    tests: tests
      .map(({ name: _name, field: _field, snippet: _snippet, cases, ...test }) =>
        JSON.stringify({ ...test, cases: cases.map((each) => JSON.stringify(each)).sort() }),
      )
      .sort(),
  }
}

/** Runs of a search likewise: a page that is not the only one has the best runs. */
const runsWithoutRanking = (body: unknown): unknown => {
  const { runs, ...counted } = body as RunSearch
  if (runs.length < counted.run_count) return { ...counted, runs: runs.length }
  return { ...counted, runs: runs.map((run) => JSON.stringify(run)).sort() }
}

const send = async (peer: Peer, { caller, method, path, body }: RandomRequest, requestNo: number): Promise<Outcome> => {
  let [sentPath, sentBody] = [path, body]
  for (const [name, id] of peer.ids)
    [sentPath, sentBody] = [
      sentPath.replaceAll(encodeURIComponent(name), id).replaceAll(name, id),
      sentBody?.replaceAll(name, id),
    ]
  const headers = {
    'x-request-id': `request-${requestNo}`,
    ...(sentBody === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const response = await peer.spec.sendWithToken(caller === null ? null : (peer.tokens.get(caller) ?? null))(
    method,
    sentPath,
    {
      headers,
      ...(sentBody === undefined ? {} : { body: sentBody }),
    },
  )
  const type = response.headers['content-type']
  const isJson = type === 'application/json'
  const isComment = path.startsWith('/runs/') && path.endsWith('/comments')
  if (method === 'POST' && response.statusCode === 201 && (isComment || !path.startsWith('/runs'))) {
    const created = response.json<{ id: string; key?: string }>()
    if (created.key !== undefined) peer.tokens.set('key', created.key)
    // Requests have only three names for users, keys, views, plans, rubrics, holds and comments each, so a new id takes the name of an older one. No later
    // request uses the older id. A response may still show it: then it is replaced like a secret.
    const kind = isComment
      ? 'comment'
      : path.startsWith('/rubrics')
        ? 'rubric'
        : ({ '/users': 'user', '/views': 'view', '/plans': 'plan', '/holds': 'hold' }[path] ?? 'key')
    peer.secrets.add(peer.ids.get(`@${kind}${requestNo % 3}`) ?? created.id)
    peer.ids.set(`@${kind}${requestNo % 3}`, created.id)
    peer.secrets.delete(created.id)
  }
  // Each change names itself with a new id, which later responses and cursors repeat.
  if (method !== 'GET' && isJson)
    for (const [, kind, id = ''] of response.body.matchAll(NEW_IDS))
      if (![...peer.ids.values()].includes(id)) peer.ids.set(`@${kind}${requestNo}-`, id)
  const raw = normalized(peer, response.body)
  return { status: response.statusCode, type, body: isJson && raw !== '' ? JSON.parse(raw) : raw, raw }
}

const isSearch = ({ route }: RandomRequest): boolean => route === '/search'
const isCaseSearch = ({ route }: RandomRequest): boolean => route === '/search/cases'
const isRunSearch = ({ route }: RandomRequest): boolean => route === '/search/runs'
const nextCursorOf = ({ body }: Outcome): string | null =>
  typeof body === 'object' && body !== null && 'next_cursor' in body ? (body.next_cursor as string | null) : null
const limitOf = ({ path }: RandomRequest): number => Number(new URLSearchParams(path.split('?')[1]).get('limit') ?? 20)

const compareWith = async (
  storage: 'postgres' | 'icu',
): Promise<{
  readonly statuses: Map<string, number>
  readonly routes: ReadonlySet<string>
  readonly reads: readonly string[]
}> => {
  let clock = Date.UTC(2026, 4, 4, 9)
  const now = (): number => clock
  const [sqlitePeer, otherPeer] = [await openPeer('sqlite', now), await openPeer(storage, now)]
  const statuses = new Map<string, number>()
  const routes = new Set<string>()
  let requestNo = 0
  const compare = async (request: RandomRequest): Promise<Outcome> => {
    requestNo++
    clock += 500
    const [a, b] = [await send(sqlitePeer, request, requestNo), await send(otherPeer, request, requestNo)]
    const label = `${requestNo}: ${String(request.caller)} ${request.method} ${request.path}`
    expect({ what: label, status: b.status, type: b.type }, b.raw).toEqual({
      what: label,
      status: a.status,
      type: a.type,
    })
    if (isSearch(request) && a.status === 200) {
      const { runs, cases } = a.body as { runs: unknown[]; cases: unknown[] }
      // If there are more hits than the limit, each storage returns the best by its own ranking.
      if (runs.length < limitOf(request) && cases.length < limitOf(request))
        expect(asSets(b.body), label).toEqual(asSets(a.body))
      else
        expect(
          [(b.body as { runs: unknown[] }).runs.length, (b.body as { cases: unknown[] }).cases.length],
          label,
        ).toEqual([runs.length, cases.length])
    } else if (isCaseSearch(request) && a.status === 200)
      expect(withoutRanking(b.body), label).toEqual(withoutRanking(a.body))
    else if (isRunSearch(request) && a.status === 200)
      expect(runsWithoutRanking(b.body), label).toEqual(runsWithoutRanking(a.body))
    else expect(b.body, label).toEqual(a.body)
    // Also compares the order of keys and the format of numbers.
    if (!isSearch(request) && !isCaseSearch(request) && !isRunSearch(request)) expect(b.raw, label).toBe(a.raw)
    statuses.set(`${request.method} ${a.status}`, (statuses.get(`${request.method} ${a.status}`) ?? 0) + 1)
    if (a.status === 200 && request.method === 'GET') routes.add(request.route)
    return a
  }
  try {
    for (const request of RARE) await compare({ ...request, caller: 'root' })
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomRequest, { minLength: BATCH, maxLength: BATCH, size: 'max' }),
        async (requests) => {
          for (const request of requests) {
            let cursor = nextCursorOf(await compare(request))
            const [path = '', queryText] = request.path.split('?')
            for (let page = 1; cursor !== null && page < MAX_PAGES; page++) {
              const query = new URLSearchParams(queryText)
              query.set('cursor', cursor)
              cursor = nextCursorOf(await compare({ ...request, path: `${path}?${query.toString()}` }))
            }
          }
        },
      ),
      // Each batch continues where the last one ended, so shrinking a batch would show nothing.
      { numRuns: Math.ceil(REQUESTS / BATCH), endOnFailure: true },
    )
    const reads = routesOf(sqlitePeer.spec.app)
      .filter(({ url }) => !isSignInStep(url))
      .filter(
        ({ method, url }) =>
          method === 'GET' &&
          (url.startsWith('/api/') || url === '/metrics') &&
          !NOT_COMPARED.includes(url) &&
          !SALTED.test(url) &&
          !url.startsWith(CACHE),
      )
      .map(({ url }) => url.replace('/api/v1', ''))
    return { statuses, routes, reads }
  } finally {
    await Promise.all([sqlitePeer.spec.close(), otherPeer.spec.close()])
  }
}

it.each(['postgres', 'icu'] as const)(
  'the same sequence of requests gets the same responses on SQLite and on PostgreSQL (%s)',
  async (storage) => {
    const { statuses, routes, reads } = await compareWith(storage)
    // The test is not trivial: every read succeeded, and writes were accepted and rejected.
    expect(reads.filter((url) => !routes.has(url))).toEqual([])
    for (const outcome of [
      'POST 201',
      'POST 200',
      'POST 409',
      'POST 403',
      'PUT 204',
      'PUT 200',
      'DELETE 204',
      'DELETE 404',
      'GET 404',
      'GET 401',
    ])
      expect(statuses.get(outcome) ?? 0, outcome).toBeGreaterThan(0)
  },
  Math.max(300_000, REQUESTS * 100),
)
