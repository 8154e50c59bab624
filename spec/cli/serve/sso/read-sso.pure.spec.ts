import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { InvalidConfig, readConfig } from '../../../../cli/serve/config.ts'
import { PROVIDER_VARIABLES } from '../../../../cli/serve/variables.ts'
import type { SsoConfig } from '../../../../http/sso/config.ts'
import { CERTIFICATES, pemOf } from '../../../support/sso/saml/idp-certificates.ts'
import { KNOWN_SHAPES, metadataWith } from '../../../support/sso/saml/idp-metadata.ts'

type Env = Readonly<Record<string, string>>

const PUBLIC = { SERVICE_PUBLIC_URL: 'https://results.example' }
const OIDC = {
  ...PUBLIC,
  SERVICE_OIDC_PROVIDERS: 'corp',
  SERVICE_OIDC_CORP_ISSUER: 'https://idp.example/realms/corp/',
  SERVICE_OIDC_CORP_CLIENT_ID: 'results',
  SERVICE_OIDC_CORP_CLIENT_SECRET: 's3cret of the client',
}
const SAML = {
  ...PUBLIC,
  SERVICE_SAML_PROVIDERS: 'my-idp',
  SERVICE_SAML_MY_IDP_IDP_METADATA_URL: 'https://idp.example/metadata?app=1',
}
const SOURCES =
  'SERVICE_SAML_MY_IDP_IDP_METADATA_URL, SERVICE_SAML_MY_IDP_IDP_METADATA_FILE, or SERVICE_SAML_MY_IDP_IDP_SSO_URL with SERVICE_SAML_MY_IDP_IDP_CERT'

const without = (env: Env, ...names: readonly string[]): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))

const ssoOf = (env: Env): SsoConfig | null => readConfig(env).sso

/** The only provider of a configuration. */
const providerOf = (env: Env): SsoConfig['providers'][number] | undefined => ssoOf(env)?.providers[0]

/** The errors of a configuration, one per line. */
const wrongIn = (env: Env): string[] => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n')
    throw error
  }
  return []
}
const inFolder = (name: string): string => join(folder, name)
const folder = mkdtempSync(join(tmpdir(), 'ers-sso-'))
writeFileSync(inFolder('idp.xml'), metadataWith())
writeFileSync(inFolder('keyless.xml'), metadataWith({ keys: '' }))
writeFileSync(inFolder('latin1.xml'), Buffer.from('<a>\u00fc</a>', 'latin1'))
writeFileSync(inFolder('large.xml'), '')
// More than can be read at once. It takes no room on the disk.
truncateSync(inFolder('large.xml'), 3 * 2 ** 30)
mkdirSync(inFolder('folder'))
for (const [like, xml] of KNOWN_SHAPES) writeFileSync(inFolder(like), xml)
afterAll(() => rmSync(folder, { recursive: true }))

describe('identity providers', () => {
  it('are none without variables', () => {
    expect(ssoOf(PUBLIC)).toBeNull()
    expect(ssoOf({ SERVICE_OIDC_PROVIDERS: '', SERVICE_SAML_PROVIDERS: ' , ,' })).toBeNull()
  })

  it('have defaults with OpenID Connect', () =>
    expect(ssoOf(OIDC)).toEqual({
      publicUrl: 'https://results.example',
      clockSkewSecs: 60,
      defaultRole: 'member',
      providers: [
        {
          kind: 'oidc',
          name: 'corp',
          label: 'Corp',
          issuer: 'https://idp.example/realms/corp/',
          clientId: 'results',
          clientSecret: 's3cret of the client',
          scopes: ['openid', 'email', 'profile'],
          groupsClaim: 'groups',
          adminGroups: [],
          groupRoles: [],
          groupGrants: [],
          adminEmails: [],
          allowedDomains: null,
        },
      ],
    } satisfies SsoConfig))

  it('have defaults with SAML', () =>
    expect(ssoOf(SAML)).toEqual({
      publicUrl: 'https://results.example',
      clockSkewSecs: 60,
      defaultRole: 'member',
      providers: [
        {
          kind: 'saml',
          name: 'my-idp',
          label: 'My-idp',
          idp: { from: 'url', url: 'https://idp.example/metadata?app=1' },
          spEntityId: 'https://results.example/api/v1/auth/saml/my-idp/metadata',
          emailAttr: null,
          groupsAttr: 'groups',
          allowIdpInitiated: false,
          adminGroups: [],
          groupRoles: [],
          groupGrants: [],
          adminEmails: [],
          allowedDomains: null,
        },
      ],
    } satisfies SsoConfig))

  it('are in the order of the variables, OIDC first', () => {
    const more = ['Z', 'A_1', '9'].flatMap((name) =>
      ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'].map((ending): Env => ({
        [`SERVICE_OIDC_${name}_${ending}`]: 'http://idp.example',
      })),
    )
    const env = Object.assign({ SERVICE_OIDC_PROVIDERS: ' z,, a-1 ,9' }, SAML, ...more) as Env
    expect(ssoOf(env)?.providers.map(({ kind, name }) => `${kind}:${name}`)).toEqual([
      'oidc:z',
      'oidc:a-1',
      'oidc:9',
      'saml:my-idp',
    ])
  })

  it('have rules that are separated by commas', () =>
    expect(
      providerOf({
        ...OIDC,
        SERVICE_OIDC_CORP_ADMIN_GROUPS: ' Admins, /ops ,,Admins',
        SERVICE_OIDC_CORP_ADMIN_EMAILS: ' Ada@Example.com ,bob@example.com',
        SERVICE_OIDC_CORP_GROUP_ROLES: 'readers:viewer, a%3Ab:admin',
        SERVICE_OIDC_CORP_GROUP_GRANTS: 'team:shop/refunds:upload,,team:desk:view',
        SERVICE_OIDC_CORP_ALLOWED_EMAIL_DOMAINS: 'Example.com , EXAMPLE.org,localhost',
      }),
    ).toMatchObject({
      adminGroups: ['Admins', '/ops'],
      groupRoles: [
        { group: 'readers', role: 'viewer' },
        { group: 'a:b', role: 'admin' },
      ],
      groupGrants: [
        { group: 'team', project: 'shop', suite: 'refunds', level: 'upload' },
        { group: 'team', project: 'desk', suite: null, level: 'view' },
      ],
      adminEmails: ['ada@example.com', 'bob@example.com'],
      allowedDomains: ['example.com', 'example.org', 'localhost'],
    }))

  it.each([
    ['SERVICE_OIDC_CORP_LABEL', 'Corp Ltd', { label: 'Corp Ltd' }],
    ['SERVICE_OIDC_CORP_ISSUER', 'http://idp.example', { issuer: 'http://idp.example' }],
    ['SERVICE_OIDC_CORP_SCOPES', 'groups', { scopes: ['openid', 'groups'] }],
    ['SERVICE_OIDC_CORP_SCOPES', ' email,  groups email, openid', { scopes: ['openid', 'email', 'groups'] }],
    ['SERVICE_OIDC_CORP_GROUPS_CLAIM', 'https://example.com/roles', { groupsClaim: 'https://example.com/roles' }],
  ])('of OpenID Connect have %s=%j', (name, value, read) =>
    expect(providerOf({ ...OIDC, [name]: value })).toEqual({ ...providerOf(OIDC), ...read }),
  )

  it.each([
    ['SERVICE_SAML_MY_IDP_LABEL', 'Corp', { label: 'Corp' }],
    ['SERVICE_SAML_MY_IDP_SP_ENTITY_ID', 'urn:example:results', { spEntityId: 'urn:example:results' }],
    ['SERVICE_SAML_MY_IDP_EMAIL_ATTR', 'urn:oid:0.9.2342', { emailAttr: 'urn:oid:0.9.2342' }],
    ['SERVICE_SAML_MY_IDP_GROUPS_ATTR', 'memberOf', { groupsAttr: 'memberOf' }],
    ['SERVICE_SAML_MY_IDP_ALLOW_IDP_INITIATED', 'yes', { allowIdpInitiated: true }],
    ['SERVICE_SAML_MY_IDP_ALLOW_IDP_INITIATED', '0', { allowIdpInitiated: false }],
  ])('of SAML have %s=%j', (name, value, read) =>
    expect(providerOf({ ...SAML, [name]: value })).toEqual({ ...providerOf(SAML), ...read }),
  )

  it.each([
    ['SERVICE_SSO_CLOCK_SKEW_SECS', '0', { clockSkewSecs: 0 }],
    ['SERVICE_SSO_CLOCK_SKEW_SECS', '600', { clockSkewSecs: 600 }],
    ['SERVICE_SSO_DEFAULT_ROLE', 'viewer', { defaultRole: 'viewer' }],
  ])('have %s=%s', (name, value, read) =>
    expect(ssoOf({ ...OIDC, [name]: value })).toEqual({ ...ssoOf(OIDC), ...read }),
  )

  const MANUAL = {
    ...without(SAML, 'SERVICE_SAML_MY_IDP_IDP_METADATA_URL'),
    SERVICE_SAML_MY_IDP_IDP_SSO_URL: 'https://idp.example/sso?tenant=1',
    SERVICE_SAML_MY_IDP_IDP_CERT: pemOf('RSA') + pemOf('P256'),
  }

  it('of SAML without metadata are expected to issue as their URL', () => {
    const metadata = {
      entityId: 'https://idp.example/sso?tenant=1',
      ssoUrl: 'https://idp.example/sso?tenant=1',
      certificates: [pemOf('RSA'), pemOf('P256')],
    }
    expect(providerOf(MANUAL)).toMatchObject({ idp: { from: 'configuration', metadata } })
    expect(providerOf({ ...MANUAL, SERVICE_SAML_MY_IDP_IDP_CERT: CERTIFICATES.P384 })).toMatchObject({
      idp: { metadata: { ...metadata, certificates: [pemOf('P384')] } },
    })
  })

  it.each(KNOWN_SHAPES)('of SAML are read from a file like that of %s', (like, _, metadata) =>
    expect(
      providerOf({
        ...without(SAML, 'SERVICE_SAML_MY_IDP_IDP_METADATA_URL'),
        SERVICE_SAML_MY_IDP_IDP_METADATA_FILE: inFolder(like),
      }),
    ).toMatchObject({ idp: { from: 'configuration', metadata } }),
  )

  it.each([
    ['idp.xml', null],
    ['none.xml', 'the file cannot be read (ENOENT)'],
    ['folder', 'the file is a folder'],
    ['large.xml', 'the file has more than 262144 bytes'],
    ['latin1.xml', 'the file is not in UTF-8'],
    ['keyless.xml', 'the file has no signing certificate'],
  ])('of SAML with the file %s have the error %j', (name, reason) =>
    expect(
      wrongIn({
        ...without(SAML, 'SERVICE_SAML_MY_IDP_IDP_METADATA_URL'),
        SERVICE_SAML_MY_IDP_IDP_METADATA_FILE: inFolder(name),
      }),
    ).toEqual(reason === null ? [] : [`SERVICE_SAML_MY_IDP_IDP_METADATA_FILE: ${reason} (provider my-idp)`]),
  )

  const URL_REASON = 'must be an http or https URL without user, password, fragment and white space'
  const TEXT_REASON = 'must not begin or end with white space, and must not contain control characters'
  const WRONG: ReadonlyArray<readonly [variable: string, value: string, reason: string]> = [
    ['ISSUER', '', 'must be set'],
    ['CLIENT_ID', '', 'must be set'],
    ['CLIENT_SECRET', '', 'must be set'],
    ['ISSUER', 'idp.example', URL_REASON],
    ['ISSUER', 'ftp://idp.example', URL_REASON],
    ['ISSUER', 'https://idp.example/#a', URL_REASON],
    ['ISSUER', 'https://user:pass@idp.example', URL_REASON],
    ['ISSUER', ' https://idp.example', URL_REASON],
    ['ISSUER', 'https://idp.example?', 'must not have a query'],
    ['CLIENT_ID', ' ', TEXT_REASON],
    ['CLIENT_SECRET', 'from a file\n', TEXT_REASON],
    ['CLIENT_SECRET', 'two\nlines', TEXT_REASON],
    ['LABEL', ' Corp', TEXT_REASON],
    ['GROUPS_CLAIM', ' ', TEXT_REASON],
    ['SCOPES', 'email "groups"', 'scope 2 contains a character that scopes cannot have'],
    ['ADMIN_EMAILS', 'ada@example.com,bob', 'entry 2 is not an e-mail address'],
    ['ADMIN_EMAILS', 'a@b@example.com', 'entry 1 is not an e-mail address'],
    [
      'GROUP_ROLES',
      'team:member,team:owner',
      'entry 2 is not group:role with the role viewer, member or admin; write : and , in names as %3A and %2C',
    ],
    ...['team:shop:admin', 'team:../x:view', 'a:b:c:view'].map(
      (value) =>
        [
          'GROUP_GRANTS',
          value,
          'entry 1 is not group:project:level or group:project/suite:level with the level view, upload or manage; write : / and , in names as %3A, %2F and %2C',
        ] as const,
    ),
    ['ALLOWED_EMAIL_DOMAINS', 'example.com,@example.org', 'entry 2 begins with @: write the domain alone, example.com'],
    ['ALLOWED_EMAIL_DOMAINS', '*.example.com', 'entry 1 is not a domain such as example.com'],
    ['ALLOWED_EMAIL_DOMAINS', 'https://example.com', 'entry 1 is not a domain such as example.com'],
    ['ALLOWED_EMAIL_DOMAINS', 'ada@example.com', 'entry 1 is not a domain such as example.com'],
    ['ALLOWED_EMAIL_DOMAINS', '.example.com', 'entry 1 is not a domain such as example.com'],
    ['ALLOWED_EMAIL_DOMAINS', ' , ', 'must name at least one domain'],
  ]
  it.each(WRONG)('of OpenID Connect reject %s=%j', (ending, value, reason) =>
    expect(wrongIn({ ...OIDC, [`SERVICE_OIDC_CORP_${ending}`]: value })).toEqual([
      `SERVICE_OIDC_CORP_${ending}: ${reason} (provider corp)`,
    ]),
  )

  it.each([
    ['IDP_METADATA_URL', 'https://user:pass@idp.example', URL_REASON],
    ['SP_ENTITY_ID', 'x'.repeat(1025), 'must have at most 1024 characters'],
    ['EMAIL_ATTR', ' ', TEXT_REASON],
    ['GROUPS_ATTR', ' ', TEXT_REASON],
    ['ALLOW_IDP_INITIATED', 'on', 'must be true, false, 1, 0, yes or no'],
    ['ALLOWED_EMAIL_DOMAINS', '@example.com', 'entry 1 begins with @: write the domain alone, example.com'],
  ])('of SAML reject %s=%j', (ending, value, reason) =>
    expect(wrongIn({ ...SAML, [`SERVICE_SAML_MY_IDP_${ending}`]: value })).toEqual([
      `SERVICE_SAML_MY_IDP_${ending}: ${reason} (provider my-idp)`,
    ]),
  )

  it.each([
    ['IDP_SSO_URL', 'idp.example', URL_REASON],
    ['IDP_CERT', '/etc/ers/idp.pem', 'a certificate, in PEM or base64, is expected; the value is not a certificate'],
    ['IDP_CERT', 'none', 'a certificate, in PEM or base64, is expected; the value is not an X.509 certificate'],
    [
      'IDP_CERT',
      CERTIFICATES.RSA_SHORT,
      'a certificate, in PEM or base64, is expected; the value has an RSA key of 1024 bits; at least 2048 are required',
    ],
  ])('of SAML without metadata reject %s=%j', (ending, value, reason) =>
    expect(wrongIn({ ...MANUAL, [`SERVICE_SAML_MY_IDP_${ending}`]: value })).toEqual([
      `SERVICE_SAML_MY_IDP_${ending}: ${reason} (provider my-idp)`,
    ]),
  )

  it('of SAML have exactly one source', () => {
    const errorsWith = (env: Env): string[] =>
      wrongIn({ ...PUBLIC, SERVICE_SAML_PROVIDERS: 'my-idp', ...env }).map((line) =>
        line.replace(SOURCES, 'SOURCES').replaceAll('SERVICE_SAML_MY_IDP_', '').replace(' (provider my-idp)', ''),
      )
    const url = { SERVICE_SAML_MY_IDP_IDP_METADATA_URL: 'https://idp.example/metadata' }
    const file = { SERVICE_SAML_MY_IDP_IDP_METADATA_FILE: inFolder('idp.xml') }
    const ssoUrl = { SERVICE_SAML_MY_IDP_IDP_SSO_URL: 'https://idp.example/sso' }
    const certificate = { SERVICE_SAML_MY_IDP_IDP_CERT: CERTIFICATES.RSA }
    const also = (present: string): string => `must not be set together with ${present}: set exactly one of SOURCES`

    expect(errorsWith({})).toEqual(['IDP_METADATA_URL: set exactly one of SOURCES'])
    expect(errorsWith(ssoUrl)).toEqual(['IDP_CERT: must be set together with IDP_SSO_URL'])
    expect(errorsWith(certificate)).toEqual(['IDP_SSO_URL: must be set together with IDP_CERT'])
    expect(errorsWith({ ...url, ...file })).toEqual([`IDP_METADATA_FILE: ${also('IDP_METADATA_URL')}`])
    expect(errorsWith({ ...file, ...ssoUrl, ...certificate })).toEqual([`IDP_SSO_URL: ${also('IDP_METADATA_FILE')}`])
    expect(errorsWith({ ...url, ...certificate })).toEqual([
      'IDP_SSO_URL: must be set together with IDP_CERT',
      `IDP_CERT: ${also('IDP_METADATA_URL')}`,
    ])
    expect(errorsWith({ ...url, ...file, ...ssoUrl, ...certificate })).toEqual([
      `IDP_METADATA_FILE: ${also('IDP_METADATA_URL')}`,
      `IDP_SSO_URL: ${also('IDP_METADATA_URL')}`,
    ])
  })

  it('have names of few characters, each once', () => {
    const list = (names: string): string[] =>
      wrongIn({ ...OIDC, SERVICE_OIDC_PROVIDERS: names }).filter((line) => line.startsWith('SERVICE_OIDC_PROVIDERS'))
    expect(list('corp,Corp')).toEqual([
      'SERVICE_OIDC_PROVIDERS: entry 2 is not a name of the characters a-z, 0-9 and -',
    ])
    expect(list('my_idp')).toHaveLength(1)
    expect(list('corp/')).toHaveLength(1)
    expect(list('corp,a\u0301')).toHaveLength(1)
    expect(list('corp,corp')).toEqual([
      'SERVICE_OIDC_PROVIDERS: entry 2 names the provider corp a second time; names must be unique',
    ])
  })

  it('have a name that no provider of the other kind has', () =>
    expect(
      wrongIn({
        ...OIDC,
        SERVICE_SAML_PROVIDERS: 'corp',
        SERVICE_SAML_CORP_IDP_METADATA_URL: 'https://idp.example/metadata',
      }),
    ).toEqual(['SERVICE_SAML_PROVIDERS: entry 1 names the provider corp a second time; names must be unique']))

  it('report an invalid name once, not each of its variables', () =>
    expect(wrongIn({ ...OIDC, SERVICE_OIDC_PROVIDERS: 'Corp', SERVICE_OIDC_CORP_ISUER: 'x' })).toEqual([
      'SERVICE_OIDC_PROVIDERS: entry 1 is not a name of the characters a-z, 0-9 and -',
    ]))

  it.each([OIDC, SAML])('need a public URL', (env) => {
    expect(wrongIn(without(env, 'SERVICE_PUBLIC_URL'))).toEqual([
      'SERVICE_PUBLIC_URL: must be set if there are identity providers',
    ])
    expect(wrongIn({ ...env, SERVICE_PUBLIC_URL: 'results' })).toEqual([
      'SERVICE_PUBLIC_URL: must be an http or https URL',
    ])
  })

  it.each([
    ['SERVICE_SSO_CLOCK_SKEW_SECS', '601', 'must be a whole number from 0 to 600'],
    ['SERVICE_SSO_CLOCK_SKEW_SECS', '-1', 'must be a whole number from 0 to 600'],
    ['SERVICE_SSO_CLOCK_SKEW_SECS', '1.5', 'must be a whole number from 0 to 600'],
    ['SERVICE_SSO_DEFAULT_ROLE', 'Member', 'must be reviewer, viewer or member'],
    [
      'SERVICE_SSO_DEFAULT_ROLE',
      'admin',
      'must not be admin, because every account of a provider would be an admin: name admins in …_ADMIN_GROUPS or …_ADMIN_EMAILS',
    ],
  ])('reject %s=%s', (name, value, reason) =>
    expect(wrongIn({ ...OIDC, [name]: value })).toEqual([`${name}: ${reason}`]),
  )

  it.each([
    ['SERVICE_SSO_CLOCK_SKEW_SECS', '5'],
    ['SERVICE_SSO_DEFAULT_ROLE', 'viewer'],
  ])('must exist if %s is set', (name, value) =>
    expect(wrongIn({ [name]: value })).toEqual([
      `${name}: must be set together with SERVICE_OIDC_PROVIDERS or SERVICE_SAML_PROVIDERS`,
    ]),
  )

  it.each([
    ['SERVICE_OIDC_CORP_ISUER', 'is not a variable of the provider corp: did you mean SERVICE_OIDC_CORP_ISSUER?'],
    ['SERVICE_OIDC_CORP_IDP_CERT', 'is not a variable of the provider corp'],
    ['SERVICE_OIDC_CORP_', 'is not a variable of the provider corp'],
    ['SERVICE_OIDC_COPR_ISSUER', 'belongs to a provider that SERVICE_OIDC_PROVIDERS does not name'],
    ['SERVICE_SAML_CORP_IDP_CERT', 'belongs to a provider that SERVICE_SAML_PROVIDERS does not name'],
    ['SERVICE_OIDC_ISSUER', 'is not a variable of this service'],
    ['SERVICE_OIDC_PROVIDER', 'is not a variable of this service: did you mean SERVICE_OIDC_PROVIDERS?'],
    ['SERVICE_OIDC_corp_ISSUER', 'belongs to a provider that SERVICE_OIDC_PROVIDERS does not name'],
    ['SERVICE_SSO_SKEW', 'is not a variable of this service'],
    ['SERVICE_SSO_DEFAULT_ROLES', 'is not a variable of this service: did you mean SERVICE_SSO_DEFAULT_ROLE?'],
  ])('have no variable %s', (name, reason) => expect(wrongIn({ ...OIDC, [name]: 'x' })).toEqual([`${name}: ${reason}`]))

  it('may have names that begin alike', () => {
    const env = {
      ...SAML,
      SERVICE_SAML_PROVIDERS: 'my,my-idp',
      SERVICE_SAML_MY_IDP_SSO_URL: 'https://idp.example/sso',
      SERVICE_SAML_MY_IDP_CERT: CERTIFICATES.RSA,
    }
    expect(ssoOf(env)?.providers.map(({ name }) => name)).toEqual(['my', 'my-idp'])
    expect(wrongIn({ ...env, SERVICE_SAML_MY_IDP_LABLE: 'x' })).toEqual([
      'SERVICE_SAML_MY_IDP_LABLE: is not a variable of the provider my-idp: did you mean SERVICE_SAML_MY_IDP_LABEL?',
    ])
  })

  it('ignore what a container platform sets for services of such names', () =>
    expect(
      ssoOf({
        ...OIDC,
        SERVICE_OIDC_SERVICE_HOST: '10.0.0.1',
        SERVICE_SSO_PORT: 'tcp://10.0.0.1:80',
        SERVICE_SAML_CORP_PORT_80_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual(ssoOf(OIDC)))

  it('have all their errors at once', () =>
    expect(
      wrongIn({
        SERVICE_OIDC_PROVIDERS: 'a,b,B',
        SERVICE_SAML_PROVIDERS: 'c',
        SERVICE_OIDC_A_ISSUER: 'x',
        SERVICE_OIDC_D_ISSUER: 'x',
        SERVICE_SAML_C_IDP_CERT: 'x',
        SERVICE_SSO_DEFAULT_ROLE: 'x',
        RUST_LOG: 'x',
      }).map((line) => line.split(':')[0]),
    ).toEqual([
      'SERVICE_OIDC_PROVIDERS',
      'SERVICE_PUBLIC_URL',
      'SERVICE_SSO_DEFAULT_ROLE',
      'SERVICE_OIDC_A_ISSUER',
      'SERVICE_OIDC_A_CLIENT_ID',
      'SERVICE_OIDC_A_CLIENT_SECRET',
      'SERVICE_OIDC_B_ISSUER',
      'SERVICE_OIDC_B_CLIENT_ID',
      'SERVICE_OIDC_B_CLIENT_SECRET',
      'SERVICE_SAML_C_IDP_SSO_URL',
      'SERVICE_SAML_C_IDP_CERT',
      'SERVICE_OIDC_D_ISSUER',
      'RUST_LOG',
    ]))
})

describe('the errors of identity providers', () => {
  const VARIABLES = [
    ...Object.entries(PROVIDER_VARIABLES).flatMap(([kind, endings]) =>
      ['CORP', 'OTHER'].flatMap((name) => [...endings, 'ISUER'].map((ending) => `SERVICE_${kind}_${name}_${ending}`)),
    ),
    ...['SERVICE_SSO_CLOCK_SKEW_SECS', 'SERVICE_SSO_DEFAULT_ROLE', 'SERVICE_SSO_UNKNOWN', 'SERVICE_PUBLIC_URL'],
    ...['SERVICE_OIDC_PROVIDERS', 'SERVICE_SAML_PROVIDERS'],
  ]
  // The text in it is in no message.
  const SECRET = 'Zq7xK9vW'
  const Value = fc
    .tuple(
      fc.constantFrom(
        '',
        ' ',
        'https://',
        'https://u:',
        '@',
        'a@',
        '-----BEGIN CERTIFICATE-----',
        'corp,',
        'admin,',
        '<a>',
      ),
      fc.constantFrom('', '\n', '@idp.example', ' ', ',', '#', '?', '==', '"', '\u0000', '-----END CERTIFICATE-----'),
    )
    .map(([before, after]) => `${before}${SECRET}${after}`)
  const Values = fc.record(Object.fromEntries(VARIABLES.map((name) => [name, Value])), { requiredKeys: [] })

  it('never quote a value, whichever variable it is in', () => {
    let refused = 0
    fc.assert(
      fc.property(Values, fc.constantFrom('corp', 'corp,other', ''), (values, names) => {
        const lines = wrongIn({
          ...PUBLIC,
          ...(names === '' ? {} : { SERVICE_OIDC_PROVIDERS: names, SERVICE_SAML_PROVIDERS: `${names}-saml` }),
          ...values,
        })
        refused += lines.length
        expect(lines.filter((line) => line.includes(SECRET))).toEqual([])
        expect(lines.filter((line) => !/^SERVICE_[A-Z_]+: /.test(line))).toEqual([])
      }),
      { numRuns: 300 },
    )
    expect(refused).toBeGreaterThan(300)
  })
})
