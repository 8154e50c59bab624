import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { warnOfConfig, weakTokens } from '../../../cli/serve/config-warnings.ts'
import { readConfig } from '../../../cli/serve/config.ts'
import { likelyTypos } from '../../../cli/serve/variables.ts'
import { pemOf } from '../../support/sso/saml/idp-certificates.ts'
import { metadataWith } from '../../support/sso/saml/idp-metadata.ts'

const meant = (name: string, value = 'x'): string | null => likelyTypos({ [name]: value })[0]?.known ?? null

describe('a variable', () => {
  it.each([
    ['SERVICE_RUN_MAX_AGE_DAY', 'SERVICE_RUN_MAX_AGE_DAYS'],
    ['SERVICE_RUN_MAX_AGE_DYAS', 'SERVICE_RUN_MAX_AGE_DAYS'],
    ['SERVICE_CACHE_MAX_BYTE', 'SERVICE_CACHE_MAX_BYTES'],
    ['SERVICE_AUTHMODE', 'SERVICE_AUTH_MODE'],
    ['SERVICE_AUHT_MODE', 'SERVICE_AUTH_MODE'],
    ['SERVICE_TOKNES', 'SERVICE_TOKENS'],
    ['SERVICE_TOKN', 'SERVICE_TOKEN'],
    ['SERVICE_DATADIR', 'SERVICE_DATA_DIR'],
    ['SERVICES_PUBLIC_URL', 'SERVICE_PUBLIC_URL'],
    ['SERVICE_SERVERURL', 'SERVICE_SERVER_URL'],
    ['SERVICE_MPC_ENABLED', 'SERVICE_MCP_ENABLED'],
    ['SERVICE_SOO_DEFAULT_ROLE', 'SERVICE_SSO_DEFAULT_ROLE'],
    ['SERVICE_ODIC_PROVIDERS', 'SERVICE_OIDC_PROVIDERS'],
    ['SERVICE_ODIC_CORP_ISSUER', 'SERVICE_OIDC_CORP_ISSUER'],
    ['SERVICE_OIDC_MY_IDP_CLIENT_SECRETS', 'SERVICE_OIDC_MY_IDP_CLIENT_SECRET'],
    ['SERVICE_SAML_CORP_IDP_CRT', 'SERVICE_SAML_CORP_IDP_CERT'],
  ])('%s gives a warning that names %s', (name, known) => expect(meant(name)).toBe(known))

  it.each([
    'SERVICE_PORT',
    'SERVICE_HOST',
    'SERVICE_NAME',
    'SERVICE_SERVICE_HOST',
    'SERVICE_SERVICE_PORT',
    'SERVICE_SERVICE_PORT_HTTP',
    'SERVICE_PORT_8321_TCP',
    'SERVICE_PORT_8321_TCP_ADDR',
    'SERVICE_PORT_8321_TCP_PORT',
    'SERVICE_PORT_8321_TCP_PROTO',
    'SERVICE_8321_NAME',
    'SERVICE_TAGS',
    'SERVICE_ID',
    'SERVICE_SOMETHING',
    'SERVICE_URL',
    'SERVICE_TOKENS_SERVICE_HOST',
    'SERVICE_',
    'SERVICE',
    'PATH',
    'TOKENS',
    `SERVICE_${'X'.repeat(10_000)}`,
  ])('%s gives no warning', (name) => expect(meant(name)).toBeNull())

  it.each([
    'SERVICE_TOKENS',
    'SERVICE_TOKEN',
    'SERVICE_SERVER_URL',
    'SERVICE_PROTOCOL',
    'SERVICE_MCP_ALLOWED_ORIGINS',
    'SERVICE_OIDC_CORP_ISSUER',
    'SERVICE_SAML_CORP_ALLOW_IDP_INITIATED',
    'SERVICE_OIDC_MY_IDP_LABEL',
  ])('%s is known and gives no warning', (name) => expect(meant(name)).toBeNull())

  it('is ignored if it is empty', () => expect(meant('SERVICE_TOKNES', '')).toBeNull())
})

describe('warnings of a configuration', () => {
  it('name short secrets by position and scope, without any value', () => {
    const env = {
      SERVICE_TOKENS: 'read:abcdefghijklmno,admin:0123456789abcdef,write:hush',
      SERVICE_TOKNES: 'admin:hush-hush',
    }
    const config = readConfig(env)
    expect(weakTokens(config.tokens)).toEqual([
      { position: 1, scope: 'read' },
      { position: 3, scope: 'write' },
    ])
    const warned: string[] = []
    warnOfConfig(env, config, 0, (fields, message) => warned.push(JSON.stringify({ ...fields, message })))
    expect(warned.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'SERVICE_TOKNES is not a variable of this service: did you mean SERVICE_TOKENS?',
      'SERVICE_TOKENS: the secret of entry 1 (read) has fewer than 16 characters, so it can be guessed',
      'SERVICE_TOKENS: the secret of entry 3 (write) has fewer than 16 characters, so it can be guessed',
    ])
    expect(warned.join()).not.toMatch(/hush|abcdef/)
  })

  const PROVIDERS = {
    SERVICE_PUBLIC_URL: 'https://results.example',
    SERVICE_OIDC_PROVIDERS: 'corp',
    SERVICE_OIDC_CORP_ISSUER: 'https://idp.example',
    SERVICE_OIDC_CORP_CLIENT_ID: 'results',
    SERVICE_OIDC_CORP_CLIENT_SECRET: 's3cret',
    SERVICE_OIDC_CORP_ADMIN_GROUPS: 'platform-admins',
    SERVICE_SAML_PROVIDERS: 'my-idp,other',
    SERVICE_SAML_MY_IDP_IDP_METADATA_URL: 'https://idp.example/metadata',
    SERVICE_SAML_OTHER_IDP_SSO_URL: 'http://idp.example/sso',
    SERVICE_SAML_OTHER_IDP_CERT: pemOf('RSA') + pemOf('P256'),
  }
  /** In 2126 the certificates of the specs expire. */
  const AFTER_ALL = Date.parse('2127-01-01')
  const warningsOf = (env: Readonly<Record<string, string>>, now = 0): string[] => {
    const warned: string[] = []
    warnOfConfig(env, readConfig(env), now, ({ variable, provider }, message) => {
      expect(message).toMatch(new RegExp(`^${String(variable)}: .* \\(provider ${String(provider)}\\)$`))
      warned.push(message)
    })
    expect(warned.join()).not.toMatch(/s3cret|idp\.example/)
    return warned
  }

  it('are none for identity providers over https', () => expect(warningsOf(PROVIDERS)).toEqual([]))

  it.each([
    ['SERVICE_OIDC_CORP_ISSUER', 'http://idp.example', 'the issuer is not https'],
    ['SERVICE_OIDC_CORP_ISSUER', 'HTTP://idp.example', 'the issuer is not https'],
    ['SERVICE_SAML_MY_IDP_IDP_METADATA_URL', 'http://idp.example/metadata', 'the metadata is not fetched over https'],
  ])('name %s=%s', (name, value, message) =>
    expect(warningsOf({ ...PROVIDERS, [name]: value })).toEqual([expect.stringContaining(`${name}: ${message}`)]),
  )

  describe('of providers whose first sign-in would end the setup without an admin', () => {
    const { SERVICE_OIDC_CORP_ADMIN_GROUPS: _, ...withoutAdmins } = PROVIDERS
    const warned = (env: Readonly<Record<string, string>>): string[] => {
      const messages: string[] = []
      warnOfConfig(env, readConfig(env), 0, (_fields, message) => messages.push(message))
      return messages
    }

    it.each([
      ['alone', {}],
      ['with a static token of another scope', { SERVICE_TOKENS: 'write:0123456789abcdef' }],
      ['with empty lists', { SERVICE_OIDC_CORP_ADMIN_GROUPS: '', SERVICE_SAML_OTHER_ADMIN_EMAILS: ' , ' }],
    ])('are given: %s', (_name, env) =>
      expect(warned({ ...withoutAdmins, ...env })).toEqual([
        expect.stringMatching(/^SERVICE_ADMIN_USER: .* would end the setup without an admin$/),
      ]),
    )

    it.each([
      ['admin groups', { SERVICE_SAML_OTHER_ADMIN_GROUPS: 'admins' }],
      ['admin e-mail addresses', { SERVICE_OIDC_CORP_ADMIN_EMAILS: 'ada@example.com' }],
      ['a bootstrap admin', { SERVICE_ADMIN_USER: 'root', SERVICE_ADMIN_PASSWORD: 'correct horse' }],
      ['a static token of admin scope', { SERVICE_TOKENS: 'admin:0123456789abcdef' }],
    ])('are not given with %s', (_name, env) => expect(warned({ ...withoutAdmins, ...env })).toEqual([]))

    it('are not given without providers', () => expect(warned({})).toEqual([]))
  })

  it('name each SAML provider without Secure cookies', () => {
    const warned = warningsOf({ ...PROVIDERS, SERVICE_COOKIE_SECURE: 'false' })
    expect(warned.map((line) => line.replace(/without.*; serve/, 'serve'))).toEqual([
      'SERVICE_COOKIE_SECURE: serve with https (provider my-idp)',
      'SERVICE_COOKIE_SECURE: serve with https (provider other)',
    ])
  })

  it('name each expired certificate', () =>
    expect(warningsOf(PROVIDERS, AFTER_ALL)).toEqual([
      'SERVICE_SAML_OTHER_IDP_CERT: certificate 1 of 2 expired on 2126-10-30; it is still accepted (provider other)',
      'SERVICE_SAML_OTHER_IDP_CERT: certificate 2 of 2 expired on 2126-10-30; it is still accepted (provider other)',
    ]))

  it('name the file with an expired certificate', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-sso-'))
    try {
      const file = join(folder, 'idp.xml')
      writeFileSync(file, metadataWith())
      const { SERVICE_SAML_OTHER_IDP_SSO_URL: _, SERVICE_SAML_OTHER_IDP_CERT: __, ...others } = PROVIDERS
      expect(warningsOf({ ...others, SERVICE_SAML_OTHER_IDP_METADATA_FILE: file }, AFTER_ALL)).toEqual([
        'SERVICE_SAML_OTHER_IDP_METADATA_FILE: certificate 1 of 1 expired on 2126-10-30; it is still accepted (provider other)',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
