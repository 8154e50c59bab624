import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReverseProxy, type ReverseProxy } from '../../support/servers/reverse-proxy.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { rsaKey } from '../../support/sso/certificate.ts'
import { startOidcProvider, type RunningOidcProvider } from '../../support/sso/oidc/oidc-provider.ts'
import { readAuthnRequest, samlResponse } from '../../support/sso/saml/saml-idp.ts'
import { startSamlIdp, type RunningSamlIdp } from '../../support/sso/saml/saml-idp-server.ts'
import { followUntil } from '../../support/sso/follow-redirects.ts'

// Signs in through both kinds of providers, in every way that succeeds or fails, and searches the secrets and the
// personal data of these sign-ins in what the service writes.

const KEY = rsaKey()
const PERSON = {
  sub: 'subject-7f3a9c',
  email: 'canary.person@mail.example',
  email_verified: true,
  groups: ['group-5e1d'],
}
const STRANGER = { sub: 'subject-stranger-1b', email: 'stranger@elsewhere.example', email_verified: true }
const SAML_NAME = 'name-id-44c8d2'

/** What must be found nowhere: collected while the sign-ins run. */
const secrets: string[] = [PERSON.sub, PERSON.email, STRANGER.sub, STRANGER.email, SAML_NAME, ...PERSON.groups]
let proxy: ReverseProxy
let oidc: RunningOidcProvider
let saml: RunningSamlIdp
let server: RunningServer
let outcomes: string[]

const get = async (path: string, cookie = ''): Promise<Response> =>
  fetch(`${proxy.url}${path}`, { redirect: 'manual', headers: { cookie } })

/** Notes the code of a failed sign-in, or the session of one that succeeded. */
const note = (answer: Response): void => {
  const location = answer.headers.get('location') ?? ''
  outcomes.push(new URLSearchParams(location.split('?')[1]).get('sso_error') ?? location)
  for (const cookie of answer.headers.getSetCookie()) {
    const [, token] = /^service_session=(mses_\w+)/.exec(cookie) ?? []
    if (token !== undefined) secrets.push(token)
  }
}

const beginOidc = async (sub: string): Promise<{ query: string; cookie: string }> => {
  oidc.signInAs(sub)
  const started = await get('/api/v1/auth/oidc/corp/start')
  const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const callback = await followUntil(
    started.headers.get('location') ?? '',
    `${proxy.url}/api/v1/auth/oidc/corp/callback`,
  )
  secrets.push(callback.searchParams.get('code') ?? '', callback.searchParams.get('state') ?? '')
  return { query: callback.search, cookie }
}
const endOidc = async ({ query, cookie }: { readonly query: string; readonly cookie: string }): Promise<void> =>
  note(await get(`/api/v1/auth/oidc/corp/callback${query}`, cookie))

/** Signs in through the SAML provider; `change` replaces parts of the response. */
const throughSaml = async (change: (xml: string) => string, assertionId: string, at = Date.now()): Promise<void> => {
  const started = await get('/api/v1/auth/saml/saml/start')
  const { id, acsUrl, issuer: audience, relayState } = readAuthnRequest(started.headers.get('location') ?? '')
  const response = samlResponse(
    {
      at,
      acsUrl,
      audience,
      issuer: saml.metadataUrl,
      requestId: id,
      nameId: SAML_NAME,
      attributes: [{ name: 'email', values: [PERSON.email] }],
      assertionId,
    },
    { key: KEY, sign: 'both' },
  )
  const sent = Buffer.from(change(Buffer.from(response, 'base64').toString())).toString('base64')
  secrets.push(relayState ?? '', sent.slice(sent.length / 2, sent.length / 2 + 40))
  const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  note(
    await fetch(acsUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ SAMLResponse: sent, RelayState: relayState ?? '' }),
    }),
  )
}

beforeAll(async () => {
  outcomes = []
  proxy = await startReverseProxy()
  oidc = await startOidcProvider({ publicUrl: proxy.url, name: 'corp', accounts: [PERSON, STRANGER] })
  saml = await startSamlIdp({ publicUrl: proxy.url, provider: 'saml', accounts: [], now: Date.now, key: KEY })
  secrets.push(oidc.clientSecret)
  server = await startServer({
    env: {
      RUST_LOG: 'trace',
      SERVICE_PUBLIC_URL: proxy.url,
      SERVICE_OIDC_PROVIDERS: 'corp',
      SERVICE_OIDC_CORP_ISSUER: oidc.issuer,
      SERVICE_OIDC_CORP_CLIENT_ID: oidc.clientId,
      SERVICE_OIDC_CORP_CLIENT_SECRET: oidc.clientSecret,
      SERVICE_OIDC_CORP_ADMIN_GROUPS: 'group-5e1d',
      SERVICE_OIDC_CORP_ALLOWED_EMAIL_DOMAINS: 'mail.example',
      SERVICE_SAML_PROVIDERS: 'saml',
      SERVICE_SAML_SAML_IDP_METADATA_URL: saml.metadataUrl,
    },
  })
  proxy.forwardTo(server.url)

  const first = await beginOidc(PERSON.sub)
  await endOidc(first)
  await endOidc(first)
  await endOidc(await beginOidc(STRANGER.sub))
  const { query, cookie } = await beginOidc(PERSON.sub)
  await endOidc({ query: `${query}&error=denied&error_description=${PERSON.email}`, cookie })
  const wrongCode = await beginOidc(PERSON.sub)
  await endOidc({ ...wrongCode, query: wrongCode.query.replace(/code=[^&]*/, `code=${PERSON.sub}`) })
  const unanswered = await beginOidc(PERSON.sub)
  oidc.setFailing(true)
  await endOidc(unanswered)
  oidc.setFailing(false)

  await throughSaml((xml) => xml, '_a')
  await throughSaml((xml) => xml, '_a')
  await throughSaml((xml) => xml, '_b', Date.now() - 3_600_000)
  await throughSaml((xml) => xml.replaceAll(SAML_NAME, 'another'), '_c')
  await throughSaml(() => `<${SAML_NAME}>${randomBytes(64).toString('hex')}`, '_d')
})
afterAll(async () => {
  await server.stop()
  rmSync(server.dataDir, { recursive: true, force: true })
  await Promise.all([oidc.close(), saml.close(), proxy.close()])
})

const asAdmin = async (path: string): Promise<string> => {
  const answer = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.token}` } })
  expect(answer.status).toBe(200)
  return answer.text()
}
const foundIn = (text: string): string[] => {
  const known = secrets.filter((secret) => secret !== '' && text.includes(secret))
  // ID tokens and access tokens never reach this process.
  return [...known, ...(text.match(/eyJ[\w-]{16,}/g) ?? [])]
}

describe('what is secret or personal in a sign-in through a provider', () => {
  it('was used in every way', () => {
    expect(outcomes).toEqual([
      '/',
      'invalid_state',
      'email_not_allowed',
      'access_denied',
      'provider_error',
      'provider_error',
      '/',
      'replayed',
      'expired',
      'provider_error',
      'provider_error',
    ])
    expect(secrets.filter((secret) => secret.startsWith('mses_')).length).toBe(2)
    expect(secrets.length).toBeGreaterThan(25)
  })

  it('is in no log line, at the most verbose level', async () => {
    // The last lines arrive after the last answer.
    await expect.poll(() => server.log.filter(({ msg }) => msg === 'a sign-in was refused').length).toBe(9)
    await expect.poll(() => server.log.filter(({ msg }) => msg === 'response').length).toBeGreaterThan(20)
    expect(foundIn(JSON.stringify(server.log))).toEqual([])
  })

  it('is in no metric', async () => expect(foundIn(await asAdmin('/metrics'))).toEqual([]))

  it('is in no record of the audit trail', async () => {
    const { events } = JSON.parse(await asAdmin('/api/v1/audit?limit=200')) as {
      events: Array<{ seq: number; type: string }>
    }
    // Only a service with a state directory makes a key of the log by itself.
    expect(new Set(events.map(({ type }) => type).filter((type) => type !== 'LogKeyAdopted'))).toEqual(
      new Set(['Started', 'UserCreated', 'IdentityLinked', 'SignedIn', 'SignInRefused']),
    )
    for (const { seq } of events) expect(foundIn(await asAdmin(`/api/v1/audit/${seq}`))).toEqual([])
  })

  it('is what an admin sees of an account, as far as it is the account of a person', async () => {
    const users = await asAdmin('/api/v1/users')
    expect(foundIn(users).sort()).toEqual([PERSON.email, PERSON.sub, SAML_NAME].sort())
  })

  it('is in no file, as far as it can be used to sign in', () => {
    const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    const usable = secrets.filter((secret) => secret.length >= 40)
    for (const text of texts) expect(usable.filter((secret) => text.includes(secret))).toEqual([])
  })
})
