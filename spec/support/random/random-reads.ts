import fc from 'fast-check'
import { EXPORT_FORMAT_NAMES } from '../../../domain/report/export-formats.ts'
import { caseKey } from '../../../domain/run/case-key.ts'
import { MATRIX_VALUES } from '../../../domain/run/matrix-values.ts'
import { MATRIX_SORTS } from '../../../domain/lists/matrix-order.ts'
import { CHANGE_FILTERS } from '../../../domain/lists/changes.ts'
import { COLUMNS_BY } from '../../../domain/lists/column.ts'
import {
  BRANCHES,
  cell,
  id,
  nameFrom,
  pathPart,
  pinned,
  holdId,
  planId,
  queueId,
  reviewItem,
  rubricId,
  project,
  PROJECTS,
  run,
  set,
  SUITES,
  userId,
  word,
} from './names.ts'
import { requestTo, withQuery, type RequestParts } from './request.ts'
import {
  cached,
  caseFilters,
  caseSort,
  csvFilters,
  direction,
  instant,
  limit,
  measureBounds,
  q,
  query,
  runFilters,
  runSort,
  sortedCases,
  sortedRuns,
  status,
} from './random-filters.ts'

const accountName = fc.constantFrom('a', 'AN', 'ann', 'd', 'é', 'e', 'E\u0301', 'x')

/** Every read of the service except those that report on one process, and those of hashes, which are random. */
export const READS: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
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
  fc
    .record({
      id,
      filters: query({
        status: caseFilters.status,
        q: caseFilters.q,
        by: fc.constantFrom('tag', 'provider', 'var.city', 'assert.contains', 'x'),
        field: fc.constantFrom('assert.contains=pass', 'var.city=x'),
      }),
    })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/case-fields', { id: drawn.id }), drawn.filters)),
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
  fc
    .record({ id, format: fc.constantFrom(...EXPORT_FORMAT_NAMES) })
    .map((drawn) => requestTo('GET', '/runs/:id/export/:format', drawn)),
  fc
    .record({ id, filters: query({ with: fc.constantFrom('comments', 'x') }) })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/share.html', { id: drawn.id }), drawn.filters)),
  id.map((run_id) => requestTo('GET', '/runs/:id/config', { id: run_id })),
  id.map((run_id) => requestTo('GET', '/runs/:id/annotations', { id: run_id })),
  id.map((run_id) => requestTo('GET', '/runs/:id/evidence', { id: run_id })),
  id.map((run_id) => requestTo('GET', '/runs/:id/evidence/:n', { id: run_id, n: '0' })),
  id.map((run_id) => requestTo('GET', '/runs/:id/parts/:sha256', { id: run_id, sha256: '0'.repeat(64) })),
  fc
    .record({ id, cell })
    .map(({ id: run_id, cell: drawnCell }) =>
      requestTo('GET', '/runs/:id/cases/:case_key/parts', { id: run_id, case_key: caseKey(drawnCell) }),
    ),
  fc
    .record({ id, rest: fc.constantFrom('', '/outline', '/events', '/find') })
    .map(({ id: run_id, rest }) =>
      requestTo('GET', `/runs/:id/transcripts/:sha256${rest}`, { id: run_id, sha256: '0'.repeat(64) }),
    ),
  id.map((run_id) =>
    requestTo('GET', '/runs/:id/transcripts/:sha256/events/:n', { id: run_id, sha256: '0'.repeat(64), n: '1' }),
  ),
  fc.constant(requestTo('GET', '/parts/:sha256/upload', { sha256: '0'.repeat(64) })),
  ...[1, 2].map(() => id.map((run_id) => requestTo('GET', '/runs/:id/comments', { id: run_id }))),
  fc.record({ id, cell, filters: query({ limit }) }).map(({ id: run_id, cell: drawnCell, filters }) =>
    withQuery(requestTo('GET', '/runs/:id/comments', { id: run_id }), {
      case: caseKey(drawnCell),
      ...filters,
    }),
  ),
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
        measure: fc.constantFrom('score', 'cost_usd', 'latency_ms', 'tokens'),
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
  pinned.map(({ project: p, suite: s }) =>
    requestTo('GET', '/projects/:project/suites/:suite/judges', {
      project: encodeURIComponent(p ?? 'none'),
      suite: encodeURIComponent(s ?? 'none'),
    }),
  ),
  pinned.map(({ project: p, suite: s }) =>
    requestTo('GET', '/projects/:project/suites/:suite/settings', {
      project: encodeURIComponent(p ?? 'none'),
      suite: encodeURIComponent(s ?? 'none'),
    }),
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
  query({ limit, project: nameFrom(PROJECTS), suite: nameFrom(SUITES), cursor: planId }).map((filters) =>
    withQuery(requestTo('GET', '/plans'), filters),
  ),
  ...[1, 2].map(() => planId.map((plan_id) => requestTo('GET', '/plans/:id', { id: plan_id }))),
  query({ limit, project: nameFrom(PROJECTS), suite: nameFrom(SUITES), cursor: rubricId }).map((filters) =>
    withQuery(requestTo('GET', '/rubrics'), filters),
  ),
  fc
    .record({ rubricId, version: fc.constantFrom('1', '2', '9', undefined) })
    .map(({ rubricId: rubric_id, version }) =>
      withQuery(requestTo('GET', '/rubrics/:id', { id: rubric_id }), { version }),
    ),
  query({ limit, project: nameFrom(PROJECTS), state: fc.constantFrom('open', 'closed') }).map((filters) =>
    withQuery(requestTo('GET', '/review-queues'), filters),
  ),
  queueId.map((queue) => requestTo('GET', '/review-queues/:id', { id: queue })),
  fc
    .record({
      queueId,
      filters: query({
        ...{ limit, state: fc.constantFrom('open', 'waiting', 'final', 'gone') },
        verdict: fc.constantFrom('pass', 'fail'),
        final: fc.constantFrom('pass', 'fail', 'cannot_tell'),
        differs: fc.constantFrom('people', 'judge'),
      }),
    })
    .map(({ queueId: queue, filters }) =>
      withQuery(requestTo('GET', '/review-queues/:id/items', { id: queue }), filters),
    ),
  fc.constantFrom('agreement', 'export/csv', 'export/jsonl').map((part) =>
    requestTo('GET', `/review-queues/:id/${part.replace(/csv|jsonl/, ':format')}`, {
      id: 'decided',
      format: part.slice('export/'.length),
    }),
  ),
  fc.constant(requestTo('GET', '/review/queues')),
  reviewItem.map((item) => requestTo('GET', '/review/items/:item', { item })),
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
const calibrationBy = query({
  metric: fc.constantFrom('llm-rubric', 'tone'),
  target: fc.constantFrom('case', 'metric'),
  cluster_by: fc.constantFrom('test', 'tag:n', 'var:n'),
  as_of: fc.constantFrom('1', '100'),
})
const key = cell.map(caseKey)

/** Reads of the statistics, of lists as files and of pages of the web app. */
export const MORE_READS: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
  query({ ...runFilters, sort: runSort, order: direction }).map((filters) =>
    withQuery(requestTo('GET', '/runs.csv'), filters),
  ),
  fc.constant(requestTo('GET', '/run-facets')),
  fc
    .uniqueArray(run, { minLength: 1, maxLength: 4 })
    .map((runs) => withQuery(requestTo('GET', '/run-changes'), { runs: runs.map(encodeURIComponent).join(',') })),
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
    .record({ id, filters: query({ by: fc.constantFrom(...COLUMNS_BY) }) })
    .map((drawn) => withQuery(requestTo('GET', '/runs/:id/leaderboard', { id: drawn.id }), drawn.filters)),
  fc
    .record({ id, filters: calibrationBy })
    .map(({ filters, ...names }) => withQuery(requestTo('GET', '/runs/:id/calibration', names), filters)),
  fc
    .record({ id, other: id, filters: calibrationBy })
    .map(({ filters, ...names }) =>
      withQuery(requestTo('GET', '/runs/:id/compare/:other/calibration', names), filters),
    ),
  fc
    .record({ id, other: id, filters: clusterBy })
    .map(({ filters, ...names }) => withQuery(requestTo('GET', '/runs/:id/compare/:other/statistics', names), filters)),
  fc
    .record({ id, other: id, filters: query({ limit, filter: fc.constantFrom(...CHANGE_FILTERS), case: key }) })
    .map(({ filters, ...names }) => withQuery(requestTo('GET', '/runs/:id/compare/:other/cases', names), filters)),
  fc
    .record({ id, other: id, filters: query({ by: fc.constantFrom('tag', 'var.n', 'none') }) })
    .map(({ filters, ...names }) => withQuery(requestTo('GET', '/runs/:id/compare/:other/groups', names), filters)),
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
    .record({ q, filters: query({ limit, project: nameFrom(PROJECTS), suite: nameFrom(SUITES) }) })
    .map(({ q: searchText, filters }) => withQuery(requestTo('GET', '/search/runs'), { q: searchText, ...filters })),
  fc
    .record({ q, filters: query({ limit, project: nameFrom(PROJECTS), suite: nameFrom(SUITES) }) })
    .map(({ q: searchText, filters }) =>
      withQuery(requestTo('GET', '/search/comments'), { q: searchText, ...filters }),
    ),
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
export const READS_OF_ADMINS: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
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
  query({ limit, standing: fc.constantFrom('true', 'false') }).map((filters) =>
    withQuery(requestTo('GET', '/holds'), filters),
  ),
  holdId.map((hold_id) => requestTo('GET', '/holds/:id', { id: hold_id })),
  fc.constant(requestTo('GET', '/users')),
  fc.constant(requestTo('GET', '/users/overview')),
  fc.constant(requestTo('GET', '/links')),
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
