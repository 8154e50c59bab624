import fc from 'fast-check'
import { caseKey } from '../../../domain/run/case-key.ts'
import { LEVELS } from '../../../queries/access/levels.ts'
import { MATRIX_VALUES } from '../../../domain/run/matrix-values.ts'
import { MATRIX_SORTS } from '../../../queries/cases/matrix-order.ts'
import { CHANGE_FILTERS } from '../../../queries/statistics/compared-order.ts'
import { CASE_SORTS } from '../../../queries/cases/sorted-cases.ts'
import { RUN_SORTS } from '../../../queries/runs/sorted-runs.ts'
import { aCase, aDocument, realDocuments } from '../documents/documents.ts'

/** The callers: static tokens, accounts by their sessions, a key, or no credential. */
export const CALLERS = ['read', 'write', 'admin', 'ann', 'ben', 'cat', 'root', 'key', null] as const
export type AnyCaller = (typeof CALLERS)[number]

/** A request as data. In path and body, ids that a service generates have names such as `@user1` and `@key1`. */
export type RandomRequest = {
  readonly caller: AnyCaller
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The route with its parameter names, as in the router, without /api/v1. */
  readonly route: string
  readonly path: string
  readonly body?: string
}

// Few names, so that requests refer to the same things. The names have letters of several scripts, upper and lower
// case, wildcards, and signs that UTF-16, UTF-8 and collations sort differently.
const PROJECTS = ['chat', 'Chat', 'Ä/b', '\u{1f600}', '\ufb33', null] as const
const SUITES = ['smoke', 'a b', '%_', "it's", 'Z', 'ß', '', null] as const
/** Runs, each with the set that it is usually uploaded to. */
const RUN_PLACES = Array.from({ length: 60 }, (_, i) => ({
  run_id: `${['r', 'R', 'é/', '\u{1f600}', '\uffee'][i % 5]}${i}`,
  project: PROJECTS[i % 4 === 0 ? 0 : i % PROJECTS.length] ?? null,
  suite: SUITES[(i * 3) % SUITES.length] ?? null,
}))
const WORDS = [
  'hello',
  'Hello',
  'world',
  'crème',
  'brûlée',
  'CREME',
  'größe',
  'x1y2',
  '日本語',
  'snake_case',
  'foo/bar.py',
  '404',
  'naïve',
  'it',
  's',
  'zwölf',
  '\u{1f600}',
  'NUL\0in',
  '\ud800',
] as const
const TAGS = ['nightly', 'Nightly', 'a,b', 'é', '"', '100%'] as const
const BRANCHES = ['main', 'Main', 'feature/x', 'ünï'] as const
const FIRST_INSTANT = Date.UTC(2026, 4, 4, 9)

const word = fc.constantFrom(...WORDS)
const text = fc.oneof(
  { weight: 6, arbitrary: fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')) },
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constant(`${'filler '.repeat(400)}needle`),
)
const project = fc.constantFrom(...PROJECTS)
const suite = fc.constantFrom(...SUITES)
const runPlace = fc.constantFrom(...RUN_PLACES)
const run = runPlace.map(({ run_id }) => run_id)
const cell = fc.record({
  provider_id: fc.constantFrom('model', 'Model', 'é'),
  prompt_id: fc.constantFrom('terse', null),
  test_id: fc.constantFrom('t/1', 'T/1', '\u{1f600}'),
  repeat: fc.constantFrom(0, 0, 1),
})
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })
/** Removes undefined fields. */
const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  JSON.parse(JSON.stringify(fields)) as { [K in keyof T]: Exclude<T[K], undefined> }
const money = fc.constantFrom(0, 0.000001, 0.1, 0.30000000000000004, 1e-7, 12.5)

const oneCase = fc
  .record({
    cell,
    status: fc.constantFrom('pass', 'pass', 'fail', 'error', 'skip', 'xfail', 'xpass'),
    score: fc.constantFrom(0, 1, 0.1, 1 / 3, 0.30000000000000004),
    output: fc.oneof(text, fc.constant(null), fc.record({ answer: text, n: fc.constantFrom(1, 1e21, 0.1) })),
    name: optional(text),
    error: optional(text),
    tags: optional(fc.array(fc.constantFrom(...TAGS), { maxLength: 3 })),
    cached: optional(fc.boolean()),
    cost_usd: optional(money),
    latency_ms: fc.constantFrom(0, 10, 12_345),
    stop_reason: optional(fc.constantFrom('end_turn', 'refusal')),
    empty_reason: optional(fc.constantFrom('refusal', 'Refusal')),
    error_class: optional(fc.constantFrom('timeout', 'Timeout')),
    usage: optional(fc.record({ input_tokens: fc.nat({ max: 999 }), output_tokens: fc.nat({ max: 99 }) })),
    asserts: fc.array(
      fc.record({
        kind: fc.constantFrom('contains', 'llm-rubric'),
        status: fc.constantFrom('pass', 'fail'),
        score: fc.constantFrom(0, 0.5, 1),
        weight: fc.constantFrom(1, 2),
        reason: text,
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ status, ...fields }) => aCase({ ...withoutUndefined(fields), status: status as never }))

const document = fc
  .record({
    of: fc.oneof(
      { weight: 7, arbitrary: runPlace },
      { weight: 1, arbitrary: fc.record({ run_id: run, project, suite }) },
    ),
    cases: fc.array(oneCase, { maxLength: 8 }),
    at: fc.nat({ max: 40 }),
    took: fc.constantFrom(0, 0, 500, 90_000),
    git: optional(
      fc.record({ branch: fc.constantFrom(...BRANCHES), commit: fc.constantFrom('abc', 'ABC'), dirty: fc.boolean() }),
    ),
    origin: optional(
      fc.record({ actor: fc.constantFrom('mira', 'Mira', 'write'), host: fc.constant('h'), note: word }),
    ),
    ci: optional(fc.record({ provider: fc.constantFrom('github', 'GitHub') })),
    filters: optional(fc.record({ tags: fc.array(fc.constantFrom(...TAGS), { maxLength: 3 }) })),
    config_snapshot: fc.constantFrom(null, { a: [1, 'é'] }, 'text'),
  })
  .map(({ at: halfSecond, took, of: place, ...fields }) => {
    const finished = FIRST_INSTANT + Math.floor(halfSecond / 2) * 1000
    return JSON.stringify(
      aDocument({
        ...place,
        ...withoutUndefined(fields),
        cases: fields.cases,
        started_at: new Date(finished - took).toISOString(),
        finished_at: new Date(finished).toISOString(),
      }),
    )
  })

const REAL = realDocuments()
  .filter(({ bytes }) => bytes.length < 400_000)
  .map(({ bytes }) => bytes.toString())

const pathPart = (names: fc.Arbitrary<string | null>): fc.Arbitrary<string> =>
  names.map((name) => encodeURIComponent(name ?? 'none'))
const set = fc.record({ p: pathPart(project), s: pathPart(suite) }).filter(({ s }) => s !== '')
const pinned = runPlace.filter(({ suite: named }) => named !== '')
const id = pathPart(run)
const userId = fc.constantFrom('ann', 'ben', 'cat', '@user0', '@user1', '@user2', 'nobody')
const keyId = fc.constantFrom('@key0', '@key1', '@key2', 'nothing')
const viewId = fc.constantFrom('@view0', '@view1', '@view2', 'nothing')
const level = fc.constantFrom(...LEVELS)

const accountName = fc.constantFrom('a', 'AN', 'ann', 'd', 'é', 'e', 'E\u0301', 'x')

type RequestParts = Omit<RandomRequest, 'caller'>
const requestTo = (
  method: RequestParts['method'],
  route: string,
  names: Readonly<Record<string, string>> = {},
  body?: unknown,
): RequestParts => ({
  method,
  route,
  path: route.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? 'none'),
  ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
})
const withQuery = (request: RequestParts, query: Readonly<Record<string, string | undefined>>): RequestParts => {
  const present = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return present.length === 0
    ? request
    : { ...request, path: `${request.path}?${new URLSearchParams(present).toString()}` }
}

const query = (
  fields: Readonly<Record<string, fc.Arbitrary<string>>>,
): fc.Arbitrary<Readonly<Record<string, string | undefined>>> => fc.record(fields, { requiredKeys: [] })
const nameFrom = (candidates: readonly (string | null)[]): fc.Arbitrary<string> =>
  fc.constantFrom(...candidates.map((name) => name ?? 'none'))
const instant = fc.nat({ max: 22 }).map((n) => String(FIRST_INSTANT + n * 1000))
const limit = fc.constantFrom('1', '2', '5', '50', '200')
const status = fc.constantFrom('pass', 'fail', 'error', 'skip', 'xfail', 'xpass')
const cached = fc.constantFrom('exclude', 'only', 'all')
const q = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ').toWellFormed()),
  fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => `"${words.join(' ').toWellFormed()}"`),
  fc.constantFrom(
    'he',
    'need',
    'wor -hello',
    'filler',
    'x',
    '',
    '***',
    'mira github',
    'the',
    'python',
    'def',
    '"hello world',
    'a OR b',
  ),
)

const bound = fc.constantFrom('0', '0.5', '1', '10', '-1', '20000')
const caseFilters = {
  status,
  tag: nameFrom(TAGS),
  q: word.map((text) => text.toWellFormed()),
  provider: nameFrom(['model', 'Model', 'é']),
  prompt: nameFrom(['terse', 'Terse']),
  test: nameFrom(['t/1', 'T/1', '\u{1f600}']),
  stop_reason: nameFrom(['end_turn', 'refusal']),
  error_class: nameFrom(['timeout', 'Timeout']),
  empty_reason: nameFrom(['refusal', 'Refusal']),
  cached: fc.constantFrom('true', 'false'),
  limit,
  cursor: fc.constantFrom('x', '3'),
}

const runFilters = {
  project: nameFrom(PROJECTS),
  suite: nameFrom(SUITES),
  tag: nameFrom(TAGS),
  branch: nameFrom(BRANCHES),
  status,
  since: instant,
  until: instant,
  cached,
  origin: fc.constantFrom('ci', 'local'),
  actor: fc.constantFrom('mira', 'Mira', 'write', 'ann', 'x'),
}
const direction = fc.constantFrom('asc', 'desc')
const runSort = fc.constantFrom(...RUN_SORTS)
const caseSort = fc.constantFrom(...CASE_SORTS)
const { limit: _limit, cursor: _cursor, ...unpagedCaseFilters } = caseFilters
const measureBounds = { score_from: bound, score_below: bound, latency_from: bound, latency_below: bound }
const csvFilters = { ...unpagedCaseFilters, ...measureBounds }
/** Few filters, so that a sorted list has many rows, ties and rows without the value among them. */
const sortedCases = fc.record({ sort: caseSort }).chain(({ sort }) =>
  query({
    order: direction,
    limit: fc.constantFrom('1', '2', '3'),
    status,
    q: word.map((text) => text.toWellFormed()),
  }).map((filters) => ({ sort, ...filters })),
)
const sortedRuns = fc.record({ sort: runSort }).chain(({ sort }) =>
  query({
    order: direction,
    limit: fc.constantFrom('1', '2', '5'),
    project: nameFrom(PROJECTS),
    cached,
    cursor: fc.constantFrom('x', 'cost.asc:1:5:a', 'pass_rate.desc::5:a'),
  }).map((filters) => ({ sort, ...filters })),
)

/** Every read of the service except those that report on one process. */
const READS: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
  query({ ...runFilters, sort: runSort, order: direction, limit, cursor: fc.constantFrom('x', '0:a') }).map((filters) =>
    withQuery(requestTo('GET', '/runs'), filters),
  ),
  sortedRuns.map((filters) => withQuery(requestTo('GET', '/runs'), filters)),
  fc
    .record({ id, filters: sortedCases })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/cases', { id: drawn.id }), drawn.filters)),
  id.map((run_id) => requestTo('GET', '/runs/:id', { id: run_id })),
  id.map((run_id) => requestTo('GET', '/runs/:id/in-suite', { id: run_id })),
  fc
    .record({ id, filters: query({ ...caseFilters, sort: caseSort, order: direction }) })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/cases', { id: drawn.id }), drawn.filters)),
  fc
    .record({
      id,
      filters: query({ ...caseFilters, ...measureBounds, sort: caseSort, order: direction }),
    })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/distribution/cases', { id: drawn.id }), drawn.filters)),
  id.map((run_id) => requestTo('GET', '/runs/:id/distribution', { id: run_id })),
  // Drawn three times as often, because a run has only a few of all possible cases.
  ...[1, 2, 3].map(() =>
    fc
      .record({ id, cell })
      .map(({ id: run_id, cell: drawnCell }) =>
        requestTo('GET', '/runs/:id/cases/:case_key', { id: run_id, case_key: caseKey(drawnCell) }),
      ),
  ),
  ...[1, 2, 3].map(() =>
    fc
      .record({ id, cell })
      .map(({ id: run_id, cell: drawnCell }) =>
        requestTo('GET', '/runs/:id/cases/:case_key/in-suite', { id: run_id, case_key: caseKey(drawnCell) }),
      ),
  ),
  fc
    .record({ id, filters: query({ limit, cursor: fc.constantFrom('1', 'x') }) })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/matrix', { id: drawn.id }), drawn.filters)),
  id.map((run_id) => requestTo('GET', '/runs/:id/export', { id: run_id })),
  id.map((run_id) => requestTo('GET', '/runs/:id/config', { id: run_id })),
  fc.record({ id, other: id }).map((drawn) => requestTo('GET', '/runs/:id/compare/:other', drawn)),
  fc
    .record({ q, filters: query({ limit, cached }) })
    .map(({ q: searchText, filters }) => withQuery(requestTo('GET', '/search'), { q: searchText, ...filters })),
  fc.constant(requestTo('GET', '/projects')),
  pathPart(project).map((p) => requestTo('GET', '/projects/:project/suites', { project: p })),
  fc
    .record({ place: pinned, cell, filters: query({ limit }) })
    .map(({ place: { project: p, suite: s }, cell: drawnCell, filters }) =>
      withQuery(
        requestTo('GET', '/projects/:project/suites/:suite/cases/:case_key/history', {
          project: encodeURIComponent(p ?? 'none'),
          suite: encodeURIComponent(s ?? 'none'),
          case_key: caseKey(drawnCell),
        }),
        filters,
      ),
    ),
  fc
    .record({ place: pinned, cell, filters: query({ limit }) })
    .map(({ place: { project: p, suite: s }, cell: drawnCell, filters }) =>
      withQuery(
        requestTo('GET', '/projects/:project/suites/:suite/cases/:case_key/timeline', {
          project: encodeURIComponent(p ?? 'none'),
          suite: encodeURIComponent(s ?? 'none'),
          case_key: caseKey(drawnCell),
        }),
        filters,
      ),
    ),
  fc
    .record({
      place: pinned,
      filters: query({
        limit,
        branch: fc.constantFrom(...BRANCHES),
        order: fc.constantFrom('changed', 'flaky', 'failing', 'name'),
        fold: fc.constantFrom('trials', 'test', 'auto'),
        runs: fc.constantFrom('1', '3'),
        q: word,
      }),
    })
    .map(({ place: { project: p, suite: s }, filters }) =>
      withQuery(
        requestTo('GET', '/projects/:project/suites/:suite/grid', {
          project: encodeURIComponent(p ?? 'none'),
          suite: encodeURIComponent(s ?? 'none'),
        }),
        filters,
      ),
    ),
  fc
    .record({
      place: pinned,
      filters: query({ window: fc.constantFrom('2', '20'), branch: fc.constantFrom(...BRANCHES) }),
    })
    .map(({ place: { project: p, suite: s }, filters }) =>
      withQuery(
        requestTo('GET', '/projects/:project/suites/:suite/flakiness', {
          project: encodeURIComponent(p ?? 'none'),
          suite: encodeURIComponent(s ?? 'none'),
        }),
        filters,
      ),
    ),
  fc
    .record({
      place: pinned,
      filters: query({
        metric: fc.constantFrom('pass-rate', 'status', 'score'),
        branch: fc.constantFrom(...BRANCHES),
        label: fc.constantFrom('Label', '<&>'),
      }),
    })
    .map(({ place: { project: p, suite: s }, filters }) =>
      withQuery(
        requestTo('GET', '/projects/:project/suites/:suite/badge.svg', {
          project: encodeURIComponent(p ?? 'none'),
          suite: encodeURIComponent(s ?? 'none'),
        }),
        filters,
      ),
    ),
  query({
    limit,
    attention: fc.constantFrom('true', 'false'),
    project: fc.constantFrom('chat', 'Chat', 'none'),
  }).map((filters) => withQuery(requestTo('GET', '/overview'), filters)),
  fc.constant(requestTo('GET', '/sets')),
  pathPart(project).map((p) => requestTo('GET', '/sets/:project', { project: p })),
  fc
    .oneof(
      set,
      pinned.map(({ project: p, suite: s }) => ({
        p: encodeURIComponent(p ?? 'none'),
        s: encodeURIComponent(s ?? 'none'),
      })),
    )
    .map(({ p, s }) => requestTo('GET', '/sets/:project/suites/:suite', { project: p, suite: s })),
  pathPart(project).map((p) => requestTo('GET', '/sets/:project/access', { project: p })),
  set.map(({ p, s }) => requestTo('GET', '/sets/:project/suites/:suite/access', { project: p, suite: s })),
  fc
    .record({ p: pathPart(project), name: accountName })
    .map(({ p, name }) => withQuery(requestTo('GET', '/sets/:project/accounts', { project: p }), { name })),
  fc
    .record({ set, name: accountName })
    .map(({ set: { p, s }, name }) =>
      withQuery(requestTo('GET', '/sets/:project/suites/:suite/accounts', { project: p, suite: s }), { name }),
    ),
  fc.constant(requestTo('GET', '/apikeys')),
  fc.constant(requestTo('GET', '/auth/me')),
  fc.constant(requestTo('GET', '/auth/sessions')),
  fc.constant(requestTo('GET', '/views')),
  fc.constant(requestTo('GET', '/schemas/run-document')),
  fc.constant(requestTo('GET', '/meta')),
  fc.constant(requestTo('GET', '/ready')),
  fc.constant(requestTo('GET', '/health')),
]

const testId = nameFrom(['t/1', 'T/1', '\u{1f600}'])
const clusterBy = query({ cluster_by: fc.constantFrom('test', 'tag:n', 'var:n') })
const key = cell.map(caseKey)

/** Reads of the statistics, of lists as files and of pages of the web app. */
const MORE_READS: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
  query({ ...runFilters, sort: runSort, order: direction }).map((filters) =>
    withQuery(requestTo('GET', '/runs.csv'), filters),
  ),
  fc.constant(requestTo('GET', '/run-facets')),
  id.map((run_id) => requestTo('GET', '/runs/:id/previous', { id: run_id })),
  fc
    .record({ id, filters: query({ ...csvFilters, sort: caseSort, order: direction }) })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/cases.csv', { id: drawn.id }), drawn.filters)),
  fc
    .record({
      id,
      filters: query({
        ...csvFilters,
        sort: caseSort,
        order: direction,
        limit,
        offset: fc.constantFrom('0', '2'),
        around: key,
      }),
    })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/case-rows', { id: drawn.id }), drawn.filters)),
  fc
    .record({
      id,
      filters: query({ k: fc.constantFrom('1', '2'), cluster_by: fc.constantFrom('test', 'tag:n', 'var:n') }),
    })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/statistics', { id: drawn.id }), drawn.filters)),
  fc
    .record({
      id,
      testId,
      // Most keys are of other tests, which is an error.
      filters: fc.oneof(
        { weight: 4, arbitrary: query({}) },
        { weight: 1, arbitrary: query({ against: key, cases: key }) },
      ),
    })
    .map((drawn) =>
      withQuery(
        requestTo('GET', '/runs/:id/tests/:test_id', { id: drawn.id, test_id: encodeURIComponent(drawn.testId) }),
        drawn.filters,
      ),
    ),
  fc
    .record({ id, other: id, filters: clusterBy })
    .map(({ filters, ...names }) => withQuery(requestTo('GET', '/runs/:id/compare/:other/statistics', names), filters)),
  fc
    .record({ id, other: id, filters: query({ limit, filter: fc.constantFrom(...CHANGE_FILTERS), case: key }) })
    .map(({ filters, ...names }) => withQuery(requestTo('GET', '/runs/:id/compare/:other/cases', names), filters)),
  fc.record({ id, other: id }).map((names) => requestTo('GET', '/runs/:id/compare/:other/config', names)),
  fc.record({ id, other: id }).map((names) => requestTo('GET', '/runs/:id/compare/:other/nearest', names)),
  fc
    .record({
      id,
      filters: query({
        limit,
        value: fc.constantFrom(...MATRIX_VALUES),
        sort: fc.constantFrom(...MATRIX_SORTS),
        only: fc.constant('disagree'),
      }),
    })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/matrix/rows', { id: drawn.id }), drawn.filters)),
  fc
    .record({
      runs: fc.uniqueArray(run, { minLength: 2, maxLength: 3 }),
      filters: query({
        limit,
        filter: fc.constantFrom('differ', 'all', 'all_passed', 'all_failed', 'worse:', 'better:'),
        base: fc.constantFrom('0', '1'),
      }),
    })
    .map(({ runs, filters: { base, filter, ...filters } }) =>
      withQuery(requestTo('GET', '/compare'), {
        runs: runs.map(encodeURIComponent).join(','),
        ...filters,
        // Of the drawn runs: any other one is refused.
        base: base === undefined ? undefined : runs[Number(base)],
        filter: filter?.endsWith(':') ? `${filter}${runs[1]}` : filter,
      }),
    ),
  fc
    .record({ runs: fc.uniqueArray(run, { minLength: 2, maxLength: 3 }), test: testId, isLast: fc.boolean() })
    .map(({ runs, test, isLast }) =>
      withQuery(requestTo('GET', '/compare/outputs'), {
        runs: runs.map(encodeURIComponent).join(','),
        test,
        against: isLast ? runs.at(-1) : undefined,
      }),
    ),
  fc
    .record({ q, filters: query({ limit, status, project: nameFrom(PROJECTS), suite: nameFrom(SUITES) }) })
    .map(({ q: searchText, filters }) => withQuery(requestTo('GET', '/search/cases'), { q: searchText, ...filters })),
  fc
    .record({ place: pinned, filters: query({ branch: fc.constantFrom(...BRANCHES) }) })
    .map(({ place: { project: p, suite: s }, filters }) =>
      withQuery(
        requestTo('GET', '/projects/:project/suites/:suite/trend', {
          project: encodeURIComponent(p ?? 'none'),
          suite: encodeURIComponent(s ?? 'none'),
        }),
        filters,
      ),
    ),
]

const auditFilters = {
  actor: fc.constantFrom('ann', 'root', 'write', 'mira', '@user0'),
  type: fc.constantFrom('RunIngested', 'RunDeleted', 'AccessGranted', 'AccessRevoked', 'UserCreated', 'Nothing'),
  stream: fc.constantFrom('run/', 'baseline/', 'access/chat', 'accounts', 'baseline/chat/'),
  since: instant,
  until: instant,
}

/** Reads for which an account or token needs the scope of admins. */
const READS_OF_ADMINS: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
  query({ ...auditFilters, limit, cursor: fc.constantFrom('9', 'x') }).map((filters) =>
    withQuery(requestTo('GET', '/audit'), filters),
  ),
  query({ ...auditFilters, full: fc.constantFrom('true', 'false') }).map((filters) =>
    withQuery(requestTo('GET', '/audit/export'), filters),
  ),
  fc.nat({ max: 200 }).map((seq) => requestTo('GET', '/audit/:seq', { seq: String(seq) })),
  query({ limit, open: fc.constantFrom('true', 'false'), project: nameFrom(PROJECTS), user_id: userId }).map(
    (filters) => withQuery(requestTo('GET', '/access'), filters),
  ),
  fc.constant(requestTo('GET', '/users')),
  fc.constant(requestTo('GET', '/users/overview')),
  query({
    q: fc.constantFrom('', 'K', 'user', 'no such'),
    user_id: userId,
    scope: fc.constantFrom('read', 'write', 'admin'),
    state: fc.constantFrom('usable', 'disabled', 'revoked', 'live'),
    unused_since: instant,
    sort: fc.constantFrom('created', 'used', 'account', 'name'),
    order: fc.constantFrom('asc', 'desc'),
    limit,
  }).map((filters) => withQuery(requestTo('GET', '/users/apikeys'), filters)),
  userId.map((user_id) => requestTo('GET', '/users/:id/apikeys', { id: user_id })),
]

const INGESTS = fc.oneof(
  { weight: 8, arbitrary: document.map((body) => requestTo('POST', '/runs', {}, body)) },
  { weight: 1, arbitrary: fc.constantFrom(...REAL).map((body) => requestTo('POST', '/runs', {}, body)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('{', '[]', '{"schema_version":9}', '')
      .map((body) => requestTo('POST', '/runs', {}, body)),
  },
)

const CHANGES: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
  id.map((run_id) => requestTo('DELETE', '/runs/:id', { id: run_id })),
  pinned.map(({ project: p, suite: s, run_id }) =>
    requestTo(
      'PUT',
      '/projects/:project/suites/:suite/baseline',
      { project: encodeURIComponent(p ?? 'none'), suite: encodeURIComponent(s ?? 'none') },
      { run_id },
    ),
  ),
  set.map(({ p, s }) => requestTo('DELETE', '/projects/:project/suites/:suite/baseline', { project: p, suite: s })),
  fc
    .record({ method: fc.constantFrom('PUT', 'DELETE', 'DELETE'), p: pathPart(project) })
    .map(({ method, p }) => requestTo(method, '/sets/:project/restriction', { project: p })),
  fc
    .record({ method: fc.constantFrom('PUT', 'DELETE'), set })
    .map(({ method, set: { p, s } }) =>
      requestTo(method, '/sets/:project/suites/:suite/restriction', { project: p, suite: s }),
    ),
  fc
    .record({ p: pathPart(project), userId, level })
    .map(({ p, userId: user_id, level: grantLevel }) =>
      requestTo('PUT', '/sets/:project/grants/:user_id', { project: p, user_id }, { level: grantLevel }),
    ),
  fc
    .record({ p: pathPart(project), userId })
    .map(({ p, userId: user_id }) => requestTo('DELETE', '/sets/:project/grants/:user_id', { project: p, user_id })),
  fc
    .record({ set, userId, level })
    .map(({ set: { p, s }, userId: user_id, level: grantLevel }) =>
      requestTo(
        'PUT',
        '/sets/:project/suites/:suite/grants/:user_id',
        { project: p, suite: s, user_id },
        { level: grantLevel },
      ),
    ),
  fc
    .record({ set, userId })
    .map(({ set: { p, s }, userId: user_id }) =>
      requestTo('DELETE', '/sets/:project/suites/:suite/grants/:user_id', { project: p, suite: s, user_id }),
    ),
  fc
    .record({
      username: fc.constantFrom('ann', 'Ann', 'dora', 'Dora', 'é', 'e\u0301'),
      role: fc.constantFrom('viewer', 'member', 'admin'),
    })
    .map((body) => requestTo('POST', '/users', {}, { ...body, password: 'long enough' })),
  fc
    .record({
      userId,
      role: optional(fc.constantFrom('viewer', 'member')),
      disabled: optional(fc.constantFrom(false, false, true)),
    })
    .map(({ userId: user_id, ...body }) => requestTo('PATCH', '/users/:id', { id: user_id }, body)),
  userId
    .filter((user_id) => user_id.startsWith('@'))
    .map((user_id) => requestTo('DELETE', '/users/:id', { id: user_id })),
  fc
    .record({
      name: optional(word.map((text) => text.replace(/[\0\ud800]/g, ''))),
      scope: optional(fc.constantFrom('read', 'write', 'admin')),
    })
    .map((body) => requestTo('POST', '/apikeys', {}, body)),
  keyId.map((key_id) => requestTo('DELETE', '/apikeys/:id', { id: key_id })),
  fc
    .record({ name: fc.constantFrom('Failing', 'failing', 'é', 'All'), path: fc.constantFrom('/runs', '/projects') })
    .map((body) => requestTo('POST', '/views', {}, body)),
  fc
    .record({ viewId, pinned: optional(fc.boolean()), position: optional(fc.constantFrom(0.5, 2)) })
    .map(({ viewId: view_id, ...body }) => requestTo('PATCH', '/views/:id', { id: view_id }, body)),
  viewId.map((view_id) => requestTo('DELETE', '/views/:id', { id: view_id })),
]

const mostlyAdmins = fc.constantFrom<AnyCaller>('admin', 'root', 'admin', 'root', ...CALLERS)
const withCaller = (
  requests: fc.Arbitrary<RequestParts>,
  caller: fc.Arbitrary<AnyCaller>,
): fc.Arbitrary<RandomRequest> =>
  fc.record({ caller, request: requests }).map(({ caller: drawn, request }) => ({ caller: drawn, ...request }))

/** Any request: more than half are reads, the rest are uploads and changes. */
export const randomRequest: fc.Arbitrary<RandomRequest> = fc.oneof(
  { weight: 6, arbitrary: withCaller(fc.oneof(...READS), fc.constantFrom(...CALLERS, 'root', 'admin', 'ann')) },
  { weight: 3, arbitrary: withCaller(fc.oneof(...MORE_READS), fc.constantFrom(...CALLERS, 'root', 'admin', 'ann')) },
  { weight: 1, arbitrary: withCaller(fc.oneof(...READS_OF_ADMINS), mostlyAdmins) },
  {
    weight: 3,
    arbitrary: withCaller(INGESTS, fc.constantFrom<AnyCaller>('write', 'admin', 'ann', 'write', ...CALLERS)),
  },
  { weight: 3, arbitrary: withCaller(fc.oneof(...CHANGES), mostlyAdmins) },
)
