import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { clientConfig, readAddress, redactedUrl, UnusableAddress } from '../../../storage/postgres/address.ts'
import type { Machine } from '../../../storage/postgres/address.ts'

const machine: Machine = {
  readFile: (path) => {
    if (path === '/empty') return '\n'
    throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
  },
  userName: () => 'somebody',
  systemCertificates: () => ['one', 'two'],
}
const read = (url: string) => readAddress(url, machine)

/** The error message for an address. */
const errorOf = (url: string): string => {
  try {
    read(url)
  } catch (error) {
    if (error instanceof UnusableAddress) return error.message
    throw error
  }
  return ''
}

describe('readAddress', () => {
  it('has the defaults of libpq, including TLS if the server supports it', () =>
    expect(read('postgres://db.example')).toMatchObject({
      host: 'db.example',
      port: 5432,
      user: 'somebody',
      password: null,
      database: 'somebody',
      options: null,
      connectTimeoutMs: null,
      sslmode: 'prefer',
      fallback: false,
    }))

  it('names its sessions ers by default', () => {
    expect(read('postgres://h').applicationName).toBe('ers')
    expect(read('postgres://h?fallback_application_name=b').applicationName).toBe('b')
    expect(read('postgres://h?fallback_application_name=b&application_name=a').applicationName).toBe('a')
  })

  it("uses the user's name as the default database", () =>
    expect(read('postgresql://ers@h/')).toMatchObject({ user: 'ers', database: 'ers' }))

  it('decodes every part, and keeps a plus sign', () =>
    expect(
      read('postgresql://us%65r:p%40ss+%2Fword@h:6432/my%20data?options=-c%20geqo%3Doff&application_name=a%26b'),
    ).toMatchObject({
      user: 'user',
      password: 'p@ss+/word',
      port: 6432,
      database: 'my data',
      options: '-c geqo=off',
      applicationName: 'a&b',
    }))

  it('prefers query parameters over the parts before them', () =>
    expect(read('postgresql://a:b@h:1/c?user=d&password=e&host=f&port=2&dbname=g')).toMatchObject({
      user: 'd',
      password: 'e',
      host: 'f',
      port: 2,
      database: 'g',
    }))

  it.each([
    'postgresql://u@/data?host=/run/postgresql',
    'postgresql://u@%2Frun%2Fpostgresql/data',
    'postgresql:///data?user=u&host=/run/postgresql',
  ])('reads the directory of a socket, and never encrypts: %s', (url) =>
    expect(read(url)).toMatchObject({
      host: '/run/postgresql',
      user: 'u',
      database: 'data',
      ssl: false,
      fallback: null,
    }),
  )

  it('reads an IPv6 address', () =>
    expect(read('postgres://u@[::1]:5433/d')).toMatchObject({ host: '::1', port: 5433 }))

  it.each([
    ['0', null],
    ['-1', null],
    ['1', 2000],
    ['10', 10_000],
  ])('has the connect timeout of libpq: connect_timeout=%s', (given, expected) =>
    expect(read(`postgres://h?connect_timeout=${given}`).connectTimeoutMs).toBe(expected),
  )

  it.each([
    ['disable', false, null],
    ['allow', false, { rejectUnauthorized: false }],
    ['prefer', { rejectUnauthorized: false }, false],
    ['require', { rejectUnauthorized: false }, null],
  ] as const)('trusts any server under sslmode=%s, because no root certificate is given', (mode, ssl, fallback) => {
    const address = read(`postgres://h?sslmode=${mode}`)
    expect(address.sslmode).toBe(mode)
    for (const [is, expected] of [
      [address.ssl, ssl],
      [address.fallback, fallback],
    ] as const) {
      if (expected) expect(is).toMatchObject(expected)
      else expect(is).toBe(expected)
    }
  })

  it('reads ssl=true as require', () =>
    expect(read('postgres://h?ssl=true')).toMatchObject({ sslmode: 'require', fallback: null }))

  it('checks the host name whenever sslrootcert is system', () => {
    expect(read('postgres://h?sslrootcert=system')).toMatchObject({
      sslmode: 'verify-full',
      ssl: { ca: ['one', 'two'], rejectUnauthorized: true },
      fallback: null,
    })
    expect(read('postgres://h?sslrootcert=system').ssl).not.toHaveProperty('checkServerIdentity')
    expect(errorOf('postgres://h?sslrootcert=system&sslmode=verify-ca')).toBe(
      'sslrootcert=system needs sslmode=verify-full',
    )
    expect(() => readAddress('postgres://h?sslrootcert=system', { ...machine, systemCertificates: () => [] })).toThrow(
      'this system trusts no certificate',
    )
  })

  it.each([
    ['', 'must be a URL'],
    ['db.example', 'must be a URL'],
    ['mysql://h', 'must be a URL'],
    ['host=h user=u', 'must be a URL'],
    ['postgres://u:p#x@h', 'must be a URL'],
    ['postgres://u:p@ss@h', 'must be a URL'],
    ['postgres:///data', 'names no host'],
    ['postgres://a,b/data', 'several hosts'],
    ['postgres://h:0', 'not a number from 1 to 65535'],
    ['postgres://h:65536', 'not a number from 1 to 65535'],
    ['postgres://h?port=x', 'not a number from 1 to 65535'],
    ['postgres://u:100%@h', '%25'],
    ['postgres://u:%ff@h', '%25'],
    ['postgres://u:%00@h', 'NUL'],
    ['postgres://h?connect_timeout=soon', 'whole number of seconds'],
    ['postgres://h?sslmode=no-verify', 'must be one of disable, allow, prefer, require, verify-ca, verify-full'],
    ['postgres://h?ssl=1', 'ssl can only be true'],
    ['postgres://h?sslmode=verify-full', 'needs sslrootcert: a file of certificates in PEM, or system'],
    ['postgres://h?sslmode=verify-ca', 'needs sslrootcert: a file of certificates in PEM'],
    ['postgres://h?sslmode=verify-ca&sslrootcert=/none', 'sslrootcert: /none cannot be read (ENOENT)'],
    ['postgres://h?sslmode=verify-ca&sslrootcert=/empty', 'sslrootcert: /empty contains nothing'],
    ['postgres://h?sslcert=/none', 'sslcert and sslkey must be set together'],
    ['postgres://h?target_session_attrs=read-write', 'target_session_attrs can only be any'],
    ['postgres://h?channel_binding=require', 'channel_binding can only be disable or prefer'],
    ['postgres://h?sslmode=require&frobnicate=1', 'parameter 2 of the query is not one of'],
  ])('rejects %j', (url, message) => expect(errorOf(url)).toContain(message))

  it('needs a user if the process has none', () =>
    expect(() =>
      readAddress('postgres://h', {
        ...machine,
        userName: () => {
          throw new Error('no such user')
        },
      }),
    ).toThrow('names no user'))

  it.each([
    'postgres://u:s3cret?x@h/d',
    'postgres://u:5?s3cret=1@h/d',
    'postgres://u:s3cret/x@h/d',
    'postgres://u:s3cret#x@h/d',
    'postgres://u:s3cret@x@h/d',
    'postgres://u:s3cret%@h/d',
    'postgres://u:s3cret@h:x/d',
    'postgres://h?sslmode=require&sslpassword=s3cret&sslcert=/none',
    'postgres://h?password=s3cret&port=s3cret',
  ])('does not reveal a password when it rejects %s', (url) => {
    expect(errorOf(url)).not.toBe('')
    expect(errorOf(url)).not.toContain('s3cret')
    expect(redactedUrl(url)).not.toContain('s3cret')
  })

  it('returns an address that clientConfig turns into the options of a pg client', () =>
    expect(clientConfig(read('postgres://u:p@h:1/d?connect_timeout=3&options=-cgeqo%3Doff&sslmode=disable'))).toEqual({
      host: 'h',
      port: 1,
      user: 'u',
      password: 'p',
      database: 'd',
      application_name: 'ers',
      options: '-cgeqo=off',
      connectionTimeoutMillis: 3000,
      ssl: false,
    }))

  it('supports any name and password in its URL', () => {
    const word = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .filter((text) => text.isWellFormed() && !text.includes('\0'))
    fc.assert(
      fc.property(word, word, word, (user, password, database) => {
        const url = `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@h/${encodeURIComponent(database)}`
        expect(read(url)).toMatchObject({ user, password, database })
        // The DSN for slonik has the same content.
        expect(read(read(url).dsn)).toMatchObject({
          user,
          password,
          database,
          host: 'h',
          port: 5432,
          applicationName: 'ers',
          sslmode: 'disable',
        })
        expect(redactedUrl(url)).toBe(`postgresql://${encodeURIComponent(user)}@h/${encodeURIComponent(database)}`)
      }),
    )
  })

  it('has a counterpart, redacted, that shows a URL without its secrets', () => {
    expect(redactedUrl('postgres://u:p@h:5/d?sslmode=require&application_name=x&sslpassword=q')).toBe(
      'postgresql://u@h:5/d?sslmode=require',
    )
    expect(redactedUrl('postgres://u@[::1]/d')).toBe('postgresql://u@[::1]/d')
    expect(redactedUrl('postgres:///d?host=/run')).toBe('postgresql://%2Frun/d')
    expect(redactedUrl('postgres://u:5?sslmode=s3cret@h')).toBe('postgresql://(unreadable)')
    expect(redactedUrl('nonsense')).toBe('postgresql://(unreadable)')
  })
})
