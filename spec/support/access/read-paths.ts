import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { aCase } from '../documents/documents.ts'
import { digestOf } from '../documents/parts.ts'
import { RULES } from './access-rules.ts'
import { PART } from './run-evidence.ts'

// Reads of every route, in a store whose viewers may see some sets and runs and not others: `v0` and `v1`, which come and
// go, `v6`, `v7` and `bulk`, which stay, and `h0`, which no viewer may see.

const KEY = aCase().case_key
/** The cache key of every response. */
export const RESPONSE = cacheKeyOf('response')
const NOTHING = cacheKeyOf('nothing')
/** The ids of a plan of `half/light`, and of one that no viewer may see. */
export const PLANS = { shown: '01J00000000000000000000001', hidden: '01J00000000000000000000002' } as const

/** The ids of a rubric of `half/light`, and of one that no viewer may see. */
export const RUBRICS = { shown: '01J00000000000000000000003', hidden: '01J00000000000000000000004' } as const

/** The ids of review queues of `half/light`, one of them closed, and of one that no viewer may see. */
export const QUEUES = {
  shown: '01J00000000000000000000005',
  hidden: '01J00000000000000000000006',
  closed: '01J00000000000000000000007',
} as const

/** The transcript in the evidence of `v6` and of `h0`. */
const TRANSCRIPT = `/transcripts/${digestOf(PART)}`

const withQueries = (...queries: readonly string[]): readonly string[] => ['', ...queries.map((query) => `?${query}`)]
/** Reads of a run, of one that stays, of one that comes and goes, and of a hidden one. */
const ofRun = (path: string, ...queries: readonly string[]): readonly string[] => [
  ...withQueries(...queries).map((query) => `/runs/v6${path}${query}`),
  ...['v1', 'v0', 'h0'].map((run) => `/runs/${run}${path}`),
]
const ofPair = (path: string, ...queries: readonly string[]): readonly string[] => [
  ...withQueries(...queries).map((query) => `/runs/v6/compare/v7${path}${query}`),
  ...['v1/compare/v6', 'v6/compare/v1', 'v6/compare/h0', 'h0/compare/v6'].map((pair) => `/runs/${pair}${path}`),
]
const ofSuite = (path: string, ...queries: readonly string[]): readonly string[] => [
  ...withQueries(...queries).map((query) => `/projects/half/suites/light${path}${query}`),
  ...['half/suites/dark', 'half/suites/darker', 'secret/suites/s', 'open/suites/s'].map(
    (suite) => `/projects/${suite}${path}`,
  ),
]

const RUN_FILTERS = [
  'project=half',
  'project=half&suite=light',
  'suite=s',
  'cached=exclude',
  'cached=only',
  'actor=write',
  'tag=hush',
  'project=secret&suite=s',
  'project=secret',
  'project=half&suite=darker',
  'suite=darker',
  'tag=covert',
  'sort=pass_rate',
  'sort=cost&order=asc',
  'sort=duration&cached=exclude',
  'sort=time&order=asc&suite=s',
] as const

/** Reads with more paths than their route alone says. */
const OWN_PATHS: Readonly<Record<string, readonly string[]>> = {
  '/runs': withQueries('limit=2', 'sort=pass_rate&limit=1', 'limit=1&order=asc', ...RUN_FILTERS).map(
    (query) => `/runs${query}`,
  ),
  '/runs.csv': withQueries(...RUN_FILTERS).map((query) => `/runs.csv${query}`),
  '/projects/:project/suites': ['/projects/half/suites', '/projects/secret/suites'],
  '/sets/:project': ['/sets/half', '/sets/secret'],
  '/sets/:project/suites/:suite': ['light', 'darker', 'dark'].map((suite) => `/sets/half/suites/${suite}`),
  '/sets/:project/access': ['/sets/open/access', '/sets/half/access', '/sets/secret/access'],
  '/sets/:project/suites/:suite/access': ['open/suites/s', 'half/suites/light', 'half/suites/darker'].map(
    (suite) => `/sets/${suite}/access`,
  ),
  '/sets/:project/accounts': ['open', 'half', 'secret'].map((project) => `/sets/${project}/accounts?name=b`),
  '/sets/:project/suites/:suite/accounts': ['open/suites/s', 'half/suites/light', 'half/suites/darker'].map(
    (suite) => `/sets/${suite}/accounts?name=b`,
  ),
  '/overview': withQueries('limit=1', 'project=half', 'project=secret', 'attention=true', 'attention=false').map(
    (query) => `/overview${query}`,
  ),
  '/plans': withQueries('limit=1', 'project=half', 'project=half&suite=darker', 'project=secret').map(
    (query) => `/plans${query}`,
  ),
  '/plans/:id': Object.values(PLANS).map((id) => `/plans/${id}`),
  '/plans/:id/receipt': Object.values(PLANS).map((id) => `/plans/${id}/receipt`),
  '/rubrics': withQueries('limit=1', 'project=half', 'project=half&suite=darker', 'project=secret').map(
    (query) => `/rubrics${query}`,
  ),
  '/rubrics/:id': Object.values(RUBRICS).flatMap((id) => [`/rubrics/${id}`, `/rubrics/${id}?version=2`]),
  '/review-queues': withQueries(
    'limit=1',
    'project=half',
    'project=half&suite=darker',
    'project=secret',
    'state=open',
  ).map((query) => `/review-queues${query}`),
  '/review-queues/:id': Object.values(QUEUES).map((id) => `/review-queues/${id}`),
  '/review-queues/:id/items': Object.values(QUEUES).flatMap((id) =>
    ['', '?limit=1', '?state=open', '?verdict=pass', '?final=pass', '?differs=people'].map(
      (query) => `/review-queues/${id}/items${query}`,
    ),
  ),
  '/review-queues/:id/agreement': Object.values(QUEUES).map((id) => `/review-queues/${id}/agreement`),
  '/review-queues/:id/export/:format': Object.values(QUEUES).map((id) => `/review-queues/${id}/export/csv`),
  '/review/labels/:id/receipt': Object.values(QUEUES).map((id) => `/review/labels/${id}/receipt`),
  '/review/items/:item': Object.values(QUEUES).map((id) => `/review/items/${id}.1`),
  '/search': ['needle', 'clandestine', 'half', 'needle hay'].map((q) => `/search?q=${encodeURIComponent(q)}`),
  '/search/cases': [
    'q=needle',
    'q=needle&limit=1',
    'q=needle+hay',
    'q=clandestine',
    'q=common',
    'q=needle&project=half',
    'q=needle&project=secret',
    'q=needle&suite=s&status=fail',
  ].map((query) => `/search/cases?${query}`),
  '/run-changes': ['v6', 'h0,v7,v1,v6', 'h0'].map((runs) => `/run-changes?runs=${runs}`),
  '/search/comments': ['q=needle', 'q=clandestine&limit=1', 'q=needle&project=secret', 'q=needle&suite=s'].map(
    (query) => `/search/comments?${query}`,
  ),
  '/search/runs': [
    'q=needle',
    'q=needle&limit=1',
    'q=half',
    'q=clandestine',
    'q=half&project=half',
    'q=secret&project=secret',
    'q=needle&suite=s',
  ].map((query) => `/search/runs?${query}`),

  '/runs/:id/cases': ofRun('/cases', 'limit=1', 'sort=score&limit=1', 'sort=name&order=desc', 'q=hay'),
  '/runs/:id/cases.csv': ofRun('/cases.csv', 'sort=latency', 'q=hay'),
  '/runs/:id/case-rows': ofRun('/case-rows', 'sort=cost&offset=1', `around=${KEY}&limit=1`),
  '/runs/:id/cases/:case_key': ofRun(`/cases/${KEY}`),
  '/runs/:id/cases/:case_key/in-suite': ofRun(`/cases/${KEY}/in-suite`),
  '/runs/:id/evidence': ofRun('/evidence'),
  '/runs/:id/evidence/:n': [...ofRun('/evidence/1'), ...ofRun('/evidence/0')],
  '/runs/:id/parts/:sha256': ofRun(`/parts/${digestOf(PART)}`),
  '/runs/:id/transcripts/:sha256': ofRun(TRANSCRIPT),
  '/runs/:id/transcripts/:sha256/outline': ofRun(`${TRANSCRIPT}/outline`, 'types=text&limit=1', 'span=1'),
  '/runs/:id/transcripts/:sha256/events': ofRun(`${TRANSCRIPT}/events`, 'from=1&limit=1', 'message=0'),
  '/runs/:id/transcripts/:sha256/events/:n': ofRun(`${TRANSCRIPT}/events/1`),
  '/runs/:id/transcripts/:sha256/find': ofRun(`${TRANSCRIPT}/find`, 'q=judge'),
  '/runs/:id/cases/:case_key/parts': ofRun(`/cases/${KEY}/parts`),
  '/parts/:sha256/upload': [`/parts/${digestOf(PART)}/upload`],
  '/runs/:id/comments': ofRun('/comments', 'limit=1', `case=${KEY}`),
  '/runs/:id/case-fields': ofRun('/case-fields', 'by=provider', 'by=tag&status=fail'),
  '/runs/:id/matrix': ofRun('/matrix', 'limit=1'),
  '/runs/:id/matrix/rows': ofRun('/matrix/rows', 'sort=worst&limit=1', 'sort=name&only=disagree'),
  '/runs/:id/distribution/cases': ofRun('/distribution/cases', 'score_from=1'),
  '/runs/:id/export/:format': [
    ...ofRun('/export/csv', 'raw=true', 'bom=true'),
    ...['jsonl', 'junit', 'ctrf', 'every-eval-ever', 'parquet'].map((format) => `/runs/v6/export/${format}`),
  ],
  '/runs/:id/share.html': [
    ...ofRun('/share.html', 'without=outputs', 'with=comments'),
    '/runs/v6/share.html?compare=h0',
  ],
  '/runs/:id/receipt': [...ofRun('/receipt', 'cosigned=true'), ...ofRun('/receipt?evidence=1')],
  '/runs/:id/statistics': ofRun('/statistics', 'cluster_by=tag:n', 'k=1'),
  '/runs/:id/calibration': ofRun('/calibration', 'cluster_by=tag:n', 'target=case', 'as_of=1'),
  '/runs/:id/leaderboard': ofRun('/leaderboard', 'by=provider'),
  '/runs/:id/tests/:test_id': ofRun('/tests/greeting'),
  '/runs/:id/compare/:other/statistics': ofPair('/statistics', 'cluster_by=tag:n'),
  '/runs/:id/compare/:other/groups': ofPair('/groups', 'by=var.city'),
  '/runs/:id/compare/:other/calibration': ofPair('/calibration', 'target=case'),
  '/runs/:id/compare/:other/cases': ofPair('/cases', 'filter=all&limit=1', `case=${KEY}`),
  '/compare': ['v6,v7', 'v6,v7&filter=all&limit=1', 'v7,v6,v1', 'v6,h0', 'h0,v6'].map(
    (runs) => `/compare?runs=${runs}`,
  ),
  '/compare/outputs': ['v6,v7', 'v7,v6,v1', 'v6,h0', 'h0,v6'].map(
    (runs) => `/compare/outputs?test=greeting&runs=${runs}`,
  ),

  '/projects/:project/suites/:suite/badge.svg': ofSuite('/badge.svg', 'metric=score&label=x', 'branch=main'),
  '/projects/:project/suites/:suite/flakiness': ofSuite('/flakiness', 'window=2'),
  '/projects/:project/suites/:suite/grid': ofSuite(
    '/grid',
    'fold=trials&order=name&limit=1',
    'order=failing&q=a&measure=score',
    'fold=auto',
  ),
  '/projects/:project/suites/:suite/cases/:case_key/history': ofSuite(`/cases/${KEY}/history`),
  '/projects/:project/suites/:suite/cases/:case_key/timeline': ofSuite(`/cases/${KEY}/timeline`, 'limit=1'),

  '/cache/:key': [`/cache/${RESPONSE}`, `/cache/${NOTHING}`],
  '/cache/overview': ['/cache/overview', '/cache/overview?days=2'],
  '/cache/entries': ['/cache/entries', '/cache/entries?sort=size&limit=1'],
  '/cache/entries/:key': [`/cache/entries/${RESPONSE}`, `/cache/entries/${NOTHING}`],
  '/cache/entries/:key/runs': [`/cache/entries/${RESPONSE}/runs`, `/cache/entries/${RESPONSE}/runs?limit=1`],
  '/cache/entries/:key/eviction': [`/cache/entries/${RESPONSE}/eviction`, `/cache/entries/${NOTHING}/eviction`],
  '/cache/prune': ['/cache/prune?kind=none', '/cache/prune?target_bytes=0'],

  '/webhooks/:id/deliveries': ['/webhooks/nothing/deliveries'],
  '/users/:id/apikeys': ['/users/ben/apikeys'],
  '/access': withQueries('open=true', 'user_id=ben').map((query) => `/access${query}`),
  '/audit/:seq': ['/audit/1'],
  '/log/checkpoint': ['/log/checkpoint', '/log/checkpoint?cosigned=true'],
  '/log/checkpoints': ['/log/checkpoints', '/log/checkpoints?limit=1'],
  '/log/checkpoints/:size': ['/log/checkpoints/9', '/log/checkpoints/x'],
  '/log/tile/entries/*': ['/log/tile/entries/000', '/log/tile/entries/000.p/9', '/log/tile/entries/x'],
  '/log/tile/:level/*': ['/log/tile/0/000', '/log/tile/0/000.p/9', '/log/tile/1/000.p/1', '/log/tile/0/x'],
  '/log/proof/:index': ['/log/proof/0', '/log/proof/999999', '/log/proof/0?size=9'],
  '/log/consistency': ['/log/consistency?from=1&to=9', '/log/consistency?from=1&to=999999'],
  '/log/records/:seq/receipt': ['/log/records/1/receipt', '/log/records/999999/receipt'],
  '/holds': ['/holds', '/holds?standing=true'],
  '/holds/:id': ['/holds/nothing'],
}

const SHAPES = [
  ['/runs/:id/compare/:other', ofPair],
  ['/runs/:id', ofRun],
  ['/projects/:project/suites/:suite', ofSuite],
  ['', (path: string) => [path]],
] as const

/** The paths of a route without parameters of its own; none for a route that has some. */
const pathsOfRoute = (route: string): readonly string[] => {
  const [base, pathsOf] = SHAPES.find(([base]) => `${route}/`.startsWith(`${base}/`)) ?? SHAPES[3]
  const path = route.slice(base.length)
  return /[:*]/.test(path) ? [] : pathsOf(path)
}

const reads = Object.entries(RULES).flatMap(([name, rule]) => {
  const route = /^GET \/api\/v1(?!\/events\/|\/auth\/(?:oidc|saml)\/)(.+)/.exec(name)?.[1]
  return route === undefined ? [] : [{ route, rule }]
})

/** The paths of every read below /api/v1, by route. */
export const READ_PATHS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  reads.map(({ route }) => [route, OWN_PATHS[route] ?? pathsOfRoute(route)]),
)

/**
 * Reads that only callers who see everything get; a receipt also who uploaded the run or registered the plan, deliveries
 * only the owner of the webhook.
 */
export const READS_OF_ALL: readonly string[] = [
  ...reads.filter(({ rule: { seesAll, uploader } }) => seesAll !== undefined || uploader).map(({ route }) => route),
  // What the caller has sent itself, and no run names.
  '/parts/:sha256/upload',
  '/plans/:id/receipt',
  '/review/labels/:id/receipt',
  '/webhooks/:id/deliveries',
]
