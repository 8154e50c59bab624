import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { CROSS_ORIGIN } from '../../../../http/identity/cross-origin.ts'
import type { AuthMode } from '../../../../http/services.ts'
import { boundedHashOf, hashOfToken, newApiKey, shownPrefixOf } from '../../../../http/identity/secrets.ts'
import { CEILING, reaches, ROLES, SCOPES, SYSTEM, type Role, type Scope } from '../../../../queries/access/viewer.ts'
import { includes, LEVELS, type Level } from '../../../../queries/access/levels.ts'
import {
  BYSTANDER,
  HIDDEN,
  HIDDEN_PLAN,
  HIDDEN_QUEUE,
  HIDDEN_RUBRIC,
  hiddenRun,
  DEFAULT_NAMES,
  OPEN_RUN,
  ownNames,
  RULES,
} from '../../../support/access/access-rules.ts'
import { addEvidence } from '../../../support/access/run-evidence.ts'
import type { OwnNames, Rule } from '../../../support/access/access-rules.ts'
import { answerChecker, type ApiDocument } from '../../../support/http/documented-answers.ts'
import { aPlan } from '../../../support/documents/plans.ts'
import { openQueue } from '../../../support/documents/queues.ts'
import { aRubric } from '../../../support/documents/rubrics.ts'
import { MCP } from '../../../support/http/mcp.ts'
import { TOKENS, type SpecApp } from '../../../support/servers/app.ts'
import { openSigningApp } from '../../../support/proof/signing-app.ts'
import { fillPath, isSignInStep, routesOf } from '../../../support/http/routes.ts'

// Every route × every kind of caller × every mode. The rules and a few lines here state the expected response of each
// cell, written from what the service promises, not from its code.

const MODES: readonly AuthMode[] = ['open', 'protect-writes', 'closed']

type Grant = { readonly level: Level; readonly target: 'project' | 'suite' }
type Loss = 'disabled' | 'deleted' | 'revoked'
/** The limit of a key: the hidden project, its suite, or another project. */
type Limit = 'project' | 'suite' | 'elsewhere'
type Credential =
  | { readonly by: 'session' | 'cookie' }
  | { readonly by: 'key'; readonly minted: Scope; readonly limit?: Limit }

type Caller = {
  readonly name: string
  /** Its current scope. */
  readonly scope: Scope | null
  readonly sees_all: boolean
  readonly has_account: boolean
  readonly grant: Grant | null
  /**
   * For accounts: the role at creation, the role now if it changed, the credential, and whether that is still valid.
   */
  readonly account?: {
    readonly role: Role
    readonly demoted?: Role
    readonly credential: Credential
    readonly lost?: Loss
  }
  /** For other callers: the Authorization header. */
  readonly authorization?: string
}

const scopesUpTo = (max: Scope): Scope[] => SCOPES.filter((scope) => reaches(max, scope))
const lowerOf = (a: Scope, b: Scope): Scope => (SCOPES.indexOf(a) < SCOPES.indexOf(b) ? a : b)
const credentialsOf = (role: Role): Credential[] => [
  { by: 'session' },
  { by: 'cookie' },
  ...scopesUpTo(CEILING[role]).map((minted) => ({ by: 'key', minted }) as const),
]
const LIMITS: Readonly<Record<Limit, string>> = {
  project: 'the hidden project',
  suite: 'the hidden suite',
  elsewhere: 'another project',
}
const describeCredential = (credential: Credential): string =>
  credential.by === 'key'
    ? `a ${credential.minted} key${credential.limit ? ` limited to ${LIMITS[credential.limit]}` : ''}`
    : credential.by === 'cookie'
      ? 'the cookie of a session'
      : 'a session'

const limitOf = (credential: Credential | undefined): Limit | undefined =>
  credential?.by === 'key' ? credential.limit : undefined

const unknownCaller = { scope: null, sees_all: false, has_account: false, grant: null } as const

const accountCaller = (
  role: Role,
  credential: Credential,
  { grant = null, demoted }: { readonly grant?: Grant | null; readonly demoted?: Role } = {},
): Caller => {
  const now = demoted ?? role
  return {
    name: `${describeCredential(credential)} of ${demoted ? `a former admin who is now a ${demoted}` : `a ${role}`}${grant ? ` granted ${grant.level} on the ${grant.target}` : ''}`,
    scope: credential.by === 'key' ? lowerOf(CEILING[now], credential.minted) : CEILING[now],
    sees_all: now === 'admin' && limitOf(credential) === undefined,
    has_account: true,
    grant,
    account: { role, credential, ...(demoted ? { demoted } : {}) },
  }
}

/**
 * The number of a cell, of which one in four is sent where cells are alike. It grows by one from route to route and
 * from caller to caller, so that every route and every caller has such cells.
 */
const numberOf = (route: string, caller: number): number => Object.keys(RULES).indexOf(route) + caller

/** An admin with every grant, whose credential or account was then lost. */
const lostCaller = (credential: Credential, lost: Loss): Caller => ({
  ...unknownCaller,
  name: `${describeCredential(credential)} that is ${lost}, or whose account is`,
  account: { role: 'admin', credential, lost },
})

const CALLERS: readonly Caller[] = [
  { ...unknownCaller, name: 'a caller without a credential' },
  { ...unknownCaller, name: 'an unknown token', authorization: 'Bearer unknown' },
  { ...unknownCaller, name: 'an empty credential', authorization: 'Bearer ' },
  { ...unknownCaller, name: 'an unknown session', authorization: `Bearer mses_${'0'.repeat(64)}` },
  { ...unknownCaller, name: 'an unknown key', authorization: `Bearer service_${'0'.repeat(64)}` },
  ...(['read', 'write', 'admin'] as const).map((scope) => ({
    ...unknownCaller,
    name: `a static ${scope} token`,
    authorization: `Bearer ${TOKENS[scope]}`,
    scope,
    sees_all: scope === 'admin',
  })),
  ...ROLES.flatMap((role) => credentialsOf(role).map((credential) => accountCaller(role, credential))),
  // For grants, sessions and the keys of members are enough: a cookie is a session, and a viewer's key can do what the
  // viewer's session can.
  ...(['viewer', 'member'] as const).flatMap((role) =>
    credentialsOf(role)
      .filter(({ by }) => by === 'session' || (by === 'key' && role === 'member'))
      .flatMap((credential) =>
        LEVELS.flatMap((level) =>
          (['project', 'suite'] as const).map((target) =>
            accountCaller(role, credential, { grant: { level, target } }),
          ),
        ),
      ),
  ),
  ...(['project', 'suite', 'elsewhere'] as const).flatMap((limit) => [
    accountCaller('admin', { by: 'key', minted: 'write', limit }),
    accountCaller('member', { by: 'key', minted: 'write', limit }),
    accountCaller('member', { by: 'key', minted: 'read', limit }, { grant: { level: 'manage', target: 'project' } }),
    accountCaller('member', { by: 'key', minted: 'write', limit }, { grant: { level: 'upload', target: 'suite' } }),
    accountCaller('admin', { by: 'key', minted: 'write', limit }, { demoted: 'member' }),
  ]),
  ...(['reviewer', 'viewer', 'member'] as const).flatMap((demoted) =>
    ([{ by: 'session' }, { by: 'key', minted: 'admin' }] as const).map((credential) =>
      accountCaller('admin', credential, { demoted }),
    ),
  ),
  ...(['disabled', 'deleted', 'revoked'] as const).flatMap((lost) =>
    ([{ by: 'session' }, { by: 'cookie' }, { by: 'key', minted: 'admin' }] as const).map((credential) =>
      lostCaller(credential, lost),
    ),
  ),
]

const THE_HIDDEN_RUBRIC = aRubric({ rubric_id: HIDDEN_RUBRIC, ...HIDDEN, text: 'clandestine' })
const THE_HIDDEN_PLAN = aPlan({ plan_id: HIDDEN_PLAN, ...HIDDEN, text: 'clandestine' })

const limitTo = (limit: Limit) =>
  limit === 'elsewhere'
    ? { project: 'elsewhere', suite: null }
    : { ...HIDDEN, ...(limit === 'project' ? { suite: null } : {}) }

type Headers = Readonly<Record<string, string>>

/** Creates the caller in an app, applies its changes, and returns the headers of its requests. */
const createCaller = async (
  { service: { commit }, addUser, grant: give, sendAs, sendWithToken }: SpecApp,
  { account, authorization, grant }: Caller,
  n: string,
): Promise<Headers> => {
  if (!account) return authorization === undefined ? {} : { authorization }
  const { role, credential, lost, demoted } = account
  const { user_id, token, viewer } = await addUser(`user-${n}`, role)
  const key = newApiKey()
  const key_id = `key-${n}`
  if (credential.by === 'key')
    await commit.mintKey(viewer, {
      at: 0,
      key_id,
      name: null,
      scope: credential.minted,
      prefix: shownPrefixOf(key),
      secret_hash: credential.limit ? boundedHashOf(hashOfToken(key)) : hashOfToken(key),
      limit: credential.limit ? limitTo(credential.limit) : null,
    })
  const effectiveGrant: Grant | null = lost ? { level: 'manage', target: 'project' } : grant
  if (effectiveGrant)
    await give(user_id, effectiveGrant.level, HIDDEN.project, effectiveGrant.target === 'suite' ? HIDDEN.suite : null)
  // The service has resolved the credential before it is lost.
  expect((await sendWithToken(credential.by === 'key' ? key : token)('GET', '/auth/me')).json()).toMatchObject({
    authenticated: true,
    user: { id: user_id },
  })
  if (demoted) await commit.changeUser(SYSTEM, { user_id, role: demoted, disabled: null, password_hash: null })
  if (lost === 'disabled')
    expect(
      (await sendAs('admin')('PATCH', `/users/${user_id}`, { headers: JSON_TYPE, body: '{"disabled":true}' }))
        .statusCode,
    ).toBe(200)
  if (lost === 'deleted') expect((await sendAs('admin')('DELETE', `/users/${user_id}`)).statusCode).toBe(204)
  if (lost === 'revoked' && credential.by === 'key') await commit.revokeKey(viewer, { key_id })
  if (lost === 'revoked' && credential.by !== 'key')
    expect((await sendWithToken(token)('POST', '/auth/logout')).statusCode).toBe(200)
  return credential.by === 'cookie'
    ? { cookie: `service_session=${token}` }
    : { authorization: `Bearer ${credential.by === 'key' ? key : token}` }
}

const JSON_TYPE = { 'content-type': 'application/json' } as const

type Outcome = { readonly status: number; readonly error?: string | undefined }

const SVG = 'image/svg+xml'
const NO_IMAGE: Outcome = { status: 404 }

/** The outcome at the scope gate; null means that the request passes. */
const atGate = (mode: AuthMode, needed: Rule['scope'], { scope }: Caller): Outcome | null => {
  const required =
    needed === 'any' || needed === null || mode === 'open' || (mode === 'protect-writes' && reaches('read', needed))
      ? null
      : needed
  if (scope === null && (needed === 'any' || required !== null))
    return { status: 401, error: 'authentication required' }
  return required !== null && !reaches(scope, required)
    ? { status: 403, error: `insufficient scope: ${required} is needed` }
    : null
}

/** Whether an admin's key is limited: within its limit, it sees everything. */
const isLimitedAdmin = ({ account }: Caller): boolean =>
  limitOf(account?.credential) !== undefined && (account?.demoted ?? account?.role) === 'admin'

const sees = (caller: Caller): boolean =>
  limitOf(caller.account?.credential) !== 'elsewhere' &&
  (caller.sees_all || isLimitedAdmin(caller) || caller.grant !== null)

const levelOf = (caller: Caller, scope: Grant['target']): Level | null => {
  const { sees_all, grant } = caller
  const limit = limitOf(caller.account?.credential)
  if (limit === 'elsewhere' || (limit === 'suite' && scope === 'project')) return null
  if (sees_all || isLimitedAdmin(caller)) return 'manage'
  return grant && (grant.target === 'project' || scope === 'suite') ? grant.level : null
}

/** Whether a request names the suite, and not only the project. */
const namesSuite = (route: string, query = ''): boolean =>
  route.includes('/suites/') ||
  query.includes('suite=') ||
  ['POST /api/v1/runs', 'POST /api/v1/runs/:id/evidence', 'POST /api/v1/plans', 'POST /api/v1/rubrics'].includes(route)

/** The outcome behind the gate: the account first, then the set. */
const behindGate = (
  route: string,
  { status, error, level, refused, unseen, account, noAccount, decides, seesAll, uploader, query }: Rule,
  caller: Caller,
): Outcome => {
  if (seesAll && !caller.sees_all) return { status: 403, error: `insufficient scope: ${seesAll} is for admins` }
  if (account && !caller.has_account) return { status: 403, error: noAccount ?? 'a user account is required' }
  const limit = limitOf(caller.account?.credential)
  if (account && limit)
    return { status: 403, error: 'this API key is limited to a project or suite: it cannot use its account' }
  if (decides && !reaches(caller.scope, decides.scope)) return { status: 403, error: decides.error }
  if (account === 'session' && caller.account?.credential.by === 'key')
    return { status: 403, error: 'a session is required: sign in, because an API key cannot do this' }
  if (account === 'owner' && !caller.sees_all) return { status: 403, error: 'not your api key' }
  // The other run of a comparison is in an open project, which is outside of every limit.
  if (limit && /:other|\/compare/.test(route)) return { status: 404, error: 'run not found' }
  // All runs of the project are in the suite, so a caller who sees the suite sees the project.
  const heldLevel =
    level === 'view' && sees(caller) ? 'view' : levelOf(caller, namesSuite(route, query) ? 'suite' : 'project')
  if (level && refused && !includes(heldLevel, level)) {
    const [status, error] = unseen && !sees(caller) ? unseen : refused
    return { status, error }
  }
  // The hidden run was uploaded with a static token, which does not see it.
  if (uploader && !caller.sees_all)
    return { status: 403, error: 'only who uploaded this run, or an admin, may have its receipt' }
  return { status, error }
}

describe.each(MODES)('access in %s mode', (mode) => {
  let spec: SpecApp
  let answers: ReturnType<typeof answerChecker>
  let documented: ApiDocument['paths']
  beforeAll(async () => {
    const signing = await openSigningApp({ mode, mcp: MCP })
    spec = signing.spec
    await signing.sign()
    const document = (await spec.sendAs(null)('GET', '/openapi.json')).json<ApiDocument>()
    answers = answerChecker(document)
    documented = document.paths
    for (const run of [OPEN_RUN, hiddenRun('hidden')]) expect((await spec.ingest(run)).statusCode).toBe(201)
    await addEvidence(spec.sendAs('write'), 'hidden')
    await spec.service.commit.registerPlan(SYSTEM, THE_HIDDEN_PLAN)
    await spec.service.commit.createRubric(SYSTEM, THE_HIDDEN_RUBRIC)
    await spec.addUser('listed', 'reviewer')
    await openQueue(spec, { queue_id: HIDDEN_QUEUE, ...HIDDEN, rubric_id: HIDDEN_RUBRIC })
    await spec.restrict(HIDDEN.project)
    // Another admin remains, so that every caller can be deleted.
    await spec.addUser('root', 'admin')
    const { viewer } = await spec.addUser(BYSTANDER.user_id)
    await spec.service.commit.mintKey(viewer, {
      at: 0,
      key_id: BYSTANDER.key_id,
      name: null,
      scope: null,
      prefix: 'service_0000',
      secret_hash: 'digest',
    })
  })
  afterAll(() => spec.close())

  it('has a rule for every route', () => {
    const routes = routesOf(spec.app).map(({ method, url }) => `${method.replace('HEAD', 'GET')} ${url}`)
    expect([...new Set(routes)].sort()).toEqual(Object.keys(RULES).sort())
  })

  const cell = async (
    route: string,
    rule: Rule,
    {
      own,
      headers,
      caller,
      index,
    }: { readonly own: OwnNames; readonly headers: Headers; readonly caller: Caller; readonly index: number },
  ): Promise<void> => {
    const [method = '', url = ''] = route.split(' ')
    const path = fillPath(url, { ...DEFAULT_NAMES, ...rule.names?.(own) })
    const send = (
      parts: {
        readonly method?: string
        readonly query?: string | undefined
        readonly body?: string | undefined
        readonly extra?: Headers
        readonly to?: string
      } = {},
    ) =>
      spec.app.inject({
        method: (parts.method ?? method) as 'GET',
        url: parts.query === undefined ? (parts.to ?? path) : `${path}?${parts.query}`,
        headers: { ...headers, ...(parts.body === undefined ? {} : JSON_TYPE), ...parts.extra },
        ...(parts.body === undefined ? {} : { payload: parts.body }),
      })
    const documentedPath = url.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}')
    const expectAnswer = (answer: LightMyRequestResponse, { status, error }: Outcome, label: string): void => {
      const { statusCode, body, headers: got } = answer
      // Compared without expect: one assertion each would make 80,000 responses a fifth slower.
      const wrong = [
        statusCode === status ? null : `status ${statusCode} instead of ${status}`,
        typeof got['x-request-id'] === 'string' ? null : 'no x-request-id',
        got['x-content-type-options'] === 'nosniff' &&
        /^default-src 'none'; /.test(String(got['content-security-policy']))
          ? null
          : 'not for data alone',
        got['www-authenticate'] === (status === 401 ? 'Bearer realm="service"' : undefined)
          ? null
          : `www-authenticate: ${String(got['www-authenticate'])}`,
        status < 400 || got['content-type'] === (rule.isImage && status === 404 ? SVG : 'application/json')
          ? null
          : `content-type: ${got['content-type']}`,
        error === undefined || body === JSON.stringify({ error }) ? null : `not the error "${error}"`,
        documented[documentedPath]?.[method.toLowerCase()] ? answers.problem(documentedPath, method, answer) : null,
      ].filter((problem) => problem !== null)
      if (wrong.length > 0) expect.fail(`${route}, ${label}: ${wrong.join('; ')}: ${body.slice(0, 300)}`)
    }

    const atFirst = atGate(mode, rule.scope, caller)
    const refused = atFirst && rule.isImage ? NO_IMAGE : atFirst
    // Callers without an account send every request that the gate rejects. Behind the gate, all modes are alike. A write
    // may undo an earlier one, so a caller sends all writes or none. Sign-out is never skipped, because every session must
    // end.
    const isAlike = refused === null ? mode !== 'closed' : caller.account !== undefined
    const n = refused !== null || method === 'GET' ? numberOf(route, index) : index
    if (isAlike && n % 4 !== 0 && !route.endsWith('/auth/logout')) return
    const isUnsafe = method !== 'GET' && method !== 'OPTIONS'
    const { isForOtherSites = false } = rule
    const isOwn = !isForOtherSites || (isForOtherSites === 'without a cookie' && caller.has_account)
    if (isUnsafe && isOwn && !('authorization' in headers)) {
      // A request from another site is rejected before anything else.
      const forged = await send({ query: 'unknown=1', body: '{', extra: { origin: 'https://elsewhere.example' } })
      expectAnswer(forged, { status: 403, error: CROSS_ORIGIN }, 'sent by another site')
    }
    // A credential that is too weak is reported before other errors: query, then body, then the set. Grants do not
    // change that. Errors before the first storage read, except credential errors, are checked on SQLite only.
    if (!caller.grant) {
      expectAnswer(
        await send({ query: 'unknown=1', body: isUnsafe ? '{' : undefined }),
        refused ?? { status: rule.wrongStatus ?? 400 },
        'malformed',
      )
      // An undecodable path too is rejected after the gate.
      if (!caller.account && url.includes(':') && !rule.isImage)
        expectAnswer(
          await send({ to: url.replace(/:\w+/, '%FF').replace(/:\w+/g, 'x') }),
          refused ?? { status: 400 },
          'an undecodable path',
        )
      if (rule.body) expectAnswer(await send({ body: '{' }), refused ?? { status: 400 }, 'no JSON')
      if (rule.body)
        expectAnswer(
          await send({ body: JSON.stringify(rule.wrongBody ?? []) }),
          refused ?? { status: rule.wrongStatus ?? 422 },
          'another shape',
        )
    }
    const behind = refused ?? behindGate(route, rule, caller)
    const outcome = rule.isImage && behind.status === 404 ? NO_IMAGE : behind
    const answer = await send({ query: rule.query, body: rule.body && JSON.stringify(rule.body(own)) })
    expectAnswer(answer, outcome, 'as it should be')
    for (const query of rule.alike ?? []) expectAnswer(await send({ query }), outcome, query)
    if (rule.shows && outcome.status === 200)
      expect(answer.body.includes(rule.shows), `${route}: ${answer.body}`).toBe(sees(caller))
    if (method !== 'GET' || caller.grant) return
    const head = await send({ method: 'HEAD', query: rule.query })
    expect([head.statusCode, head.body], `HEAD of ${route}`).toEqual([isSignInStep(url) ? 405 : outcome.status, ''])
  }

  it.each(CALLERS.map((caller, i) => ({ ...caller, n: String(i) })))('$name', async ({ n, ...caller }) => {
    const own = ownNames(n)
    const headers = await createCaller(spec, caller, n)
    expect((await spec.ingest(hiddenRun(own.doomed), { caller: 'admin' })).statusCode).toBe(201)
    await spec.service.commit.createUser(SYSTEM, {
      user_id: own.spare,
      username: own.spare,
      password_hash: '',
      role: 'member',
    })
    for (const [route, rule] of Object.entries(RULES))
      await cell(route, rule, { own, headers, caller, index: Number(n) })
    // Sign-out ended the session; other credentials are still valid.
    const { authenticated } = (await spec.app.inject({ url: '/api/v1/auth/me', headers })).json<{
      authenticated: boolean
    }>()
    expect(authenticated).toBe(caller.scope !== null && (!caller.account || caller.account.credential.by === 'key'))
  })
})

describe('a caller who sees nothing', () => {
  const comparable = ({
    statusCode,
    body,
    headers: { 'x-request-id': _, date: __, ...headers },
  }: LightMyRequestResponse) => ({ statusCode, body, headers })

  // Behind the gate, all modes are alike.
  it('gets the same bytes as on an empty server, on every read path', async () => {
    const open = async () => {
      const { spec } = await openSigningApp({ mode: 'open', now: () => Date.UTC(2026, 4, 5) })
      return { spec, users: [await spec.addUser('onlooker', 'viewer'), await spec.addUser('worker')] }
    }
    const [full, empty] = [await open(), await open()]
    for (const run of [OPEN_RUN, hiddenRun('hidden')]) expect((await full.spec.ingest(run)).statusCode).toBe(201)
    await addEvidence(full.spec.sendAs('write'), 'hidden')
    await full.spec.service.commit.registerPlan(SYSTEM, THE_HIDDEN_PLAN)
    await full.spec.service.commit.createRubric(SYSTEM, THE_HIDDEN_RUBRIC)
    await full.spec.addUser('listed', 'reviewer')
    await openQueue(full.spec, { queue_id: HIDDEN_QUEUE, ...HIDDEN, rubric_id: HIDDEN_RUBRIC })
    await full.spec.sendAs('admin')('PUT', '/projects/secret/suites/vault/baseline', {
      headers: JSON_TYPE,
      body: '{"run_id":"hidden"}',
    })
    await full.spec.addUser('granted')
    await full.spec.grant('granted', 'manage', HIDDEN.project)
    await full.spec.restrict(HIDDEN.project)
    await full.spec.restrict(OPEN_RUN.project ?? '')
    const reads = Object.entries(RULES).filter(([route, { scope }]) => route.startsWith('GET ') && scope !== 'admin')
    const callers = [
      [null, null],
      [TOKENS.read, TOKENS.read],
      [TOKENS.write, TOKENS.write],
      ...full.users.map(({ token }, i) => [token, empty.users[i]?.token ?? null] as const),
    ] as const
    for (const [token, emptyToken] of callers) {
      // The second time from the cache.
      for (const [route, { query: first, names, alike = [] }] of [...reads, ...reads]) {
        const [, url = ''] = route.split(' ')
        const path = fillPath(url, { ...DEFAULT_NAMES, ...names?.(ownNames('x')) })
        // HEAD takes the same way on every storage.
        for (const [method, query] of [first, ...alike].flatMap((query) => [
          ['GET', query] as const,
          ['HEAD', query] as const,
        ])) {
          const send = ({ app }: SpecApp, token: string | null) =>
            app.inject({
              method,
              url: query ? `${path}?${query}` : path,
              headers: token === null ? {} : { authorization: `Bearer ${token}` },
            })
          const [answer, other] = [await send(full.spec, token), await send(empty.spec, emptyToken)].map(comparable)
          // Compared without expect first, which would take longer than the requests.
          if (!isDeepStrictEqual(answer, other)) expect(answer, `${method} ${path}`).toEqual(other)
        }
      }
    }
    await Promise.all([full.spec.close(), empty.spec.close()])
  })
})
