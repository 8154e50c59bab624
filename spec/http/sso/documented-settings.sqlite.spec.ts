import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../cli/serve/config.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { rsaKey } from '../../support/sso/certificate.ts'
import { followUntil } from '../../support/sso/follow-redirects.ts'
import { startOidcProvider, type OidcAccount } from '../../support/sso/oidc/oidc-provider.ts'
import { idpMetadataXml, readAuthnRequest, samlResponse, type SamlAttribute } from '../../support/sso/saml/saml-idp.ts'
import { startSamlIdp } from '../../support/sso/saml/saml-idp-server.ts'
import { comeBack, cookieIn, post, start } from '../../support/sso/sso-app.ts'

// The settings of docs/single-sign-on.md, as they stand there, with providers that answer like the real ones. Only what
// names one customer's provider is replaced: its address, and the certificate.

const PAGE = readFileSync(new URL('../../../docs/single-sign-on.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'ers-sso-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The variables of a section. */
const settingsOf = (heading: string): Record<string, string> => {
  const section = PAGE.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const [, block = ''] = /```ini\n(.*?)```/s.exec(section) ?? []
  return Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** Opens an app with the variables of a section, some of them replaced. */
const openWith = (env: Readonly<Record<string, string>>): Promise<SpecApp> => {
  const { sso, publicUrl, cookieSecure } = readConfig(env)
  return openApp({ sso, publicUrl, cookieSecure })
}

const accountAfter = async (app: SpecApp, step: Parameters<typeof cookieIn>[0]) => {
  const answer = await app.sendWithToken(cookieIn(step, 'service_session'))('GET', '/auth/me')
  const { user } = answer.json<{
    user: { username: string; role: string; identities: Array<{ email: unknown }> } | null
  }>()
  return user && [user.username, user.role, user.identities[0]?.email]
}

const GROUP = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

type OidcLike = {
  readonly like: string
  readonly name: string
  /** Whether the ID token has all claims, and the method for the secret that the metadata names. */
  readonly isComplete: boolean
  readonly admin: OidcAccount
  readonly other: OidcAccount
  readonly expected: ReadonlyArray<readonly unknown[] | string>
}

const OIDC: readonly OidcLike[] = [
  {
    like: 'Keycloak, OIDC',
    name: 'keycloak',
    isComplete: true,
    admin: {
      sub: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      email: 'mira@example.com',
      email_verified: true,
      preferred_username: 'mira',
      groups: ['evals-admins', 'staff'],
    },
    other: { sub: '2', email: 'jon@example.com', email_verified: false, preferred_username: 'jon', groups: ['staff'] },
    expected: [
      ['mira', 'admin', 'mira@example.com'],
      ['keycloak-2', 'member', null],
    ],
  },
  {
    // Without `email_verified`, and with a subject that is different for each application.
    like: 'Microsoft Entra ID, OIDC',
    name: 'entra',
    isComplete: true,
    admin: { sub: 'kX2fQ0abCD-x', oid: '7d', tid: '11', email: 'mira@example.com', groups: [GROUP] },
    other: { sub: 'AAAAAb3', oid: '7e', tid: '11', email: 'jon@example.com', groups: [] },
    expected: [
      ['entra-kx2fq0ab', 'admin', null],
      ['entra-aaaaab3', 'member', null],
    ],
  },
  {
    // What belongs to scopes is in the answer of userinfo alone.
    like: 'Okta, OIDC',
    name: 'okta',
    isComplete: false,
    admin: { sub: '00u1', email: 'mira@example.com', email_verified: true, groups: ['Everyone', 'Evals Admins'] },
    other: { sub: '00u2', email: 'jon@elsewhere.example', email_verified: true, groups: ['Everyone'] },
    expected: [['mira', 'admin', 'mira@example.com'], '/login?sso_error=email_not_allowed&provider=okta'],
  },
  {
    like: 'Google, OIDC',
    name: 'google',
    isComplete: true,
    admin: { sub: '110169484474386276334', hd: 'example.com', email: 'Mira@example.com', email_verified: true },
    other: { sub: '110169484474386276335', email: 'jon@gmail.example', email_verified: true },
    expected: [['mira', 'admin', 'Mira@example.com'], '/login?sso_error=email_not_allowed&provider=google'],
  },
]

describe.each(OIDC)('the settings for $like', ({ like, name, isComplete, admin, other, expected }) => {
  it('sign people in', async () => {
    const env = settingsOf(like)
    const prefix = `SERVICE_OIDC_${name.toUpperCase()}`
    const publicUrl = env['SERVICE_PUBLIC_URL'] ?? ''
    const idp = await startOidcProvider({
      publicUrl,
      name,
      accounts: [admin, other],
      clientId: env[`${prefix}_CLIENT_ID`] ?? '',
      clientSecret: env[`${prefix}_CLIENT_SECRET`] ?? '',
      authMethod: isComplete ? 'client_secret_post' : 'client_secret_basic',
      conformIdTokenClaims: !isComplete,
    })
    const app = await openWith({ ...env, [`${prefix}_ISSUER`]: idp.issuer })
    try {
      const ends: unknown[] = []
      for (const { sub } of [admin, other]) {
        idp.signInAs(sub)
        const started = await start(app, { kind: 'oidc', name })
        const { search } = await followUntil(started.to, `${publicUrl}/api/v1/auth/oidc/${name}/callback`)
        const cookie = started.cookies[0]?.split(';')[0]
        const ended = await comeBack(app, name, search.slice(1), cookie)
        ends.push(ended.to === '/' ? await accountAfter(app, ended) : ended.to)
      }
      expect(ends).toEqual(expected)
    } finally {
      await app.close()
      await idp.close()
    }
  })
})

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const attribute = (attributeName: string, ...values: readonly string[]): SamlAttribute => ({
  name: attributeName,
  values,
})

type SamlLike = {
  readonly like: string
  readonly name: string
  readonly sign: 'response' | 'assertion' | 'both'
  readonly nameIdFormat: string
  readonly people: ReadonlyArray<{ readonly nameId: string; readonly attributes: readonly SamlAttribute[] }>
  readonly expected: ReadonlyArray<readonly unknown[] | string>
}

const SAML: readonly SamlLike[] = [
  {
    like: 'Keycloak, SAML',
    name: 'keycloak',
    sign: 'both',
    nameIdFormat: PERSISTENT,
    people: [
      {
        nameId: 'G-3f2504e0',
        attributes: [attribute('email', 'mira@example.com'), attribute('groups', 'staff', 'evals-admins')],
      },
      { nameId: 'G-2', attributes: [attribute('email', 'jon@example.com'), attribute('Role', 'evals-admins')] },
    ],
    expected: [
      ['mira', 'admin', 'mira@example.com'],
      ['jon', 'member', 'jon@example.com'],
    ],
  },
  {
    like: 'Microsoft Entra ID, SAML',
    name: 'entra',
    sign: 'assertion',
    nameIdFormat: PERSISTENT,
    people: [
      {
        nameId: '7d444840-9dc0-11d1-b245-5ffdce74fad2',
        attributes: [
          attribute(`${CLAIMS}/emailaddress`, 'mira@example.com'),
          attribute(`${CLAIMS}/name`, 'mira@corp.onmicrosoft.com'),
          attribute('http://schemas.microsoft.com/ws/2008/06/identity/claims/groups', GROUP, 'other'),
        ],
      },
      { nameId: '8', attributes: [attribute(`${CLAIMS}/emailaddress`, 'jon@elsewhere.example')] },
    ],
    expected: [['mira', 'admin', 'mira@example.com'], '/login?sso_error=email_not_allowed&provider=entra'],
  },
  {
    like: 'Okta, SAML',
    name: 'okta',
    sign: 'both',
    nameIdFormat: PERSISTENT,
    people: [
      {
        nameId: '00u1',
        attributes: [attribute('email', 'mira@example.com'), attribute('groups', 'Everyone', 'Evals Admins')],
      },
      { nameId: '00u2', attributes: [attribute('email', 'jon@example.com'), attribute('groups', 'Everyone')] },
    ],
    expected: [
      ['mira', 'admin', 'mira@example.com'],
      ['jon', 'member', 'jon@example.com'],
    ],
  },
  {
    // Without the mapping of `email`: the NameID is an address.
    like: 'Google, SAML',
    name: 'google',
    sign: 'response',
    nameIdFormat: EMAIL,
    people: [
      { nameId: 'mira@example.com', attributes: [attribute('groups', 'evals-admins')] },
      { nameId: 'jon@elsewhere.example', attributes: [] },
    ],
    expected: [['mira', 'admin', 'mira@example.com'], '/login?sso_error=email_not_allowed&provider=google'],
  },
]

describe.each(SAML)('the settings for $like', ({ like, name, sign, nameIdFormat, people, expected }) => {
  it('sign people in', async () => {
    const env = settingsOf(like)
    const prefix = `SERVICE_SAML_${name.toUpperCase()}`
    const publicUrl = env['SERVICE_PUBLIC_URL'] ?? ''
    const key = rsaKey()
    const idp = await startSamlIdp({ publicUrl, provider: name, accounts: [], now: Date.now, key })
    const issuer = idp.metadataUrl
    const file = join(folder, `${name}.xml`)
    writeFileSync(file, idpMetadataXml({ entityId: issuer, ssoUrl: idp.url, certificates: [key.certificate] }))
    const source = `${prefix}_IDP_METADATA_FILE` in env ? 'FILE' : 'URL'
    const app = await openWith({ ...env, [`${prefix}_IDP_METADATA_${source}`]: source === 'FILE' ? file : issuer })
    try {
      const ends: unknown[] = []
      for (const [n, person] of people.entries()) {
        const started = await start(app, { kind: 'saml', name })
        const { id, acsUrl, issuer: audience, relayState } = readAuthnRequest(started.to)
        const response = samlResponse(
          {
            at: Date.now(),
            acsUrl,
            audience,
            issuer,
            requestId: id,
            nameIdFormat,
            ...person,
            assertionId: `_${n}`,
            responseId: `_response-${n}`,
          },
          { key, sign },
        )
        const cookie = started.cookies[0]?.split(';')[0] ?? ''
        const ended = await post(app, name, { SAMLResponse: response, RelayState: relayState ?? '' }, { cookie })
        ends.push(ended.to === '/' ? await accountAfter(app, ended) : ended.to)
      }
      expect(ends).toEqual(expected)
    } finally {
      await app.close()
      await idp.close()
    }
  })
})

it('the page has settings for the providers of this specification, and no others', () => {
  const headings = [...PAGE.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual([...OIDC, ...SAML].map(({ like }) => like))
})
