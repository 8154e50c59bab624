import type { Scope } from '../../../queries/access/viewer.ts'
import type { Level } from '../../../queries/access/visible.ts'
import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { aCase, aDocument } from '../documents/documents.ts'
import type { ADocument } from '../documents/documents.ts'

/** A project that is restricted, and the one suite that its runs are in. */
export const HIDDEN = { project: 'secret', suite: 'vault' } as const

const OF_SUITE = `project=${HIDDEN.project}&suite=${HIDDEN.suite}`

/** The key that the case of the hidden run was cached under. */
const CACHE_KEY = cacheKeyOf('hidden')

/** A run of that suite, and one that everybody sees; the hidden one is found by a word of its own. */
export const hiddenRun = (run_id: string): ADocument =>
  aDocument({ run_id, ...HIDDEN, cases: [aCase({ output: 'clandestine', cache_key: CACHE_KEY })] })
export const OPEN_RUN = aDocument({ run_id: 'seen', project: 'open' })

/** Names that one caller alone uses: what its requests make, change and remove is there for it and nobody else. */
export const ownNames = (n: string) => ({
  fresh: `fresh-${n}`,
  doomed: `doomed-${n}`,
  spare: `spare-${n}`,
  made: `made-${n}`,
  scratch: `scratch-${n}`,
})
export type OwnNames = ReturnType<typeof ownNames>

/** Somebody else, and the id of their key. */
export const BYSTANDER = { user_id: 'bystander', key_id: 'key of bystander' } as const

export type Rule = {
  /**
   * The scope that the route needs in closed mode; null is open to everyone, and any credential is any in every mode.
   */
  readonly scope: Scope | 'any' | null
  /** The status of what succeeds; or of what is refused to all who come this far, with `error`. */
  readonly done: number
  readonly error?: string
  /**
   * The level needed on the hidden set (of the project, or of the suite where the path names one), and what is told who
   * has less.
   */
  readonly level?: Level
  readonly refused?: readonly [status: 403 | 404, error: string]
  /** Shown among others, to those who see the hidden set. */
  readonly shows?: string
  /** Needs an account; that of the owner, or the role of an admin, where the key is another's. */
  readonly account?: 'any' | 'owner'
  /** Names hidden sets: for those who see all, whatever the mode. */
  readonly seesAll?: true
  readonly names?: (own: OwnNames) => Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: (own: OwnNames) => unknown
  /** A body that is JSON and of the wrong shape. */
  readonly wrongBody?: unknown
}

const NO_RUN = [404, 'run not found'] as const
const NO_CASE = [404, 'case not found'] as const
const NO_SET = [404, 'run set not found'] as const
const NO_UPLOAD = [403, 'this run set is restricted; you need an upload grant on it'] as const

const ofRun = { scope: 'read', done: 200, level: 'view', refused: NO_RUN } as const
const ofSet = { scope: 'read', done: 200, level: 'view', refused: NO_SET } as const
const list = { scope: 'read', done: 200 } as const
const open = { scope: null, done: 200 } as const
const forAdmins = { scope: 'admin', done: 200 } as const
const managing = { level: 'manage', refused: NO_SET } as const
const granting = {
  scope: 'write',
  done: 204,
  ...managing,
  names: () => ({ user_id: BYSTANDER.user_id }),
  body: () => ({ level: 'view' }),
} as const
const revoking = { scope: 'write', done: 204, ...managing, names: () => ({ user_id: BYSTANDER.user_id }) } as const
const ownEntry = ({ made }: OwnNames) => ({ key: cacheKeyOf(made) })
const restricting = { scope: 'admin', done: 204, names: ({ scratch }: OwnNames) => ({ project: scratch }) } as const

/**
 * Every route of the service, in an order in which one caller's requests may follow each other: what is made is removed
 * after.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  'GET /health': open,
  'GET /api/v1/health': open,
  'GET /api/v1/ready': open,
  'GET /api/v1/meta': open,
  'GET /api/v1/openapi.json': open,
  'GET /metrics': forAdmins,

  'GET /api/v1/auth/me': open,
  'POST /api/v1/auth/setup': {
    scope: null,
    done: 409,
    error: 'setup is already completed',
    body: ({ made }) => ({ username: made, password: 'long enough' }),
  },
  // Signing in right and wrong is for specs of its own: here it is only open to everyone.
  'POST /api/v1/auth/login': { scope: null, done: 422, body: () => ({ username: 'nobody' }) },

  'GET /api/v1/runs': { ...list, query: 'limit=5', shows: '"vault"' },
  'GET /api/v1/search': { ...list, query: 'q=clandestine&limit=5', shows: '"vault"' },
  'GET /api/v1/projects': { ...list, shows: '"secret"' },
  'GET /api/v1/projects/:project/suites': { ...list, shows: '"vault"' },
  'GET /api/v1/sets': { ...list, shows: '"secret"' },
  'GET /api/v1/sets/:project': ofSet,
  'GET /api/v1/sets/:project/suites/:suite': ofSet,
  'GET /api/v1/projects/:project/suites/:suite/cases/:case_key/history': { ...ofSet, refused: NO_CASE },
  'GET /api/v1/runs/:id': ofRun,
  'GET /api/v1/runs/:id/cases': ofRun,
  'GET /api/v1/runs/:id/cases/:case_key': { ...ofRun, refused: NO_CASE },
  'GET /api/v1/runs/:id/matrix': ofRun,
  'GET /api/v1/runs/:id/in-suite': ofRun,
  'GET /api/v1/runs/:id/distribution': ofRun,
  'GET /api/v1/runs/:id/distribution/cases': ofRun,
  'GET /api/v1/runs/:id/export': ofRun,
  'GET /api/v1/runs/:id/config': ofRun,
  'GET /api/v1/runs/:id/compare/:other': ofRun,

  'POST /api/v1/runs': {
    scope: 'write',
    done: 201,
    level: 'upload',
    refused: NO_UPLOAD,
    body: ({ fresh }) => hiddenRun(fresh),
    wrongBody: { schema_version: 9 },
  },
  'DELETE /api/v1/runs/:id': {
    scope: 'admin',
    done: 204,
    level: 'view',
    refused: NO_RUN,
    names: ({ doomed }) => ({ id: doomed }),
  },
  'DELETE /api/v1/runs': { scope: 'admin', done: 404, error: 'run not found', query: 'run_id=..' },
  'PUT /api/v1/projects/:project/suites/:suite/baseline': {
    scope: 'write',
    done: 200,
    level: 'upload',
    refused: NO_UPLOAD,
    body: () => ({ run_id: 'hidden' }),
  },
  'DELETE /api/v1/projects/:project/suites/:suite/baseline': {
    scope: 'write',
    done: 204,
    level: 'upload',
    refused: NO_UPLOAD,
  },

  'DELETE /api/v1/baselines': {
    scope: 'write',
    done: 404,
    error: 'baseline not found',
    level: 'upload',
    refused: NO_UPLOAD,
    query: OF_SUITE,
  },

  'GET /api/v1/sets/:project/access': { ...list, ...managing },
  'GET /api/v1/sets/:project/suites/:suite/access': { ...list, ...managing },
  'PUT /api/v1/sets/:project/restriction': restricting,
  'DELETE /api/v1/sets/:project/restriction': restricting,
  'PUT /api/v1/sets/:project/suites/:suite/restriction': restricting,
  'DELETE /api/v1/sets/:project/suites/:suite/restriction': restricting,
  'PUT /api/v1/sets/:project/grants/:user_id': granting,
  'DELETE /api/v1/sets/:project/grants/:user_id': revoking,
  'PUT /api/v1/sets/:project/suites/:suite/grants/:user_id': granting,
  'DELETE /api/v1/sets/:project/suites/:suite/grants/:user_id': revoking,

  'DELETE /api/v1/restrictions': { scope: 'admin', done: 404, error: 'restriction not found', query: 'project=..' },
  'DELETE /api/v1/grants': {
    scope: 'write',
    done: 404,
    error: 'grant not found',
    ...managing,
    query: `${OF_SUITE}&user_id=nobody`,
  },

  // What is put is found, listed, and deleted in the end.
  'PUT /api/v1/cache/:key': { scope: 'write', done: 201, names: ownEntry },
  'GET /api/v1/cache/:key': {
    scope: 'read',
    done: 404,
    error: 'cache entry not found',
    names: () => ({ key: cacheKeyOf('nothing') }),
  },
  'GET /api/v1/cache/stats': list,
  'GET /api/v1/cache/entries': { ...forAdmins, query: 'limit=1' },
  'GET /api/v1/cache/facets': forAdmins,
  'GET /api/v1/cache/entries/:key': {
    scope: 'read',
    done: 404,
    error: 'cache entry not found',
    names: () => ({ key: cacheKeyOf('nothing') }),
  },
  'GET /api/v1/cache/entries/:key/runs': { ...list, names: () => ({ key: CACHE_KEY }), shows: '"vault"' },
  'DELETE /api/v1/cache/entries/:key': { scope: 'admin', done: 204, names: ownEntry },
  'POST /api/v1/cache/prune': { ...forAdmins, query: 'kind=none' },
  'POST /api/v1/retention': { ...forAdmins, query: 'dry_run=true' },

  'GET /api/v1/audit': { ...forAdmins, seesAll: true },
  'GET /api/v1/audit/:seq': { ...forAdmins, seesAll: true, names: () => ({ seq: '1' }) },

  'GET /api/v1/users': forAdmins,
  'POST /api/v1/users': {
    scope: 'admin',
    done: 201,
    body: ({ made }) => ({ username: made, password: 'long enough', role: 'viewer' }),
  },
  'PATCH /api/v1/users/:id': {
    scope: 'admin',
    done: 200,
    names: ({ spare }) => ({ id: spare }),
    body: () => ({ role: 'viewer' }),
  },
  'DELETE /api/v1/users/:id': { scope: 'admin', done: 204, names: ({ spare }) => ({ id: spare }) },

  'GET /api/v1/apikeys': { scope: 'read', done: 200, account: 'any' },
  'POST /api/v1/apikeys': { scope: 'read', done: 201, account: 'any', body: () => ({ scope: 'read' }) },
  'DELETE /api/v1/apikeys/:id': { scope: 'read', done: 204, account: 'owner', names: () => ({ id: BYSTANDER.key_id }) },

  // The last thing that a session does.
  'POST /api/v1/auth/logout': { scope: 'any', done: 200 },
}

/** What parameters of a path are filled with where the rule names nothing else. */
export const NAMES = { ...HIDDEN, id: 'hidden', other: 'seen', case_key: aCase().case_key } as const
