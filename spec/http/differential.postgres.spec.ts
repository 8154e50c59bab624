import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openApp } from '../support/servers/app.ts'
import type { SpecApp } from '../support/servers/app.ts'
import { randomRequest } from '../support/random/random-requests.ts'
import type { AnyCaller, RandomRequest } from '../support/random/random-requests.ts'
import { routesOf } from '../support/http/routes.ts'
import { TOKENS } from '../support/servers/app.ts'

// One sequence of requests is sent to a service on each storage; nobody can tell from the answers which is which.

/** How many requests, unless told otherwise. */
const REQUESTS = Number(process.env['SPEC_REQUESTS'] ?? 1_200)
const A_BATCH = 60
const MAX_PAGES = 4

// The cache stands apart from runs, and its specs run on either storage.
const CACHE = '/api/v1/cache/'
/** Tell of one process, or are the same file everywhere. */
const NOT_COMPARED = ['/metrics', '/api/v1/openapi.json']

type Side = {
  readonly spec: SpecApp
  readonly tokens: Map<AnyCaller, string>
  readonly ids: Map<string, string>
  readonly secrets: Set<string>
}
type Told = { readonly status: number; readonly type: unknown; readonly body: unknown; readonly raw: string }

const openSide = async (storage: 'sqlite' | 'postgres' | 'icu', now: () => number): Promise<Side> => {
  const spec = await openApp({ now, storage })
  const tokens = new Map<AnyCaller, string>(Object.entries(TOKENS) as Array<[AnyCaller, string]>)
  for (const [name, role] of [
    ['ann', 'member'],
    ['ben', 'member'],
    ['cat', 'viewer'],
    ['root', 'admin'],
  ] as const)
    tokens.set(name, (await spec.addUser(name, role)).token)
  return { spec, tokens, ids: new Map([['@instance', spec.service.instance]]), secrets: new Set() }
}

/** What differs by chance is named alike: ids that a service gave, and what its random bytes went into. */
const evened = ({ ids, secrets }: Side, text: string): string => {
  let even = text
  for (const [name, id] of ids) even = even.replaceAll(id, name)
  for (const secret of secrets) even = even.replaceAll(secret, '@secret')
  // Nobody waits for the note of a key's use.
  return even
    .replaceAll(/"(salt|commitment|leaf|key|prefix)":"[0-9a-z_]*"/g, '"$1":"@random"')
    .replaceAll(/"last_used_at":[^,}]*/g, '"last_used_at":"@later"')
}

/** Hits are a set: their order is each storage's own. */
const asSets = (body: unknown): unknown => {
  const { runs, cases } = body as { runs: unknown[]; cases: unknown[] }
  const sorted = (hits: unknown[]): string[] => hits.map((hit) => JSON.stringify(hit)).sort()
  return { runs: sorted(runs), cases: sorted(cases) }
}

const send = async (side: Side, { who, method, path, body }: RandomRequest, n: number): Promise<Told> => {
  let [at, sent] = [path, body]
  for (const [name, id] of side.ids)
    [at, sent] = [at.replaceAll(encodeURIComponent(name), id).replaceAll(name, id), sent?.replaceAll(name, id)]
  const headers = {
    'x-request-id': `request-${n}`,
    ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const answer = await side.spec.holding(who === null ? null : (side.tokens.get(who) ?? null))(method, at, {
    headers,
    ...(sent === undefined ? {} : { body: sent }),
  })
  const type = answer.headers['content-type']
  const isJson = type === 'application/json'
  if (method === 'POST' && answer.statusCode === 201 && !path.startsWith('/runs')) {
    const made = answer.json<{ id: string; key?: string }>()
    if (made.key !== undefined) side.tokens.set('key', made.key)
    // Few names, taken again: an older one of the name is never asked for any more, but may still be shown.
    const of = path === '/users' ? 'user' : 'key'
    side.secrets.add(side.ids.get(`@${of}${n % 3}`) ?? made.id)
    side.ids.set(`@${of}${n % 3}`, made.id)
    side.secrets.delete(made.id)
  }
  const raw = evened(side, answer.body)
  return { status: answer.statusCode, type, body: isJson && raw !== '' ? JSON.parse(raw) : raw, raw }
}

const isSearch = ({ route }: RandomRequest): boolean => route === '/search'
const nextOf = ({ body }: Told): string | null =>
  typeof body === 'object' && body !== null && 'next_cursor' in body ? (body.next_cursor as string | null) : null
const limitOf = ({ path }: RandomRequest): number => Number(new URLSearchParams(path.split('?')[1]).get('limit') ?? 20)

const differences = async (
  storage: 'postgres' | 'icu',
): Promise<{
  readonly statuses: Map<string, number>
  readonly routes: ReadonlySet<string>
  readonly reads: readonly string[]
}> => {
  let clock = Date.UTC(2026, 4, 4, 9)
  const now = (): number => clock
  const [one, other] = [await openSide('sqlite', now), await openSide(storage, now)]
  const statuses = new Map<string, number>()
  const routes = new Set<string>()
  let n = 0
  const compare = async (request: RandomRequest): Promise<Told> => {
    n++
    clock += 500
    const [a, b] = [await send(one, request, n), await send(other, request, n)]
    const what = `${n}: ${String(request.who)} ${request.method} ${request.path}`
    expect({ what, status: b.status, type: b.type }, b.raw).toEqual({ what, status: a.status, type: a.type })
    if (isSearch(request) && a.status === 200) {
      const { runs, cases } = a.body as { runs: unknown[]; cases: unknown[] }
      // Of more hits than were asked for each storage shows the best in its own ranking.
      if (runs.length < limitOf(request) && cases.length < limitOf(request))
        expect(asSets(b.body), what).toEqual(asSets(a.body))
      else
        expect(
          [(b.body as { runs: unknown[] }).runs.length, (b.body as { cases: unknown[] }).cases.length],
          what,
        ).toEqual([runs.length, cases.length])
    } else expect(b.body, what).toEqual(a.body)
    // The order of keys, and how numbers are written.
    if (!isSearch(request)) expect(b.raw, what).toBe(a.raw)
    statuses.set(`${request.method} ${a.status}`, (statuses.get(`${request.method} ${a.status}`) ?? 0) + 1)
    if (a.status === 200 && request.method === 'GET') routes.add(request.route)
    return a
  }
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomRequest, { minLength: A_BATCH, maxLength: A_BATCH, size: 'max' }),
        async (requests) => {
          for (const request of requests) {
            let cursor = nextOf(await compare(request))
            const [path = '', asked] = request.path.split('?')
            for (let page = 1; cursor !== null && page < MAX_PAGES; page++) {
              const query = new URLSearchParams(asked)
              query.set('cursor', cursor)
              cursor = nextOf(await compare({ ...request, path: `${path}?${query.toString()}` }))
            }
          }
        },
      ),
      // Each batch goes on where the one before ended, so a smaller one would show nothing.
      { numRuns: Math.ceil(REQUESTS / A_BATCH), endOnFailure: true },
    )
    const reads = routesOf(one.spec.app)
      .filter(
        ({ method, url }) =>
          method === 'GET' &&
          (url.startsWith('/api/') || url === '/metrics') &&
          !NOT_COMPARED.includes(url) &&
          !url.startsWith(CACHE),
      )
      .map(({ url }) => url.replace('/api/v1', ''))
    return { statuses, routes, reads }
  } finally {
    await Promise.all([one.spec.close(), other.spec.close()])
  }
}

describe('the same requests', () => {
  it.each(['postgres', 'icu'] as const)(
    'get the same answers on SQLite and on PostgreSQL (%s)',
    async (storage) => {
      const { statuses, routes, reads } = await differences(storage)
      // They were not idle: every read was answered, and writes were taken and refused.
      expect(reads.filter((url) => !routes.has(url))).toEqual([])
      for (const each of [
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
        expect(statuses.get(each) ?? 0, each).toBeGreaterThan(0)
    },
    Math.max(120_000, REQUESTS * 100),
  )
})
