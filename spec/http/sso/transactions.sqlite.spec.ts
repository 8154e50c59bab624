import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SsoRefused } from '../../../http/sso/provider.ts'
import { ssoTransactions } from '../../../http/sso/transactions.ts'
import { oidcConfig, samlConfig } from '../../support/sso/providers.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { member } from '../../support/access/viewers.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

const MINUTE = 60_000
const START = 1_777_885_244_000
const oidc = oidcConfig()
const saml = samlConfig()

let opened: FreshService
let at: number
beforeEach(async () => {
  at = START
  opened = await openFreshService({ now: () => at })
})
afterEach(() => opened.close())

const transactions = (cookieSecure = false) =>
  ssoTransactions({ commit: opened.service.commit, now: () => at, config: { cookieSecure } })
const stored = () => opened.sql.column('SELECT id_hash FROM sso_transactions ORDER BY expires_at')

/** Begins a sign-in. Returns its id and what came back. */
const begin = async (provider: typeof oidc | typeof saml = oidc, requestedPath: string | null = '/runs/1') => {
  let started = { id: '', nonce: '', codeVerifier: '' }
  const begun = await transactions().begin(member, provider, requestedPath, async (transaction) => {
    started = transaction
    return { url: `http://idp.invalid/${transaction.id}`, requestId: provider.kind === 'saml' ? '_request' : null }
  })
  return { ...begun, ...started, pair: begun.cookie.split(';')[0] ?? '' }
}
type Begun = Awaited<ReturnType<typeof begin>>

const take = ({ id, pair }: Pick<Begun, 'id' | 'pair'>, provider: typeof oidc | typeof saml = oidc) =>
  transactions().take(member, provider, { id, cookies: `a=b; ${pair}` })

const refusal = async (work: Promise<unknown>): Promise<[string, string]> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SsoRefused)) throw new Error('the sign-in was not refused', { cause: error })
  return [error.code, error.message]
}

describe('a sign-in through a provider', () => {
  it('is stored until the browser returns, under the digest of its id', async () => {
    const { id, nonce, codeVerifier, url, pair } = await begin()
    expect(url).toBe(`http://idp.invalid/${id}`)
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(pair).toBe(`service_txn=${id}`)
    expect(codeVerifier).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(new Set([id, nonce, codeVerifier]).size).toBe(3)
    expect(await stored()).toEqual([createHash('sha256').update(id).digest('hex')])
    expect(await take({ id, pair })).toEqual({
      provider: 'oidc:corp',
      return_to: '/runs/1',
      nonce,
      code_verifier: codeVerifier,
      request_id: null,
      expires_at: START + 10 * MINUTE,
    })
    expect(await stored()).toEqual([])
    expect(await opened.sql.column('SELECT type FROM events')).toEqual([])
  })

  it('needs no credential, and takes no notice of one that is no longer valid', async () => {
    const ended = viewerOf({ kind: 'session', credential_id: 'ended', user_id: 'deleted' }, null)
    let id = ''
    const { cookie } = await transactions().begin(ended, oidc, null, async (transaction) => {
      id = transaction.id
      return { url: '', requestId: null }
    })
    await expect(transactions().take(ended, oidc, { id, cookies: cookie.split(';')[0] })).resolves.toBeDefined()
  })

  it('is of another id each time', async () => expect((await begin()).id).not.toBe((await begin()).id))

  it('has the id of the request for SAML, and no secrets of OpenID', async () => {
    const begun = await begin(saml)
    expect(begun.pair).toBe(`service_saml_txn=${begun.id}`)
    expect(await take(begun, saml)).toMatchObject({
      provider: 'saml:corp',
      request_id: '_request',
      nonce: null,
      code_verifier: null,
    })
  })

  it.each([
    [null, '/'],
    ['//evil.example', '/'],
    ['/runs?project=chat#a', '/runs?project=chat#a'],
  ])('returns only to a path of the service (%j)', async (requestedPath, path) =>
    expect(await take(await begin(oidc, requestedPath))).toMatchObject({ return_to: path }),
  )

  it('is stored only if the provider could be asked', async () => {
    const failure = new SsoRefused('provider_error', 'unreachable')
    await expect(transactions().begin(member, oidc, null, () => Promise.reject(failure))).rejects.toBe(failure)
    expect(await stored()).toEqual([])
  })
})

describe('the return of the browser is refused', () => {
  it.each([
    ['no id', (begun: Begun) => ({ id: null, cookies: begun.pair }), /without the id/],
    ['no cookie', (begun: Begun) => ({ id: begun.id, cookies: undefined }), /without the cookie/],
    [
      'another cookie',
      (begun: Begun) => ({ id: begun.id, cookies: `service_txn=${'0'.repeat(64)}` }),
      /another sign-in/,
    ],
    [
      'the cookie of SAML',
      (begun: Begun) => ({ id: begun.id, cookies: `service_saml_txn=${begun.id}` }),
      /without the/,
    ],
    ['the id of another sign-in', (begun: Begun) => ({ id: 'f'.repeat(64), cookies: begun.pair }), /another sign-in/],
    ['an id in capitals', (begun: Begun) => ({ id: begun.id.toUpperCase(), cookies: begun.pair }), /another sign-in/],
    ['an empty id', () => ({ id: '', cookies: 'service_txn=' }), /without the cookie/],
  ])('with %s, which uses nothing up', async (_, returned, message) => {
    const begun = await begin()
    const [code, text] = await refusal(transactions().take(member, oidc, returned(begun)))
    expect(code).toBe('invalid_state')
    expect(text).toMatch(message)
    expect(text).not.toContain(begun.id)
    await expect(take(begun)).resolves.toMatchObject({ nonce: begun.nonce })
  })

  it('for an id that was never issued', async () => {
    const id = 'a'.repeat(64)
    expect(await refusal(take({ id, pair: `service_txn=${id}` }))).toEqual([
      'invalid_state',
      'the sign-in is unknown, or was used already',
    ])
  })

  it('the second time, also if ten browsers return at once', async () => {
    const begun = await begin()
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => take(begun)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await refusal(take(begun))).toEqual(['invalid_state', 'the sign-in is unknown, or was used already'])
  })

  it.each([
    ['of another name', oidcConfig({ name: 'other' })],
    ['of another kind', saml],
  ])('at a provider %s, and the sign-in is used up', async (_, other) => {
    const begun = await begin()
    const pair = other.kind === 'saml' ? `service_saml_txn=${begun.id}` : begun.pair
    expect(await refusal(take({ ...begun, pair }, other))).toEqual([
      'invalid_state',
      'the sign-in was started with another provider',
    ])
    expect(await refusal(take(begun))).toEqual(['invalid_state', 'the sign-in is unknown, or was used already'])
  })

  it('after ten minutes', async () => {
    const [early, late] = [await begin(), await begin()]
    at = START + 10 * MINUTE - 1
    await expect(take(early)).resolves.toMatchObject({ nonce: early.nonce })
    at += 1
    expect(await refusal(take(late))).toEqual(['invalid_state', 'the sign-in was started more than ten minutes ago'])
    expect(await stored()).toEqual([])
  })
})

it('expired sign-ins are deleted by later ones, at most a hundred at a time', async () => {
  await opened.sql.execute(
    `INSERT INTO sso_transactions (id_hash, provider, return_to, expires_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
       SELECT 'old' || i, 'oidc:corp', '/', ${START} - i FROM n`,
  )
  const first = await begin()
  expect(await stored()).toHaveLength(51)
  await begin()
  expect(await stored()).toHaveLength(2)
  at = START + 10 * MINUTE - 1
  await begin()
  await expect(take(first)).resolves.toBeDefined()
})

describe('the cookie of a sign-in', () => {
  const attributes = async (provider: typeof oidc | typeof saml, secure: boolean): Promise<string> => {
    const { cookie } = await transactions(secure).begin(member, provider, null, async () => ({
      url: '',
      requestId: null,
    }))
    return cookie.replace(/=[0-9a-f]{64};/, '=ID;')
  }

  it('is for the routes of sign-ins alone, and lasts ten minutes', async () => {
    expect(await attributes(oidc, false)).toBe('service_txn=ID; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=600')
    expect(await attributes(oidc, true)).toBe(
      'service_txn=ID; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=600; Secure',
    )
  })

  it('comes with the form of a SAML provider where cookies are secure', async () => {
    expect(await attributes(saml, true)).toBe(
      'service_saml_txn=ID; HttpOnly; SameSite=None; Path=/api/v1/auth; Max-Age=600; Secure',
    )
    expect(await attributes(saml, false)).toBe(
      'service_saml_txn=ID; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=600',
    )
  })

  it('is deleted under the same name and path', () => {
    expect(transactions().clearedCookie(oidc)).toBe(
      'service_txn=; HttpOnly; SameSite=Lax; Path=/api/v1/auth; Max-Age=0',
    )
    expect(transactions(true).clearedCookie(saml)).toBe(
      'service_saml_txn=; HttpOnly; SameSite=None; Path=/api/v1/auth; Max-Age=0; Secure',
    )
  })
})
