import fc from 'fast-check'
import { caseKey } from '../../../domain/run/case-key.ts'
import {
  cell,
  commentId,
  holdId,
  id,
  keyId,
  level,
  optional,
  pathPart,
  pinned,
  planId,
  reviewItem,
  rubricId,
  project,
  set,
  userId,
  viewId,
  word,
} from './names.ts'
import { EVERY_QUESTION, RUBRIC_FIELDS } from '../documents/rubrics.ts'
import { requestTo, withQuery, type RequestParts } from './request.ts'
import { document, REAL } from './random-documents.ts'

export const INGESTS = fc.oneof(
  { weight: 8, arbitrary: document.map((body) => requestTo('POST', '/runs', {}, body)) },
  { weight: 1, arbitrary: fc.constantFrom(...REAL).map((body) => requestTo('POST', '/runs', {}, body)) },
  {
    weight: 1,
    arbitrary: fc
      .record({ body: document, planId })
      .map(({ body, planId: plan }) => withQuery(requestTo('POST', '/runs', {}, body), { plan })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('{', '[]', '{"schema_version":9}', '')
      .map((body) => requestTo('POST', '/runs', {}, body)),
  },
)

export const CHANGES: ReadonlyArray<fc.Arbitrary<RequestParts>> = [
  id.map((run_id) => requestTo('DELETE', '/runs/:id', { id: run_id })),
  fc
    .record({
      set,
      owner: optional(fc.constantFrom(null, 'Team Walrus')),
      snooze: optional(fc.constantFrom(null, { until_new_run: true }, { until: '2999-01-01T00:00:00Z', why: 'away' })),
      archive: optional(fc.constantFrom(null, {}, { why: 'old' })),
    })
    .map(({ set: { p, s }, ...body }) =>
      requestTo('PATCH', '/projects/:project/suites/:suite/settings', { project: p, suite: s }, body),
    ),
  fc
    .record({ set, metric: fc.constantFrom('exec', 'similar', 'sql'), is_judge: fc.boolean() })
    .map(({ set: { p, s }, ...body }) =>
      requestTo('POST', '/projects/:project/suites/:suite/judges/declare', { project: p, suite: s }, body),
    ),
  // Drawn twice as often, so that runs change several times.
  ...[1, 2].map(() =>
    fc
      .record({
        run_id: id,
        title: optional(fc.constantFrom(null, 'Second try')),
        note: optional(fc.oneof(fc.constant(null), word)),
        add_tags: optional(fc.constantFrom(['smoke'], ['flaky', 'smoke'])),
        remove_tags: optional(fc.constant(['smoke'])),
      })
      .map(({ run_id, ...body }) => requestTo('PATCH', '/runs/:id/annotations', { id: run_id }, body)),
  ),
  // Drawn three times as often, so that runs have several.
  ...[1, 2, 3].map(() =>
    fc
      .record({
        run_id: id,
        text: fc.oneof(word, fc.constant('One\r\ntwo <b>three</b>')),
        case_key: optional(cell.map(caseKey)),
      })
      .map(({ run_id, ...body }) => requestTo('POST', '/runs/:id/comments', { id: run_id }, body)),
  ),
  fc
    .record({ id, commentId })
    .map((drawn) =>
      requestTo('DELETE', '/runs/:id/comments/:comment_id', { id: drawn.id, comment_id: drawn.commentId }),
    ),
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
    // Some are limited to a project or a suite. What decides it is drawn already, so no other request changes.
    .map(({ name, ...body }) => ({ name, ...body, ...(body.scope === 'read' ? { project: 'chat' } : {}) }))
    .map((body) => ({ ...body, ...('project' in body && body.name !== undefined ? { suite: 'smoke' } : {}) }))
    .map((body) => requestTo('POST', '/apikeys', {}, body)),
  keyId.map((key_id) => requestTo('DELETE', '/apikeys/:id', { id: key_id })),
  fc
    .record({ name: fc.constantFrom('Failing', 'failing', 'é', 'All'), path: fc.constantFrom('/runs', '/projects') })
    .map((body) => requestTo('POST', '/views', {}, body)),
  fc
    .record({ viewId, pinned: optional(fc.boolean()), position: optional(fc.constantFrom(0.5, 2)) })
    .map(({ viewId: view_id, ...body }) => requestTo('PATCH', '/views/:id', { id: view_id }, body)),
  // Drawn three times as often: many are refused, and others need a plan.
  ...[1, 2, 3].map(() =>
    fc
      .record({
        place: pinned,
        text: optional(word),
        config_digest: optional(fc.constantFrom('', 'sha256:c', 'sha256:c')),
        case_count: optional(fc.constantFrom(0, 1, 2)),
        bar: optional(fc.constantFrom({ metric: 'pass_rate', comparator: '>=', threshold: 0.5 }, { threshold: 0.5 })),
      })
      .map(({ place: { project: p, suite: s }, bar, ...body }) =>
        requestTo('POST', '/plans', {}, { project: p, suite: s, ...body, ...bar }),
      ),
  ),
  fc
    .record({
      scope: fc.oneof(
        id.map((run_id) => ({ run_id })),
        fc.record({ project, suite: optional(fc.constantFrom('smoke', 'nightly')) }),
      ),
      reference: fc.constantFrom('case-1', 'case-2', 'not a reference'),
    })
    .map(({ scope, reference }) => requestTo('POST', '/holds', {}, { ...scope, reference })),
  // Drawn twice as often, so that what is held becomes free again.
  ...[1, 2].map(() =>
    holdId.map((hold_id) => requestTo('POST', '/holds/:id/lift', { id: hold_id }, { reference: 'case-1' })),
  ),
  planId.map((plan_id) => requestTo('POST', '/plans/:id/reveal', { id: plan_id }, { text: 'hello' })),
  planId.map((plan_id) => requestTo('POST', '/plans/:id/withdraw', { id: plan_id })),
  fc
    .record({ place: pinned, name: fc.constantFrom('Right', ''), valid_days: optional(fc.constantFrom(1, 365)) })
    .map(({ place: { project: p, suite: s }, ...body }) =>
      requestTo('POST', '/rubrics', {}, { ...RUBRIC_FIELDS, project: p, suite: s, ...body }),
    ),
  fc
    .record({
      rubricId,
      change: fc.constantFrom('wording', 'meaning'),
      questions: optional(fc.constant(EVERY_QUESTION)),
    })
    .map(({ rubricId: rubric_id, questions = RUBRIC_FIELDS.questions, change }) =>
      requestTo('POST', '/rubrics/:id/versions', { id: rubric_id }, { ...RUBRIC_FIELDS, questions, change }),
    ),
  fc
    .record({
      reviewItem,
      label_id: fc.constantFrom(...Array.from({ length: 9 }, (_, n) => `01J0000000000000000000000${n}`)),
      right: fc.constantFrom('pass', 'fail', null, 'maybe'),
    })
    .map(({ reviewItem: item, label_id, right }) =>
      requestTo('POST', '/review/items/:item/labels', { item }, { label_id, answers: { right }, seconds: 3 }),
    ),
  fc
    .record({ reviewItem, reason: fc.constantFrom('conflict', 'tired') })
    .map(({ reviewItem: item, reason }) => requestTo('POST', '/review/items/:item/decline', { item }, { reason })),
  rubricId.map((rubric_id) => requestTo('POST', '/rubrics/:id/retire', { id: rubric_id })),
  viewId.map((view_id) => requestTo('DELETE', '/views/:id', { id: view_id })),
]
