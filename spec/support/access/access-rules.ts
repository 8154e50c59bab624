import type { Scope } from '../../../queries/access/viewer.ts'
import type { Level } from '../../../queries/access/levels.ts'
import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { aCase, aDocument, type ADocument } from '../documents/documents.ts'
import { digestOf } from '../documents/parts.ts'
import { MANIFEST_DIGEST, PART } from './run-evidence.ts'

/** A restricted project, and the one suite of its runs. */
export const HIDDEN = { project: 'secret', suite: 'vault' } as const

/** The id of a plan of the hidden suite. */
export const HIDDEN_PLAN = 'hidden plan'

/** The id of a review queue of the hidden suite. */
export const HIDDEN_QUEUE = 'hidden queue'

/** The id of a rubric of the hidden suite. */
export const HIDDEN_RUBRIC = 'hidden rubric'

const OF_SUITE = `project=${HIDDEN.project}&suite=${HIDDEN.suite}`

/** The cache key of the hidden run's case. */
const CACHE_KEY = cacheKeyOf('hidden')

/** Returns a run of the hidden suite. Its output is a unique word, by which a search can find it. */
export const hiddenRun = (run_id: string): ADocument =>
  aDocument({ run_id, ...HIDDEN, cases: [aCase({ output: 'clandestine', cache_key: CACHE_KEY })] })
/** A run that everyone may see. */
export const OPEN_RUN = aDocument({ run_id: 'seen', project: 'open' })

/** Returns names that only one caller uses, so that its requests create, change and delete only its own things. */
export const ownNames = (n: string) => ({
  fresh: `fresh-${n}`,
  doomed: `doomed-${n}`,
  spare: `spare-${n}`,
  made: `made-${n}`,
  scratch: `scratch-${n}`,
})
export type OwnNames = ReturnType<typeof ownNames>

/** Another account, and the id of its key. */
export const BYSTANDER = { user_id: 'bystander', key_id: 'key of bystander' } as const

export type Rule = {
  /**
   * The scope that the route needs in closed mode. null means that it is open to everyone; `any` means any credential,
   * in every mode.
   */
  readonly scope: Scope | 'any' | null
  /** The status of the response when all checks pass. If it is an error response, `error` is its text. */
  readonly status: number
  readonly error?: string
  /** The level needed on the hidden project or suite, and the error for a lower level. */
  readonly level?: Level
  readonly refused?: readonly [status: 403 | 404, error: string]
  /** What callers get who do not see the hidden set at all, if it is not that error. */
  readonly unseen?: readonly [status: 404, error: string]
  /** A text in the response to callers who may see the hidden set. */
  readonly shows?: string
  /** Whatever is refused for want of access is a 404 with the same image. */
  readonly isImage?: true
  /** Pages of other sites post to it, or those without a cookie. */
  readonly isForOtherSites?: true | 'without a cookie'
  /** Of those who see the run, only its uploader and callers who see everything pass. */
  readonly uploader?: true
  /** The account that the route needs: any account, one with a session, or the owner of the key (or an admin). */
  readonly account?: 'any' | 'session' | 'owner'
  /** The scope that its command needs, in open mode too, and what others get. */
  readonly decides?: { readonly scope: Scope; readonly error: string }
  /** What callers without an account get, if it is not that one is required. */
  readonly noAccount?: string
  /** The response can name hidden sets, so the route is only for admins, in every mode. */
  readonly seesAll?:
    | 'the audit trail'
    | 'this read'
    | 'an erasure'
    | 'a legal hold'
    | 'a key of another account'
    | 'a link for an account'
    | 'a load of samples'
    | 'a removal of samples'
  readonly names?: (own: OwnNames) => Readonly<Record<string, string>>
  readonly query?: string
  /** Further queries whose response has the same status and error. */
  readonly alike?: readonly string[]
  readonly body?: (own: OwnNames) => unknown
  /** JSON of the wrong shape. */
  readonly wrongBody?: unknown
  /** The status of such a body, if it is not 422, and of an unknown parameter, if it is not 400. */
  readonly wrongStatus?: number
}

const NO_RUN = [404, 'run not found'] as const
const NO_CASE = [404, 'case not found'] as const
const NO_PLAN = [404, 'plan not found'] as const
const NO_RUBRIC = [404, 'rubric not found'] as const
const NO_QUEUE = [404, 'review queue not found'] as const
const NO_SET = [404, 'run set not found'] as const
const NO_UPLOAD = [403, 'this run set is restricted; you need an upload grant on it'] as const

const runRule = { scope: 'read', status: 200, level: 'view', refused: NO_RUN } as const
/** A digest that no part has. */
const A_DIGEST = '0'.repeat(64)
const partRule = { ...runRule, names: () => ({ sha256: digestOf(PART) }) } as const
const noUploadRule = {
  scope: 'write',
  status: 404,
  error: 'upload not found',
  names: () => ({ sha256: A_DIGEST }),
} as const
const setRule = { scope: 'read', status: 200, level: 'view', refused: NO_SET } as const
const planChangeRule = {
  scope: 'write',
  status: 404,
  error: 'plan not found',
  names: () => ({ id: 'nothing' }),
} as const
/** What a rubric of these requests says. */
const A_RUBRIC = {
  name: 'Right answers',
  text: 'clandestine',
  questions: [{ key: 'right', kind: 'verdict', label: 'Is it right?', deciding: true }],
} as const
const rubricChangeRule = {
  scope: 'write',
  status: 404,
  error: 'rubric not found',
  names: () => ({ id: 'nothing' }),
} as const
const queueChangeRule = {
  scope: 'write',
  status: 404,
  error: 'review queue not found',
  names: () => ({ id: 'nothing' }),
} as const
const queueRule = {
  scope: 'read',
  status: 200,
  level: 'view',
  refused: NO_QUEUE,
  names: () => ({ id: HIDDEN_QUEUE }),
} as const
/** What reviewers see and say: spec/http/routes/reviews/labels.spec.ts. */
const reviewRule = {
  scope: 'review',
  status: 404,
  error: 'review item not found',
  account: 'any',
  noAccount: 'labels need an account',
  names: () => ({ item: 'nothing.1', id: 'nothing' }),
} as const
const A_LABEL = { label_id: '01J00000000000000000000009', answers: { right: 'pass' }, seconds: 1 } as const
const listRule = { scope: 'read', status: 200 } as const
const ssoRule = {
  scope: null,
  status: 404,
  error: 'sso provider not found',
  names: () => ({ provider: 'corp' }),
} as const
const unknownWebhookRule = {
  scope: 'write',
  status: 404,
  error: 'webhook not found',
  account: 'any',
  names: () => ({ id: 'nothing' }),
} as const
// Links that can be used, and those that cannot: spec/http/routes/account/links.spec.ts. Each look-up in vain counts as an attempt.
const linkSecretRule = { scope: null, status: 422, body: () => ({ secret: 1 }) } as const
const openRule = { scope: null, status: 200 } as const
const adminRule = { scope: 'admin', status: 200 } as const
const linkRule = { ...adminRule, seesAll: 'a link for an account' } as const
const madeLinkRule = {
  ...linkRule,
  status: 201,
  account: 'any',
  decides: { scope: 'admin', error: 'only an admin makes links for accounts' },
} as const
const logRule = { ...adminRule, seesAll: 'this read' } as const
const needsManage = { level: 'manage', refused: NO_SET } as const
const accountsRule = { scope: 'write', status: 200, query: 'name=a', ...needsManage } as const
const grantRule = {
  scope: 'write',
  status: 204,
  ...needsManage,
  names: () => ({ user_id: BYSTANDER.user_id }),
  body: () => ({ level: 'view' }),
} as const
const revokeRule = {
  scope: 'write',
  status: 204,
  ...needsManage,
  names: () => ({ user_id: BYSTANDER.user_id }),
} as const
const ownEntry = ({ made }: OwnNames) => ({ key: cacheKeyOf(made) })
const restrictRule = { scope: 'admin', status: 204, names: ({ scratch }: OwnNames) => ({ project: scratch }) } as const

/**
 * Every route of the service. A caller can send all requests in this order, because a later request deletes what an
 * earlier one created.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  'GET /health': openRule,
  'GET /api/v1/health': openRule,
  'GET /api/v1/ready': openRule,
  ...Object.fromEntries(['/healthz', '/livez', '/readyz', '/ready'].map((path) => [`GET ${path}`, openRule])),
  'GET /api/v1/meta': openRule,
  'GET /api/v1/openapi.json': openRule,
  'GET /api/v1/schemas/run-document': openRule,
  'GET /metrics': adminRule,

  'GET /api/v1/auth/me': openRule,
  'POST /api/v1/auth/setup': {
    scope: null,
    status: 409,
    error: 'setup is already completed',
    body: ({ made }) => ({ username: made, password: 'long enough' }),
  },
  // Other specs cover sign-in. This rule only says that the route is open to everyone.
  'POST /api/v1/auth/login': { scope: null, status: 422, body: () => ({ username: 'nobody' }) },

  'POST /api/v1/auth/invite': linkSecretRule,
  'POST /api/v1/auth/invite/accept': linkSecretRule,
  'POST /api/v1/auth/reset': linkSecretRule,
  'POST /api/v1/auth/reset/password': linkSecretRule,

  // No identity provider is configured: other specs cover sign-ins through one. These rules say that the routes are open
  // to everyone, and that two of them accept the parameters that a provider adds.
  'GET /api/v1/auth/oidc/:provider/start': ssoRule,
  'GET /api/v1/auth/oidc/:provider/callback': { ...ssoRule, wrongStatus: 404 },
  'GET /api/v1/auth/saml/:provider/start': ssoRule,
  'POST /api/v1/auth/saml/:provider/acs': { ...ssoRule, wrongStatus: 404, isForOtherSites: true },
  'GET /api/v1/auth/saml/:provider/metadata': ssoRule,

  // Only calling tools needs a scope, and that refusal is a message of the protocol: `spec/http/mcp/access.sqlite.spec.ts`.
  'POST /api/v1/mcp': {
    isForOtherSites: 'without a cookie',
    scope: null,
    status: 200,
    body: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    wrongStatus: 400,
  },
  'OPTIONS /api/v1/mcp': { scope: null, status: 204 },

  'GET /api/v1/runs': { ...listRule, query: 'limit=5', shows: '"vault"' },
  'POST /api/v1/import': {
    scope: 'write',
    status: 400,
    error: 'Content-Type "application/json" is not application/octet-stream or multipart/form-data',
    body: () => ({}),
    wrongStatus: 400,
  },
  'GET /api/v1/run-facets': { ...listRule, shows: '"vault"' },
  'GET /api/v1/run-changes': { ...listRule, query: 'runs=hidden,seen', shows: '"hidden"' },
  'GET /api/v1/runs.csv': { ...listRule, shows: 'vault' },
  'GET /api/v1/search': { ...listRule, query: 'q=clandestine&limit=5', shows: '"vault"' },
  'GET /api/v1/search/runs': { ...listRule, query: 'q=vault', shows: '"vault"' },
  'GET /api/v1/search/cases': { ...listRule, query: 'q=clandestine', shows: '"vault"' },
  // Comments on runs of a hidden suite: spec/queries/search/comment-search.spec.ts.
  'GET /api/v1/search/comments': { ...listRule, query: 'q=clandestine' },
  'GET /api/v1/projects': { ...listRule, shows: '"secret"' },
  'GET /api/v1/projects/:project/suites': { ...listRule, shows: '"vault"' },
  'GET /api/v1/overview': { ...listRule, shows: '"vault"' },
  'GET /api/v1/sets': { ...listRule, shows: '"secret"' },
  'GET /api/v1/sets/:project': setRule,
  'GET /api/v1/sets/:project/suites/:suite': setRule,
  'GET /api/v1/projects/:project/suites/:suite/cases/:case_key/history': { ...setRule, refused: NO_CASE },
  'GET /api/v1/projects/:project/suites/:suite/cases/:case_key/timeline': { ...setRule, refused: NO_CASE },
  'GET /api/v1/projects/:project/suites/:suite/grid': setRule,
  'GET /api/v1/projects/:project/suites/:suite/flakiness': setRule,
  'GET /api/v1/projects/:project/suites/:suite/badge.svg': { ...setRule, isImage: true },
  'GET /api/v1/runs/:id': runRule,
  'GET /api/v1/runs/:id/cases': runRule,
  'GET /api/v1/runs/:id/cases/:case_key': { ...runRule, refused: NO_CASE },
  'GET /api/v1/runs/:id/cases/:case_key/in-suite': { ...runRule, refused: NO_CASE },
  'GET /api/v1/runs/:id/cases.csv': runRule,
  'GET /api/v1/runs/:id/case-rows': runRule,
  'GET /api/v1/runs/:id/previous': runRule,
  'GET /api/v1/runs/:id/case-fields': runRule,
  'GET /api/v1/runs/:id/matrix': runRule,
  'GET /api/v1/runs/:id/matrix/rows': runRule,
  'GET /api/v1/runs/:id/in-suite': runRule,
  'GET /api/v1/runs/:id/distribution': runRule,
  'GET /api/v1/runs/:id/distribution/cases': runRule,
  'GET /api/v1/runs/:id/export': runRule,
  'GET /api/v1/runs/:id/annotations': runRule,
  'GET /api/v1/runs/:id/comments': runRule,
  'GET /api/v1/runs/:id/evidence': runRule,
  'GET /api/v1/runs/:id/cases/:case_key/parts': runRule,
  'GET /api/v1/runs/:id/evidence/:n': { ...runRule, names: () => ({ n: '1' }) },
  'GET /api/v1/runs/:id/parts/:sha256': partRule,
  'GET /api/v1/runs/:id/transcripts/:sha256': partRule,
  'GET /api/v1/runs/:id/transcripts/:sha256/outline': partRule,
  'GET /api/v1/runs/:id/transcripts/:sha256/events': partRule,
  'GET /api/v1/runs/:id/transcripts/:sha256/events/:n': {
    ...runRule,
    names: () => ({ sha256: digestOf(PART), n: '1' }),
  },
  'GET /api/v1/runs/:id/transcripts/:sha256/find': { ...partRule, query: 'q=judge' },
  // The run has it already.
  'POST /api/v1/runs/:id/evidence': {
    scope: 'write',
    status: 200,
    level: 'upload',
    refused: NO_UPLOAD,
    unseen: NO_RUN,
    body: () => ({ manifest: MANIFEST_DIGEST }),
    wrongBody: { manifest: 1 },
  },
  'PUT /api/v1/parts/:sha256': {
    scope: 'write',
    status: 400,
    error: 'Content-Type must be application/octet-stream',
    names: () => ({ sha256: A_DIGEST }),
  },
  'POST /api/v1/parts': {
    scope: 'write',
    status: 400,
    error: 'Content-Type must be multipart/form-data with a boundary',
  },
  'GET /api/v1/parts/:sha256/upload': noUploadRule,
  'DELETE /api/v1/parts/:sha256/upload': noUploadRule,
  'POST /api/v1/parts/missing': {
    scope: 'write',
    status: 200,
    body: () => ({ sha256: [A_DIGEST] }),
    wrongBody: { sha256: 1 },
  },
  'GET /api/v1/runs/:id/export/:format': { ...runRule, names: () => ({ format: 'csv' }) },
  'GET /api/v1/runs/:id/share.html': runRule,
  'GET /api/v1/runs/:id/config': runRule,
  'GET /api/v1/runs/:id/receipt': { ...runRule, uploader: true, alike: ['evidence=1'] },
  'GET /api/v1/runs/:id/compare/:other': runRule,
  'GET /api/v1/runs/:id/statistics': runRule,
  'GET /api/v1/runs/:id/calibration': runRule,
  'GET /api/v1/runs/:id/leaderboard': runRule,
  'GET /api/v1/runs/:id/tests/:test_id': { ...runRule, names: () => ({ test_id: aCase().cell.test_id }) },
  'GET /api/v1/compare': { ...runRule, query: 'runs=hidden,seen' },
  'GET /api/v1/compare/outputs': { ...runRule, query: 'runs=hidden,seen&test=greeting' },
  'GET /api/v1/runs/:id/compare/:other/statistics': runRule,
  'GET /api/v1/runs/:id/compare/:other/calibration': runRule,
  'GET /api/v1/runs/:id/compare/:other/cases': runRule,
  'GET /api/v1/runs/:id/compare/:other/groups': runRule,
  'GET /api/v1/runs/:id/compare/:other/config': runRule,
  'GET /api/v1/runs/:id/compare/:other/nearest': runRule,
  'GET /api/v1/projects/:project/suites/:suite/trend': setRule,
  'GET /api/v1/projects/:project/suites/:suite/settings': setRule,
  'GET /api/v1/projects/:project/suites/:suite/judges': setRule,

  'POST /api/v1/runs': {
    scope: 'write',
    status: 201,
    level: 'upload',
    refused: NO_UPLOAD,
    body: ({ fresh }) => hiddenRun(fresh),
    wrongBody: { schema_version: 9 },
  },
  'DELETE /api/v1/runs/:id': {
    scope: 'admin',
    status: 204,
    level: 'view',
    refused: NO_RUN,
    names: ({ doomed }) => ({ id: doomed }),
  },
  // A change of a hidden suite: spec/http/routes/suites/settings.spec.ts.
  'PATCH /api/v1/projects/:project/suites/:suite/settings': {
    scope: 'write',
    status: 404,
    error: 'run set not found',
    names: () => ({ suite: 'nothing' }),
    body: () => ({ owner: 'clandestine' }),
    wrongBody: { owner: 1 },
  },
  // A judge of a hidden suite: spec/http/routes/suites/judges.spec.ts.
  'POST /api/v1/projects/:project/suites/:suite/judges/declare': {
    scope: 'write',
    status: 404,
    error: 'run set not found',
    names: () => ({ suite: 'nothing' }),
    body: () => ({ metric: 'clandestine', is_judge: true }),
    wrongBody: { metric: 1 },
  },
  // A change of a run of a hidden suite: spec/http/routes/annotations.spec.ts.
  'PATCH /api/v1/runs/:id/annotations': {
    scope: 'write',
    status: 404,
    error: 'run not found',
    names: () => ({ id: 'nothing' }),
    body: () => ({ note: 'clandestine' }),
    wrongBody: { note: 1 },
  },
  // Comments on a run of a hidden suite, and their deletion: spec/http/routes/comments.spec.ts.
  'POST /api/v1/runs/:id/comments': {
    scope: 'write',
    status: 404,
    error: 'run not found',
    names: () => ({ id: 'nothing' }),
    body: () => ({ text: 'clandestine' }),
    wrongBody: { text: 1 },
  },
  'DELETE /api/v1/runs/:id/comments/:comment_id': {
    scope: 'write',
    status: 404,
    error: 'run not found',
    names: () => ({ id: 'nothing', comment_id: 'nothing' }),
  },
  'DELETE /api/v1/runs': { scope: 'admin', status: 404, error: 'run not found', query: 'run_id=..' },
  'PUT /api/v1/projects/:project/suites/:suite/baseline': {
    scope: 'write',
    status: 200,
    level: 'upload',
    refused: NO_UPLOAD,
    body: () => ({ run_id: 'hidden' }),
  },
  'DELETE /api/v1/projects/:project/suites/:suite/baseline': {
    scope: 'write',
    status: 204,
    level: 'upload',
    refused: NO_UPLOAD,
  },

  'POST /api/v1/projects/:project/suites/:suite/badge': { scope: 'write', status: 201, ...needsManage },
  'DELETE /api/v1/projects/:project/suites/:suite/badge': { scope: 'write', status: 204, ...needsManage },

  'DELETE /api/v1/baselines': {
    scope: 'write',
    status: 404,
    error: 'baseline not found',
    level: 'upload',
    refused: NO_UPLOAD,
    query: OF_SUITE,
  },

  'GET /api/v1/plans': { ...listRule, query: OF_SUITE, shows: '"vault"' },
  'POST /api/v1/plans': {
    scope: 'write',
    status: 201,
    level: 'upload',
    refused: NO_UPLOAD,
    body: () => ({ ...HIDDEN, text: 'clandestine' }),
  },
  'GET /api/v1/plans/:id': {
    scope: 'read',
    status: 200,
    level: 'view',
    refused: NO_PLAN,
    names: () => ({ id: HIDDEN_PLAN }),
    shows: 'clandestine',
  },
  'GET /api/v1/plans/:id/receipt': {
    scope: 'read',
    status: 404,
    error: 'plan not found',
    names: () => ({ id: 'nothing' }),
  },
  // Receipts and changes of a hidden plan: spec/http/routes/suites/plans.sqlite.spec.ts.
  'POST /api/v1/plans/:id/reveal': { ...planChangeRule, body: () => ({ text: 'clandestine' }) },
  'POST /api/v1/plans/:id/withdraw': planChangeRule,

  'GET /api/v1/review-queues': { ...listRule, query: OF_SUITE, shows: '"vault"' },
  'POST /api/v1/review-queues': {
    scope: 'write',
    status: 404,
    error: 'rubric not found',
    body: () => ({
      ...HIDDEN,
      rubric_id: 'nothing',
      target: 'case',
      reviewers: ['bystander', 'root'],
      selection: { kind: 'random', runs: ['hidden'], count: 1 },
    }),
  },
  'POST /api/v1/review-queues/import': {
    scope: 'write',
    status: 404,
    error: 'rubric not found',
    query: 'from=csv&rubric_id=nothing&run_id=hidden',
  },
  'GET /api/v1/review-queues/:id': { ...queueRule, shows: '"vault"' },
  'GET /api/v1/review-queues/:id/items': { ...queueRule, shows: '"hidden"' },
  'POST /api/v1/review-queues/:id/people': { ...queueChangeRule, body: () => ({ remove: [] }) },
  'POST /api/v1/review-queues/:id/close': queueChangeRule,
  'GET /api/v1/review-queues/:id/agreement': { ...queueRule, status: 409, error: 'still open' },
  'GET /api/v1/review-queues/:id/export/:format': {
    ...queueRule,
    status: 409,
    error: 'still open',
    names: () => ({ id: HIDDEN_QUEUE, format: 'csv' }),
  },
  'GET /api/v1/review/labels/:id/receipt': { ...reviewRule, error: 'label not found' },
  'GET /api/v1/review/queues': {
    scope: 'review',
    status: 200,
    account: 'any',
    noAccount: 'labels need an account',
  },
  'POST /api/v1/review/next': {
    ...reviewRule,
    error: 'review queue not found',
    body: () => ({ queue_id: HIDDEN_QUEUE }),
  },
  'GET /api/v1/review/items/:item': reviewRule,
  'POST /api/v1/review/items/:item/labels': { ...reviewRule, body: () => A_LABEL },
  'POST /api/v1/review/items/:item/adjudicate': { ...reviewRule, body: () => A_LABEL },
  'POST /api/v1/review/items/:item/decline': { ...reviewRule, body: () => ({ reason: 'conflict' }) },
  'POST /api/v1/review/labels/:id/withdraw': {
    ...reviewRule,
    error: 'label not found',
    body: () => ({ reason: 'mistake' }),
  },

  'GET /api/v1/rubrics': { ...listRule, query: OF_SUITE, shows: '"vault"' },
  'POST /api/v1/rubrics': {
    scope: 'write',
    status: 201,
    level: 'upload',
    refused: NO_UPLOAD,
    body: () => ({ ...HIDDEN, ...A_RUBRIC }),
  },
  'GET /api/v1/rubrics/:id': {
    scope: 'read',
    status: 200,
    level: 'view',
    refused: NO_RUBRIC,
    names: () => ({ id: HIDDEN_RUBRIC }),
    shows: 'clandestine',
  },
  // Changes of a hidden rubric: spec/http/routes/reviews/rubrics.spec.ts.
  'POST /api/v1/rubrics/:id/versions': { ...rubricChangeRule, body: () => ({ ...A_RUBRIC, change: 'meaning' }) },
  'POST /api/v1/rubrics/:id/retire': rubricChangeRule,

  'GET /api/v1/sets/:project/access': { ...listRule, ...needsManage },
  'GET /api/v1/sets/:project/suites/:suite/access': { ...listRule, ...needsManage },
  'GET /api/v1/sets/:project/accounts': accountsRule,
  'GET /api/v1/sets/:project/suites/:suite/accounts': accountsRule,
  'PUT /api/v1/sets/:project/restriction': restrictRule,
  'DELETE /api/v1/sets/:project/restriction': restrictRule,
  'PUT /api/v1/sets/:project/suites/:suite/restriction': restrictRule,
  'DELETE /api/v1/sets/:project/suites/:suite/restriction': restrictRule,
  'PUT /api/v1/sets/:project/grants/:user_id': grantRule,
  'DELETE /api/v1/sets/:project/grants/:user_id': revokeRule,
  'PUT /api/v1/sets/:project/suites/:suite/grants/:user_id': grantRule,
  'DELETE /api/v1/sets/:project/suites/:suite/grants/:user_id': revokeRule,

  'GET /api/v1/access': { ...adminRule, seesAll: 'this read', query: 'open=true', shows: '"vault"' },
  'DELETE /api/v1/restrictions': { scope: 'admin', status: 404, error: 'restriction not found', query: 'project=..' },
  'DELETE /api/v1/grants': {
    scope: 'write',
    status: 404,
    error: 'grant not found',
    ...needsManage,
    query: `${OF_SUITE}&user_id=nobody`,
  },

  // Each caller puts an entry of its own, and deletes it with a later request.
  'PUT /api/v1/cache/:key': { scope: 'write', status: 201, names: ownEntry },
  'GET /api/v1/cache/:key': {
    scope: 'read',
    status: 404,
    error: 'cache entry not found',
    names: () => ({ key: cacheKeyOf('nothing') }),
  },
  'GET /api/v1/cache/stats': listRule,
  'GET /api/v1/cache/entries': { ...adminRule, query: 'limit=1' },
  'GET /api/v1/cache/facets': adminRule,
  'GET /api/v1/cache/entries/:key': {
    scope: 'read',
    status: 404,
    error: 'cache entry not found',
    names: () => ({ key: cacheKeyOf('nothing') }),
  },
  'GET /api/v1/cache/entries/:key/runs': { ...listRule, names: () => ({ key: CACHE_KEY }), shows: '"vault"' },
  'DELETE /api/v1/cache/entries/:key': { scope: 'admin', status: 204, names: ownEntry },
  'GET /api/v1/cache/prune': { ...adminRule, query: 'kind=none' },
  'GET /api/v1/cache/overview': listRule,
  'GET /api/v1/cache/entries/:key/eviction': {
    ...adminRule,
    status: 404,
    error: 'cache entry not found',
    names: () => ({ key: cacheKeyOf('nothing') }),
  },
  'POST /api/v1/cache/prune': { ...adminRule, query: 'kind=none' },
  'POST /api/v1/retention': { ...adminRule, query: 'dry_run=true' },
  'POST /api/v1/samples': { ...adminRule, seesAll: 'a load of samples' },
  'DELETE /api/v1/samples': { ...adminRule, seesAll: 'a removal of samples' },

  'GET /api/v1/events/stream': listRule,

  'GET /api/v1/server': { ...adminRule, seesAll: 'this read' },

  'GET /api/v1/audit': { ...adminRule, seesAll: 'the audit trail' },
  'GET /api/v1/audit/export': { ...adminRule, seesAll: 'the audit trail', query: 'type=Started' },
  // With the access that the log has unless it is configured; other specs cover the others.
  'GET /api/v1/log/keys': openRule,
  'GET /api/v1/log/checkpoint': logRule,
  'GET /api/v1/log/checkpoints': { ...logRule, query: 'limit=1' },
  'GET /api/v1/log/checkpoints/:size': {
    ...logRule,
    status: 404,
    error: 'checkpoint not found',
    names: () => ({ size: '999999' }),
  },
  'GET /api/v1/log/tile/entries/*': { ...logRule, names: () => ({ rest: '000.p/1' }) },
  'GET /api/v1/log/tile/:level/*': { ...logRule, names: () => ({ level: '0', rest: '000.p/1' }) },
  'GET /api/v1/log/proof/:index': { ...logRule, names: () => ({ index: '0' }) },
  'GET /api/v1/log/consistency': { ...logRule, query: 'from=1&to=1' },
  'GET /api/v1/log/records/:seq/receipt': { ...logRule, names: () => ({ seq: '1' }) },

  'POST /api/v1/erasures': {
    ...adminRule,
    seesAll: 'an erasure',
    body: () => ({ seqs: [1], reference: 'case-1', dry_run: true }),
    wrongBody: { seqs: [1], run_id: 'r', reference: 'case-1' },
  },
  'POST /api/v1/holds': {
    ...adminRule,
    status: 201,
    seesAll: 'a legal hold',
    body: ({ made }) => ({ project: made, reference: 'case-1' }),
    wrongBody: { reference: 'case-1' },
  },
  'GET /api/v1/holds': { ...adminRule, seesAll: 'a legal hold' },
  'GET /api/v1/holds/:id': {
    ...adminRule,
    seesAll: 'a legal hold',
    status: 404,
    error: 'hold not found',
    names: () => ({ id: 'nothing' }),
  },
  'POST /api/v1/holds/:id/lift': {
    ...adminRule,
    seesAll: 'a legal hold',
    status: 404,
    error: 'hold not found',
    names: () => ({ id: 'nothing' }),
    body: () => ({ reference: 'case-1' }),
  },
  'GET /api/v1/audit/:seq': { ...adminRule, seesAll: 'the audit trail', names: () => ({ seq: '1' }) },

  'GET /api/v1/users': adminRule,
  'GET /api/v1/users/overview': { ...adminRule, seesAll: 'this read' },
  'GET /api/v1/users/apikeys': { ...adminRule, seesAll: 'this read', query: 'limit=5' },
  'GET /api/v1/users/:id/apikeys': { ...adminRule, seesAll: 'this read', names: () => ({ id: BYSTANDER.user_id }) },
  // Keys of service accounts: spec/http/routes/access/limited-keys.spec.ts.
  'POST /api/v1/users/:id/apikeys': {
    ...adminRule,
    status: 409,
    error: 'this is no service account: only its owner makes its keys',
    seesAll: 'a key of another account',
    names: () => ({ id: BYSTANDER.user_id }),
    body: () => ({ scope: 'read' }),
  },
  'POST /api/v1/users': {
    scope: 'admin',
    status: 201,
    body: ({ made }) => ({ username: made, password: 'long enough', role: 'viewer' }),
  },
  'POST /api/v1/links': {
    ...madeLinkRule,
    body: () => ({ role: 'viewer', grants: [{ ...HIDDEN, level: 'view' }] }),
  },
  'POST /api/v1/users/:id/reset-link': {
    ...madeLinkRule,
    names: () => ({ id: BYSTANDER.user_id }),
  },
  'GET /api/v1/links': { ...adminRule, seesAll: 'this read' },
  'DELETE /api/v1/links/:id': {
    ...linkRule,
    status: 404,
    error: 'link not found',
    names: () => ({ id: 'nothing' }),
  },
  'PATCH /api/v1/users/:id': {
    scope: 'admin',
    status: 200,
    names: ({ spare }) => ({ id: spare }),
    body: () => ({ role: 'viewer' }),
  },
  'DELETE /api/v1/users/:id': { scope: 'admin', status: 204, names: ({ spare }) => ({ id: spare }) },

  'GET /api/v1/apikeys': { scope: 'review', status: 200, account: 'any' },
  'POST /api/v1/apikeys': { scope: 'review', status: 201, account: 'any', body: () => ({ scope: 'review' }) },
  'DELETE /api/v1/apikeys/:id': {
    scope: 'review',
    status: 204,
    account: 'owner',
    names: () => ({ id: BYSTANDER.key_id }),
  },

  'GET /api/v1/auth/sessions': { scope: 'review', status: 200, account: 'any' },
  'DELETE /api/v1/auth/sessions': { scope: 'review', status: 200, account: 'session' },
  'DELETE /api/v1/auth/sessions/:id': {
    scope: 'review',
    status: 404,
    error: 'session not found',
    account: 'session',
    names: () => ({ id: 'nothing' }),
  },
  'GET /api/v1/views': { scope: 'read', status: 200, account: 'any' },
  'POST /api/v1/views': {
    scope: 'read',
    status: 201,
    account: 'any',
    body: () => ({ name: 'Failing', path: '/runs', query: 'status=fail' }),
  },
  'PATCH /api/v1/views/:id': {
    scope: 'read',
    status: 404,
    error: 'saved view not found',
    account: 'any',
    names: () => ({ id: 'nothing' }),
    body: () => ({ pinned: true }),
  },
  'DELETE /api/v1/views/:id': {
    scope: 'read',
    status: 404,
    error: 'saved view not found',
    account: 'any',
    names: () => ({ id: 'nothing' }),
  },
  'GET /api/v1/webhooks': { scope: 'read', status: 200, account: 'any' },
  'POST /api/v1/webhooks': {
    scope: 'write',
    status: 409,
    error: 'webhooks need SERVICE_SECRET_KEY: the operator of this server has not set it',
    account: 'any',
    body: () => ({ url: 'https://hooks.example/', events: ['run.ingested'] }),
  },
  'DELETE /api/v1/webhooks/:id': unknownWebhookRule,
  'POST /api/v1/webhooks/:id/secret': unknownWebhookRule,
  'POST /api/v1/webhooks/:id/test': unknownWebhookRule,
  'GET /api/v1/webhooks/:id/deliveries': {
    scope: 'read',
    status: 404,
    error: 'webhook not found',
    names: () => ({ id: 'nothing' }),
  },
  // The accounts of this spec have no password.
  'POST /api/v1/auth/password': {
    scope: 'any',
    status: 409,
    error: 'this account has no password; an admin can set one',
    account: 'session',
    body: () => ({ current_password: 'long enough', new_password: 'longer than that' }),
  },

  // Must be last, because it ends the session.
  'POST /api/v1/auth/logout': { scope: 'any', status: 200 },
}

/** Default values of path parameters. */
export const DEFAULT_NAMES = { ...HIDDEN, id: 'hidden', other: 'seen', case_key: aCase().case_key } as const
