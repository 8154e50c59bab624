import { describe, expect, it } from 'vitest'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { InvalidConfig, readConfig, type Config } from '../../../cli/serve/config.ts'

/** The errors of a configuration, one per line. */
const wrongIn = (env: Readonly<Record<string, string>>, given: Parameters<typeof readConfig>[1] = {}): string[] => {
  try {
    readConfig(env, given)
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n')
    throw error
  }
  return []
}

const CHECKPOINTS: Config['checkpoints'] = {
  keys: null,
  defaultKeyFile: '/data/checkpoint-key',
  seconds: 60,
  file: null,
  urls: [],
  policy: null,
}

describe('a configuration', () => {
  it('has defaults', () =>
    expect(readConfig({})).toEqual({
      dataDir: '/data',
      database: null,
      port: 8321,
      authMode: 'closed',
      tokens: [],
      publicUrl: null,
      adminUser: null,
      adminPassword: null,
      cookieSecure: false,
      trustedProxies: [],
      secretKey: null,
      sweepEmptyReasons: [],
      objectStore: null,
      runMaxAgeDays: null,
      mcp: null,
      sso: null,
      proof: { checkpointAccess: 'admin', receipts: 'uploader' },
      checkpoints: CHECKPOINTS,
      webhookTargets: { hosts: [], ranges: [] },
      mail: null,
      localCacheDir: null,
      localCacheMaxScan: 20_000,
      logFormat: null,
      logLevel: 'info',
      parts: PART_LIMITS,
      cache: { max_entry_bytes: 4_194_304, max_bytes: 1_073_741_824, max_age_days: 30 },
    } satisfies Config))

  it('reads the mail server, whose e-mails go to the domain of the sender', () => {
    const mail = { SERVICE_SMTP_URL: 'smtp://user:hush@mail.example:587', SERVICE_SMTP_FROM: 'results@Example.com' }
    expect(readConfig(mail).mail).toEqual({
      url: mail.SERVICE_SMTP_URL,
      from: mail.SERVICE_SMTP_FROM,
      domains: ['example.com'],
    })
    expect(readConfig({ ...mail, SERVICE_SMTP_DOMAINS: 'a.example, B.example' }).mail?.domains).toEqual([
      'a.example',
      'b.example',
    ])
  })

  it.each([
    [{ SERVICE_SMTP_URL: 'smtp://h' }, 'SERVICE_SMTP_FROM: must be set together with SERVICE_SMTP_URL'],
    [{ SERVICE_SMTP_FROM: 'a@b.example' }, 'SERVICE_SMTP_URL: must be set together with SERVICE_SMTP_FROM'],
    [{ SERVICE_SMTP_DOMAINS: 'b.example' }, 'SERVICE_SMTP_URL: must be set together with SERVICE_SMTP_DOMAINS'],
    [
      { SERVICE_SMTP_URL: 'https://u:hush@h', SERVICE_SMTP_FROM: 'a@b.example' },
      'SERVICE_SMTP_URL: must be smtp://HOST',
    ],
    [{ SERVICE_SMTP_URL: 'smtp://h?a=hush', SERVICE_SMTP_FROM: 'a@b.example' }, 'SERVICE_SMTP_URL: must have no path'],
    [{ SERVICE_SMTP_URL: 'smtp://h', SERVICE_SMTP_FROM: 'Ada <a@b.example>' }, 'SERVICE_SMTP_FROM: must be one e-mail'],
  ])('rejects %j, without quoting a secret', (env, message) => {
    expect(() => readConfig(env)).toThrow(message)
    expect(() => readConfig(env)).not.toThrow('hush')
  })

  it('ignores variables of other programs', () =>
    expect(
      readConfig({ PATH: '/bin', SERVICE_SERVER_URL: 'http://x', SERVICE_TOKEN: 'y', SERVICE_SOMETHING: 'z' }),
    ).toEqual(readConfig({})))

  const KEY = Buffer.alloc(32, 7)

  const VALID: ReadonlyArray<readonly [name: string, value: string, read: Partial<Config>]> = [
    [
      'SERVICE_DATA_DIR',
      '/srv/ers',
      { dataDir: '/srv/ers', checkpoints: { ...CHECKPOINTS, defaultKeyFile: '/srv/ers/checkpoint-key' } },
    ],
    [
      'SERVICE_DATABASE_URL',
      'postgres://ers:p@db.example/ers',
      {
        // The log of a database takes every byte of a part twice.
        parts: { ...PART_LIMITS, maxBytes: 256 * 1024 ** 2 },
        database: {
          url: 'postgres://ers:p@db.example/ers',
          readUrl: null,
          poolSize: 10,
          statementTimeoutMs: 30_000,
          waitMs: 30_000,
        },
        checkpoints: { ...CHECKPOINTS, defaultKeyFile: null },
      },
    ],
    ['SERVICE_AUTH_MODE', 'open', { authMode: 'open' }],
    ['SERVICE_AUTH_MODE', 'protect-writes', { authMode: 'protect-writes' }],
    ['SERVICE_AUTH_MODE', 'protect_writes', { authMode: 'protect-writes' }],
    ['SERVICE_AUTH_MODE', 'closed', { authMode: 'closed' }],
    ['SERVICE_TOKENS', '', { tokens: [] }],
    ['SERVICE_TOKENS', ' , ,', { tokens: [] }],
    [
      'SERVICE_TOKENS',
      'read:a, admin : b:c ,,write:d e',
      {
        tokens: [
          { scope: 'read', secret: 'a', position: 1 },
          { scope: 'admin', secret: 'b:c', position: 2 },
          { scope: 'write', secret: 'd e', position: 4 },
        ],
      },
    ],
    ['SERVICE_SECRET_KEY', KEY.toString('base64'), { secretKey: KEY }],
    ['SERVICE_SECRET_KEY', '', { secretKey: null }],
    ['SERVICE_PUBLIC_URL', 'https://results.example', { publicUrl: 'https://results.example', cookieSecure: true }],
    ['SERVICE_PUBLIC_URL', 'HTTPS://results.example', { publicUrl: 'HTTPS://results.example', cookieSecure: true }],
    ['SERVICE_PUBLIC_URL', 'http://localhost:8321', { publicUrl: 'http://localhost:8321' }],
    ['SERVICE_COOKIE_SECURE', 'true', { cookieSecure: true }],
    ['SERVICE_COOKIE_SECURE', 'false', { cookieSecure: false }],
    ['SERVICE_TRUSTED_PROXIES', '', { trustedProxies: [] }],
    [
      'SERVICE_TRUSTED_PROXIES',
      ' 10.0.0.0/8 ,, 192.0.2.1,2001:db8::/32',
      { trustedProxies: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'] },
    ],
    ['SERVICE_LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
    ['SERVICE_LOG_FORMAT', 'compact', { logFormat: 'compact' }],
    ['SERVICE_LOG_FORMAT', 'json', { logFormat: 'json' }],
    [
      'SERVICE_CACHE_MAX_ENTRY_BYTES',
      '1',
      { cache: { max_entry_bytes: 1, max_bytes: 1_073_741_824, max_age_days: 30 } },
    ],
    ['SERVICE_PART_MAX_BYTES', '9', { parts: { ...PART_LIMITS, maxBytes: 9 } }],
    ['SERVICE_RUN_PARTS_MAX_BYTES', '9', { parts: { ...PART_LIMITS, maxRunBytes: 9 } }],
    [
      'SERVICE_STAGED_PARTS_MAX_BYTES',
      '9',
      { parts: { ...PART_LIMITS, staged: { ...PART_LIMITS.staged, maxBytes: 9 } } },
    ],
    ['SERVICE_STAGED_PARTS_MAX', '9', { parts: { ...PART_LIMITS, staged: { ...PART_LIMITS.staged, maxParts: 9 } } }],
    ['SERVICE_STAGED_PART_HOURS', '168', { parts: { ...PART_LIMITS, staged: { ...PART_LIMITS.staged, hours: 168 } } }],
    ['SERVICE_CACHE_MAX_BYTES', '0', { cache: { max_entry_bytes: 4_194_304, max_bytes: 0, max_age_days: 30 } }],
    ['SERVICE_CACHE_SWEEP_EMPTY_REASON', ' blank ,,refusal, blank', { sweepEmptyReasons: ['blank', 'refusal'] }],
    ['SERVICE_CACHE_SWEEP_EMPTY_REASON', 'made_up', { sweepEmptyReasons: ['made_up'] }],
    ['SERVICE_CACHE_SWEEP_EMPTY_REASON', ' , ,', { sweepEmptyReasons: [] }],
    ['SERVICE_CACHE_SWEEP_EMPTY_REASON', '', { sweepEmptyReasons: [] }],
    ['SERVICE_RUN_MAX_AGE_DAYS', '90', { runMaxAgeDays: 90 }],
    ['SERVICE_RUN_MAX_AGE_DAYS', '999999999999999', { runMaxAgeDays: 999_999_999_999_999 }],
    ['SERVICE_LOCAL_CACHE_DIR', '/var/cache/answers', { localCacheDir: '/var/cache/answers' }],
    ['SERVICE_LOCAL_CACHE_MAX_SCAN', '5', { localCacheMaxScan: 5 }],
    [
      'SERVICE_CACHE_MAX_AGE_DAYS',
      ' 7 ',
      { cache: { max_entry_bytes: 4_194_304, max_bytes: 1_073_741_824, max_age_days: 7 } },
    ],
    ['RUST_LOG', 'debug', { logLevel: 'debug' }],
    ['RUST_LOG', 'WARN', { logLevel: 'warn' }],
    ['RUST_LOG', 'off', { logLevel: 'off' }],
    ['RUST_LOG', '', { logLevel: 'info' }],
    ['RUST_LOG', ' , ', { logLevel: 'info' }],
    ['RUST_LOG', 'warn,http=debug', { logLevel: 'warn' }],
    ['RUST_LOG', 'http=error,storage=trace', { logLevel: 'trace' }],
  ]
  it.each(VALID)('reads %s=%j', (name, value, read) =>
    expect(readConfig({ [name]: value })).toEqual({ ...readConfig({}), ...read }),
  )

  const WRONG: ReadonlyArray<readonly [name: string, value: string, message: string]> = [
    ['SERVICE_AUTH_MODE', 'Open', 'must be open, protect-writes or closed'],
    ['SERVICE_AUTH_MODE', 'toString', 'must be open, protect-writes or closed'],
    ['SERVICE_TOKENS', 'read:a,root:b', 'entry 2 is not scope:secret'],
    ['SERVICE_TOKENS', 'read:', 'entry 1 is not scope:secret'],
    ['SERVICE_TOKENS', 'justasecret', 'entry 1 is not scope:secret'],
    ['SERVICE_TOKENS', 'Read:a', 'entry 1 is not scope:secret'],
    ...['0123456789abcdef', `${KEY.toString('base64')}AAAA`, `${KEY.toString('base64').slice(0, -2)}!=`].map(
      (value) => ['SERVICE_SECRET_KEY', value, 'must be 32 bytes in base64: openssl rand -base64 32'] as const,
    ),
    ['SERVICE_PUBLIC_URL', 'results.example', 'must be an http or https URL'],
    ['SERVICE_PUBLIC_URL', 'ftp://results.example', 'must be an http or https URL'],
    ['SERVICE_PUBLIC_URL', 'https://user:pass@results.example', 'must be an http or https URL'],
    ['SERVICE_PUBLIC_URL', 'https://results.example?a=b', 'must be an http or https URL'],
    ['SERVICE_PUBLIC_URL', 'https://results.example/', 'no trailing slash'],
    ['SERVICE_PUBLIC_URL', 'https://results.example/ers', 'no path prefix'],
    ['SERVICE_LOG_FORMAT', 'JSON', 'must be pretty, compact or json'],
    ['SERVICE_CACHE_MAX_ENTRY_BYTES', '0', 'whole number of at least 1'],
    ['SERVICE_CACHE_MAX_ENTRY_BYTES', '4MB', 'whole number'],
    ['SERVICE_CACHE_MAX_BYTES', '-1', 'whole number of at least 0'],
    ['SERVICE_CACHE_MAX_BYTES', '1e9', 'whole number'],
    ['SERVICE_CACHE_MAX_AGE_DAYS', '1.5', 'whole number'],
    ['SERVICE_CACHE_MAX_AGE_DAYS', '9'.repeat(30), 'whole number'],
    ['RUST_LOG', 'loud', '"loud" is not a level'],
    ['RUST_LOG', 'http=debug=x', 'is not a level'],
    ['SERVICE_DATABASE_URL', '', 'must be a URL: postgres://'],
    ['SERVICE_DATABASE_URL', 'mysql://db.example/ers', 'must be a URL: postgres://'],
    ['SERVICE_DATABASE_URL', 'postgres://db.example/ers?sslmode=maybe', 'sslmode must be one of'],
    [
      'SERVICE_DATABASE_URL',
      'postgres://db.example/ers?sslmode=verify-full&sslrootcert=/none.crt',
      'sslrootcert: /none.crt cannot be read (ENOENT)',
    ],
    ['SERVICE_DATABASE_READ_URL', 'postgres://db.example/ers', 'must be set together with SERVICE_DATABASE_URL'],
    ['SERVICE_DATABASE_POOL_SIZE', '5', 'must be set together with SERVICE_DATABASE_URL'],
    ['SERVICE_DATABASE_STATEMENT_TIMEOUT_MS', '5', 'must be set together with SERVICE_DATABASE_URL'],
    ['SERVICE_DATABASE_WAIT_MS', '5', 'must be set together with SERVICE_DATABASE_URL'],
    ['SERVICE_DATABASE_PREPARED_STATEMENTS', 'false', 'must be set together with SERVICE_DATABASE_URL'],
    ['SERVICE_DATABASE_POOLSIZE', '5', 'is not a variable of this service'],
    ['SERVICE_SSO_DEFAULT', 'corp', 'is not a variable of this service'],
    ['SERVICE_COOKIE_SECURE', '1', 'must be true or false'],
    ['SERVICE_COOKIE_SECURE', 'True', 'must be true or false'],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.1,proxy.internal', '"proxy.internal" is not an IP address or CIDR range'],
    ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/33', '"10.0.0.0/33" is not an IP address or CIDR range'],
    ['SERVICE_MCP_ENABLED', 'on', 'must be true, false, 1, 0, yes or no'],
    ['SERVICE_MCP_ENABLED', 'True', 'must be true, false, 1, 0, yes or no'],
    ['SERVICE_MCP_ENABLED', 'toString', 'must be true, false, 1, 0, yes or no'],
    [
      'SERVICE_MCP_ALLOWED_ORIGINS',
      'app.example,https://app.example/path',
      '"https://app.example/path" is not an origin such as https://app.example.com, nor a host with or without a port',
    ],
    ['SERVICE_LOCAL_CACHE_MAX_SCAN', '0', 'at least 1'],
    ['SERVICE_LOCAL_CACHE_MAX_SCAN', 'all', 'whole number'],
    ['SERVICE_RUN_MAX_AGE_DAYS', '0', 'at least 1'],
    ['SERVICE_RUN_MAX_AGE_DAYS', '-1', 'whole number'],
    ['SERVICE_RUN_MAX_AGE_DAYS', '30d', 'whole number'],
  ]
  it.each(WRONG)('rejects %s=%j and names the variable', (name, value, message) => {
    const lines = wrongIn({ [name]: value })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(new RegExp(`^${name}: `))
    expect(lines[0]).toContain(message)
  })

  const database = { SERVICE_DATABASE_URL: 'postgres://db.example/ers' }

  it('reads the database settings, and keeps the state directory', () =>
    expect(
      readConfig({
        ...database,
        SERVICE_DATABASE_READ_URL: 'postgres://replica.example/ers',
        SERVICE_DATABASE_POOL_SIZE: '3',
        SERVICE_DATABASE_STATEMENT_TIMEOUT_MS: '1000',
        SERVICE_DATABASE_WAIT_MS: '0',
        SERVICE_DATA_DIR: '/srv',
      }),
    ).toMatchObject({
      dataDir: '/srv',
      database: {
        url: 'postgres://db.example/ers',
        readUrl: 'postgres://replica.example/ers',
        poolSize: 3,
        statementTimeoutMs: 1000,
        waitMs: 0,
      },
    }))

  it.each([
    ['SERVICE_DATABASE_READ_URL', 'nonsense', 'must be a URL'],
    ['SERVICE_DATABASE_POOL_SIZE', '0', 'whole number of at least 1'],
    ['SERVICE_DATABASE_STATEMENT_TIMEOUT_MS', '30s', 'whole number of at least 1'],
  ])('rejects %s=%j with a database', (name, value, message) =>
    expect(wrongIn({ ...database, [name]: value })).toEqual([expect.stringMatching(`^${name}: .*${message}`)]),
  )

  it('follows SERVICE_COOKIE_SECURE for any public URL', () => {
    expect(
      readConfig({ SERVICE_PUBLIC_URL: 'https://results.example', SERVICE_COOKIE_SECURE: 'false' }).cookieSecure,
    ).toBe(false)
    expect(
      readConfig({ SERVICE_PUBLIC_URL: 'http://results.example', SERVICE_COOKIE_SECURE: 'true' }).cookieSecure,
    ).toBe(true)
  })

  it('reads the bootstrap admin; the password is not trimmed', () =>
    expect(readConfig({ SERVICE_ADMIN_USER: ' root ', SERVICE_ADMIN_PASSWORD: ' p ' })).toEqual({
      ...readConfig({}),
      adminUser: 'root',
      adminPassword: ' p ',
    }))

  it.each([
    [{ SERVICE_ADMIN_USER: 'root' }, 'SERVICE_ADMIN_PASSWORD: must be set together with SERVICE_ADMIN_USER'],
    [
      { SERVICE_ADMIN_USER: 'root', SERVICE_ADMIN_PASSWORD: '' },
      'SERVICE_ADMIN_PASSWORD: must be set together with SERVICE_ADMIN_USER',
    ],
    [{ SERVICE_ADMIN_PASSWORD: 'hunter2' }, 'SERVICE_ADMIN_USER: must be set together with SERVICE_ADMIN_PASSWORD'],
    [
      { SERVICE_ADMIN_USER: ' ', SERVICE_ADMIN_PASSWORD: 'hunter2' },
      'SERVICE_ADMIN_USER: must be set together with SERVICE_ADMIN_PASSWORD',
    ],
  ])('rejects an incomplete bootstrap admin: %j', (env, message) => expect(wrongIn(env)).toEqual([message]))

  it('names all errors at once', () =>
    expect(
      wrongIn({ SERVICE_AUTH_MODE: 'x', RUST_LOG: 'y', SERVICE_DATABASE_URL: 'z' }, { port: 'p' }).map(
        (line) => line.split(':')[0],
      ),
    ).toEqual(['--port', 'SERVICE_DATABASE_URL', 'SERVICE_AUTH_MODE', 'RUST_LOG']))

  const NAMES = [...new Set([...VALID, ...WRONG].map(([name]) => name))]
    .filter((name) => name !== 'SERVICE_DATABASE_URL')
    .concat('SERVICE_ADMIN_USER', 'SERVICE_ADMIN_PASSWORD', 'SERVICE_OIDC_PROVIDERS', 'SERVICE_OIDC_CORP_ISSUER')

  it('treats empty variables as unset, one or all of them', () => {
    for (const name of NAMES) expect(readConfig({ [name]: '' }), name).toEqual(readConfig({}))
    expect(readConfig(Object.fromEntries(NAMES.map((name) => [name, ''])))).toEqual(readConfig({}))
  })

  it('ignores variables that a container platform sets for a service named service-database', () =>
    expect(
      readConfig({
        SERVICE_DATABASE_SERVICE_HOST: '10.0.0.1',
        SERVICE_DATABASE_SERVICE_PORT: '5432',
        SERVICE_DATABASE_PORT: 'tcp://10.0.0.1:5432',
        SERVICE_DATABASE_PORT_5432_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual(readConfig({})))

  it.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['', false],
  ])('mounts the endpoint for agents, or not, with %s', (value, isMounted) =>
    expect(readConfig({ SERVICE_MCP_ENABLED: value }).mcp !== null).toBe(isMounted),
  )

  it('reads the origins whose pages may call the endpoint for agents', () => {
    const origins = ' https://app.example , tool.example:81,,[::1] '
    expect(readConfig({ SERVICE_MCP_ENABLED: 'true', SERVICE_MCP_ALLOWED_ORIGINS: origins }).mcp).toEqual({
      allowedOrigins: [
        { scheme: 'https', host: 'app.example', port: null },
        { scheme: null, host: 'tool.example', port: '81' },
        { scheme: null, host: '[::1]', port: null },
      ],
    })
    expect(readConfig({ SERVICE_MCP_ENABLED: 'true' }).mcp).toEqual({ allowedOrigins: [] })
    // Without the endpoint they have no effect, but they are still checked.
    expect(readConfig({ SERVICE_MCP_ALLOWED_ORIGINS: origins }).mcp).toBeNull()
  })

  it('never quotes a secret', () => {
    const secrets = {
      SERVICE_TOKENS: 'read:s3cret-one,s3cret-two,root:s3cret-three',
      SERVICE_ADMIN_PASSWORD: 's3cret-four',
      SERVICE_DATABASE_URL: 'postgres://u:s3cret-five@host:port',
      SERVICE_PUBLIC_URL: 'https://u:s3cret-six@host',
    }
    const lines = wrongIn(secrets)
    expect(lines).toHaveLength(5)
    expect(lines.join('\n')).not.toContain('s3cret')
  })

  it('prefers flags over variables', () => {
    expect(readConfig({ SERVICE_DATA_DIR: '/a' }, { dataDir: '/b', port: '0' })).toMatchObject({
      dataDir: '/b',
      port: 0,
    })
    expect(wrongIn({ SERVICE_DATA_DIR: '/a' }, { dataDir: '' })).toEqual([expect.stringContaining('must not be empty')])
  })

  it.each(['-1', '65536', 'http', '', '80.5'])('rejects %j as a port', (port) =>
    expect(wrongIn({}, { port })).toEqual(['--port: must be a port from 0 to 65535']),
  )

  it('takes the port of the platform, unless the flag names another', () => {
    expect(readConfig({ PORT: '9000' })).toMatchObject({ port: 9000 })
    expect(readConfig({ PORT: '' })).toMatchObject({ port: 8321 })
    expect(readConfig({ PORT: '9000' }, { port: '9001' })).toMatchObject({ port: 9001 })
    expect(wrongIn({ PORT: 'tcp://10.0.0.1:80' }, {})).toEqual(['PORT: must be a port from 0 to 65535'])
  })
})
