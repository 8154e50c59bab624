import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { CROSS_ORIGIN } from '../../../http/identity/cross-origin.ts'
import type { AuthMode } from '../../../http/services.ts'
import { hashOfToken, newApiKey, prefixOf } from '../../../http/identity/secrets.ts'
import { CEILING, reaches, ROLES, SCOPES, SYSTEM } from '../../../queries/access/viewer.ts'
import type { Role, Scope } from '../../../queries/access/viewer.ts'
import { includes, LEVELS } from '../../../queries/access/visible.ts'
import type { Level } from '../../../queries/access/visible.ts'
import { BYSTANDER, HIDDEN, hiddenRun, NAMES, OPEN_RUN, ownNames, RULES } from '../../support/access/access-rules.ts'
import type { OwnNames, Rule } from '../../support/access/access-rules.ts'
import { answersOf } from '../../support/http/documented-answers.ts'
import type { ApiDocument } from '../../support/http/documented-answers.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import type { SpecApp } from '../../support/servers/app.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { filled, routesOf } from '../../support/http/routes.ts'
import { isTaken } from '../../support/random/runs.ts'

// Every route × every kind of caller × every mode, with what each cell answers told by the rules and by a few lines
// here, written from what the service promises and not from how it does it.

const MODES: readonly AuthMode[] = ['open', 'protect-writes', 'closed']

type Grant = { readonly level: Level; readonly at: 'project' | 'suite' }
type Lost = 'disabled' | 'deleted' | 'revoked'
type Held = { readonly by: 'session' | 'cookie' } | { readonly by: 'key'; readonly minted: Scope }

type Caller = {
  readonly name: string
  /** What it may do by now. */
  readonly scope: Scope | null
  readonly sees_all: boolean
  readonly has_account: boolean
  readonly grant: Grant | null
  /**
   * Of an account: the role that it was made with and, where it changed, has now; what it holds; and whether that is
   * still worth something.
   */
  readonly account?: { readonly role: Role; readonly demoted?: Role; readonly held: Held; readonly lost?: Lost }
  /** Of others: what the Authorization header says. */
  readonly authorization?: string
}

const scopesUpTo = (most: Scope): Scope[] => SCOPES.filter((scope) => reaches(most, scope))
const lower = (a: Scope, b: Scope): Scope => (SCOPES.indexOf(a) < SCOPES.indexOf(b) ? a : b)
const heldBy = (role: Role): Held[] => [
  { by: 'session' },
  { by: 'cookie' },
  ...scopesUpTo(CEILING[role]).map((minted) => ({ by: 'key', minted }) as const),
]
const toldHeld = (held: Held): string =>
  held.by === 'key' ? `a ${held.minted} key` : held.by === 'cookie' ? 'the cookie of a session' : 'a session'

const nobody = { scope: null, sees_all: false, has_account: false, grant: null } as const

const accountCaller = (
  role: Role,
  held: Held,
  { grant = null, demoted }: { readonly grant?: Grant | null; readonly demoted?: Role } = {},
): Caller => {
  const now = demoted ?? role
  return {
    name: `${toldHeld(held)} of ${demoted ? `an admin who is a ${demoted} by now` : `a ${role}`}${grant ? ` granted ${grant.level} on the ${grant.at}` : ''}`,
    scope: held.by === 'key' ? lower(CEILING[now], held.minted) : CEILING[now],
    sees_all: now === 'admin',
    has_account: true,
    grant,
    account: { role, held, ...(demoted ? { demoted } : {}) },
  }
}

/**
 * The number of a cell, which goes up by one from route to route and from caller to caller: one of eight numbers is in
 * every row and column.
 */
const numberOf = (route: string, caller: number): number => Object.keys(RULES).indexOf(route) + caller

/** An admin with every grant, were it not for what happened. */
const lostCaller = (held: Held, lost: Lost): Caller => ({
  ...nobody,
  name: `${toldHeld(held)} that is ${lost}, or whose account is`,
  account: { role: 'admin', held, lost },
})

const CALLERS: readonly Caller[] = [
  { ...nobody, name: 'nobody' },
  { ...nobody, name: 'an unknown token', authorization: 'Bearer unknown' },
  { ...nobody, name: 'an unknown session', authorization: `Bearer mses_${'0'.repeat(64)}` },
  { ...nobody, name: 'an unknown key', authorization: `Bearer service_${'0'.repeat(64)}` },
  ...SCOPES.map((scope) => ({
    ...nobody,
    name: `a static ${scope} token`,
    authorization: `Bearer ${TOKENS[scope]}`,
    scope,
    sees_all: scope === 'admin',
  })),
  ...ROLES.flatMap((role) => heldBy(role).map((held) => accountCaller(role, held))),
  // A cookie is a session all the same, and a viewer's key can do what its session can: for what is granted one of each
  // will do.
  ...(['viewer', 'member'] as const).flatMap((role) =>
    heldBy(role)
      .filter(({ by }) => by === 'session' || (by === 'key' && role === 'member'))
      .flatMap((held) =>
        LEVELS.flatMap((level) =>
          (['project', 'suite'] as const).map((at) => accountCaller(role, held, { grant: { level, at } })),
        ),
      ),
  ),
  ...(['viewer', 'member'] as const).flatMap((demoted) =>
    ([{ by: 'session' }, { by: 'key', minted: 'admin' }] as const).map((held) =>
      accountCaller('admin', held, { demoted }),
    ),
  ),
  ...(['disabled', 'deleted', 'revoked'] as const).flatMap((lost) =>
    ([{ by: 'session' }, { by: 'cookie' }, { by: 'key', minted: 'admin' }] as const).map((held) =>
      lostCaller(held, lost),
    ),
  ),
]

type Headers = Readonly<Record<string, string>>

/** Makes the caller in an app, does what befell it, and answers the headers of its requests. */
const arrive = async (
  { service: { commit }, addUser, grant: give, as, holding }: SpecApp,
  { account, authorization, grant }: Caller,
  n: string,
): Promise<Headers> => {
  if (!account) return authorization === undefined ? {} : { authorization }
  const { role, held, lost, demoted } = account
  const { user_id, token, viewer } = await addUser(`user-${n}`, role)
  const key = newApiKey()
  const key_id = `key-${n}`
  if (held.by === 'key')
    await commit('mintKey', viewer, {
      key_id,
      name: null,
      scope: held.minted,
      prefix: prefixOf(key),
      secret_hash: hashOfToken(key),
    })
  const given: Grant | null = lost ? { level: 'manage', at: 'project' } : grant
  if (given) await give(user_id, given.level, HIDDEN.project, given.at === 'suite' ? HIDDEN.suite : null)
  // Known to the service before it is lost.
  expect((await holding(held.by === 'key' ? key : token)('GET', '/auth/me')).json()).toMatchObject({
    authenticated: true,
    user: { id: user_id },
  })
  if (demoted) await commit('changeUser', SYSTEM, { user_id, role: demoted, disabled: null, password_hash: null })
  if (lost === 'disabled')
    expect(
      (await as('admin')('PATCH', `/users/${user_id}`, { headers: JSON_TYPE, body: '{"disabled":true}' })).statusCode,
    ).toBe(200)
  if (lost === 'deleted') expect((await as('admin')('DELETE', `/users/${user_id}`)).statusCode).toBe(204)
  if (lost === 'revoked' && held.by === 'key') await commit('revokeKey', viewer, { key_id })
  if (lost === 'revoked' && held.by !== 'key')
    expect((await holding(token)('POST', '/auth/logout')).statusCode).toBe(200)
  return held.by === 'cookie'
    ? { cookie: `service_session=${token}` }
    : { authorization: `Bearer ${held.by === 'key' ? key : token}` }
}

const JSON_TYPE = { 'content-type': 'application/json' } as const

type Outcome = { readonly status: number; readonly error?: string | undefined }

/** What the scope gate says; null lets through. */
const atGate = (mode: AuthMode, needed: Rule['scope'], { scope }: Caller): Outcome | null => {
  const required =
    needed === 'any' || needed === null || mode === 'open' || (mode === 'protect-writes' && needed === 'read')
      ? null
      : needed
  if (scope === null && (needed === 'any' || required !== null))
    return { status: 401, error: 'authentication required' }
  return required !== null && !reaches(scope, required)
    ? { status: 403, error: `insufficient scope: ${required} is needed` }
    : null
}

const sees = ({ sees_all, grant }: Caller): boolean => sees_all || grant !== null

const levelOf = ({ sees_all, grant }: Caller, of: Grant['at']): Level | null =>
  sees_all ? 'manage' : grant && (grant.at === 'project' || of === 'suite') ? grant.level : null

/** Whether a request names the suite, and not the project alone. */
const ofSuite = (route: string, query = ''): boolean =>
  route.includes('/suites/') || query.includes('suite=') || route === 'POST /api/v1/runs'

/** What is behind the gate: who one is, then the set. */
const behindGate = (
  route: string,
  { done, error, level, refused, account, seesAll, query }: Rule,
  caller: Caller,
): Outcome => {
  if (seesAll && !caller.sees_all) return { status: 403, error: 'insufficient scope: the audit trail is for admins' }
  if (account && !caller.has_account) return { status: 403, error: 'a user account is required' }
  if (account === 'owner' && !caller.sees_all) return { status: 403, error: 'not your api key' }
  // All runs of the project are in the suite: who sees that sees the project.
  const has = level === 'view' && sees(caller) ? 'view' : levelOf(caller, ofSuite(route, query) ? 'suite' : 'project')
  if (level && refused && !includes(has, level)) return { status: refused[0], error: refused[1] }
  return { status: done, error }
}

describe.each(MODES)('who may do what in %s mode', (mode) => {
  let spec: SpecApp
  let answers: ReturnType<typeof answersOf>
  let documented: ApiDocument['paths']
  beforeAll(async () => {
    spec = await openApp({ mode })
    const document = (await spec.as(null)('GET', '/openapi.json')).json<ApiDocument>()
    answers = answersOf(document)
    documented = document.paths
    for (const run of [OPEN_RUN, hiddenRun('hidden')]) expect((await spec.ingest(run)).statusCode).toBe(201)
    await spec.restrict(HIDDEN.project)
    // Another admin stays, whatever becomes of the callers.
    await spec.addUser('root', 'admin')
    const { viewer } = await spec.addUser(BYSTANDER.user_id)
    await spec.service.commit('mintKey', viewer, {
      key_id: BYSTANDER.key_id,
      name: null,
      scope: null,
      prefix: 'service_0000',
      secret_hash: 'digest',
    })
  })
  afterAll(() => spec.close())

  it('is ruled for every route that there is', () => {
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
      at,
    }: { readonly own: OwnNames; readonly headers: Headers; readonly caller: Caller; readonly at: number },
  ): Promise<void> => {
    const [method = '', url = ''] = route.split(' ')
    const path = filled(url, { ...NAMES, ...rule.names?.(own) })
    const send = (
      sent: {
        readonly method?: string
        readonly query?: string | undefined
        readonly body?: string | undefined
        readonly extra?: Headers
      } = {},
    ) =>
      spec.app.inject({
        method: (sent.method ?? method) as 'GET',
        url: sent.query === undefined ? path : `${path}?${sent.query}`,
        headers: { ...headers, ...(sent.body === undefined ? {} : JSON_TYPE), ...sent.extra },
        ...(sent.body === undefined ? {} : { payload: sent.body }),
      })
    const known = url.replace(/:(\w+)/g, '{$1}')
    const expectAnswer = (answer: LightMyRequestResponse, { status, error }: Outcome, what: string): void => {
      const { statusCode, body, headers: got } = answer
      // Compared by hand: with an assertion each, 80,000 answers would take a fifth longer.
      const wrong = [
        statusCode === status ? null : `status ${statusCode} instead of ${status}`,
        typeof got['x-request-id'] === 'string' ? null : 'no x-request-id',
        got['www-authenticate'] === (status === 401 ? 'Bearer realm="service"' : undefined)
          ? null
          : `www-authenticate: ${String(got['www-authenticate'])}`,
        status < 400 || got['content-type'] === 'application/json' ? null : `content-type: ${got['content-type']}`,
        error === undefined || body === JSON.stringify({ error }) ? null : `not the error "${error}"`,
        documented[known] ? answers.problem(known, method, answer) : null,
      ].filter((each) => each !== null)
      if (wrong.length > 0) expect.fail(`${route}, ${what}: ${wrong.join('; ')}: ${body.slice(0, 300)}`)
    }

    const refused = atGate(mode, rule.scope, caller)
    // The gate refuses the same on any storage, and behind it every mode is alike. A write may undo what another did,
    // so a caller makes all of them or none; but a session has to end.
    const isAlike = refused !== null || mode !== 'closed'
    const n = refused !== null || method === 'GET' ? numberOf(route, at) : at
    if (isAlike && !isTaken(n) && !route.endsWith('/auth/logout')) return
    const isUnsafe = method !== 'GET'
    if (isUnsafe && 'cookie' in headers && caller.has_account) {
      // What another site made a browser send is refused before everything else.
      const forged = await send({ query: 'unknown=1', body: '{', extra: { origin: 'https://elsewhere.example' } })
      expectAnswer(forged, { status: 403, error: CROSS_ORIGIN }, 'sent by another site')
    }
    // A credential that is too weak is told before what else is wrong: query, then body, then the set. A grant changes
    // nothing of that. What is refused before a storage is asked for anything but the credential shows nothing new on a
    // second one.
    if (!caller.grant && !onPostgres) {
      expectAnswer(
        await send({ query: 'unknown=1', body: isUnsafe ? '{' : undefined }),
        refused ?? { status: 400 },
        'malformed',
      )
      if (rule.body) expectAnswer(await send({ body: '{' }), refused ?? { status: 400 }, 'no JSON')
      if (rule.body)
        expectAnswer(
          await send({ body: JSON.stringify(rule.wrongBody ?? []) }),
          refused ?? { status: 422 },
          'another shape',
        )
    }
    const outcome = refused ?? behindGate(route, rule, caller)
    const answer = await send({ query: rule.query, body: rule.body && JSON.stringify(rule.body(own)) })
    expectAnswer(answer, outcome, 'as it should be')
    if (rule.shows && outcome.status === 200)
      expect(answer.body.includes(rule.shows), `${route}: ${answer.body}`).toBe(sees(caller))
    if (method !== 'GET' || caller.grant || onPostgres) return
    const head = await send({ method: 'HEAD', query: rule.query })
    expect([head.statusCode, head.body], `HEAD of ${route}`).toEqual([outcome.status, ''])
  }

  it.each(CALLERS.map((caller, i) => ({ ...caller, n: String(i) })))('$name', async ({ n, ...caller }) => {
    const own = ownNames(n)
    const headers = await arrive(spec, caller, n)
    expect((await spec.ingest(hiddenRun(own.doomed), { caller: 'admin' })).statusCode).toBe(201)
    await spec.service.commit('createUser', SYSTEM, {
      user_id: own.spare,
      username: own.spare,
      password_hash: '',
      role: 'member',
    })
    for (const [route, rule] of Object.entries(RULES)) await cell(route, rule, { own, headers, caller, at: Number(n) })
    // Signing out ended the session, and nothing but a session.
    const { authenticated } = (await spec.app.inject({ url: '/api/v1/auth/me', headers })).json<{
      authenticated: boolean
    }>()
    expect(authenticated).toBe(caller.scope !== null && (!caller.account || caller.account.held.by === 'key'))
  })
})

describe('who may see nothing', () => {
  const bare = ({
    statusCode,
    body,
    headers: { 'x-request-id': _, date: __, ...headers },
  }: LightMyRequestResponse) => ({ statusCode, body, headers })

  it.each(MODES)(
    'is answered as on a server where nothing ever was, byte for byte, on every read path, in %s mode',
    async (mode) => {
      const open = async () => {
        const spec = await openApp({ mode, now: () => Date.UTC(2026, 4, 5) })
        return { spec, users: [await spec.addUser('onlooker', 'viewer'), await spec.addUser('worker')] }
      }
      const [full, empty] = [await open(), await open()]
      for (const run of [OPEN_RUN, hiddenRun('hidden')]) expect((await full.spec.ingest(run)).statusCode).toBe(201)
      await full.spec.as('admin')('PUT', '/projects/secret/suites/vault/baseline', {
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
      for (const [mine, theirs] of callers) {
        // The second time from the cache.
        for (const [route, { query, names }] of [...reads, ...reads]) {
          const [, url = ''] = route.split(' ')
          const path = filled(url, { ...NAMES, ...names?.(ownNames('x')) })
          for (const method of ['GET', 'HEAD'] as const) {
            const answer = ({ app }: SpecApp, token: string | null) =>
              app.inject({
                method,
                url: query ? `${path}?${query}` : path,
                headers: token === null ? {} : { authorization: `Bearer ${token}` },
              })
            expect(bare(await answer(full.spec, mine)), `${method} ${path}`).toEqual(
              bare(await answer(empty.spec, theirs)),
            )
          }
        }
      }
      await Promise.all([full.spec.close(), empty.spec.close()])
    },
  )
})
