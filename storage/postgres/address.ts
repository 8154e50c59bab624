import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { createSecureContext, getCACertificates, type ConnectionOptions } from 'node:tls'
import type { ClientConfig } from 'pg'

/**
 * A PostgreSQL URL that cannot be used to connect. The message gives the reason and never quotes a part that may
 * contain the password.
 */
export class UnusableAddress extends Error {
  override readonly name = 'UnusableAddress'
}

/** Options of `tls.connect`, or false for an unencrypted connection. */
export type Tls = ConnectionOptions | false

export type Address = {
  /** A name, an IP address, or the absolute path of a socket's directory. */
  readonly host: string
  readonly port: number
  readonly user: string
  /** Null if the URL has none: `pg` then reads PGPASSWORD and ~/.pgpass, as every client does. */
  readonly password: string | null
  readonly database: string
  readonly applicationName: string
  /** Command-line options of the session: `-c work_mem=64MB`. */
  readonly options: string | null
  /** Null if the URL has none. */
  readonly connectTimeoutMs: number | null
  readonly sslmode: SslMode
  /**
   * A pooler gives each transaction another session, so nothing may depend on one: no prepared statements, settings or
   * locks of a session.
   */
  readonly isPooled: boolean
  /** For slonik's `createPool`. It has no TLS settings, because the driver handles TLS. */
  readonly dsn: string
  /** Never spread this into another object: `pg` makes `key`, the private key, non-enumerable, so it would be lost. */
  readonly ssl: Tls
  /** The second attempt if the server does not accept `ssl` (prefer, allow); null if there is none. See `connectTo`. */
  readonly fallback: Tls | null
}

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type SslMode = (typeof MODES)[number]

/** What `readAddress` reads from the machine. Specs pass a substitute. */
export type Machine = {
  readonly readFile: (path: string) => string
  /** The name of the user of this process; throws if there is none. */
  readonly userName: () => string
  /** The certificates in PEM that the system trusts. */
  readonly systemCertificates: () => readonly string[]
}

const thisMachine: Machine = {
  readFile: (path) => readFileSync(path, 'utf8'),
  userName: () => userInfo().username,
  systemCertificates: () => getCACertificates('system'),
}

/** The parameters of libpq that are supported. */
const SUPPORTED = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'application_name',
  'fallback_application_name',
  'options',
  'connect_timeout',
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'channel_binding',
  'client_encoding',
  'gssencmode',
  'sslnegotiation',
  'target_session_attrs',
  // Not of libpq. `withoutSessions` adds it.
  'prepared_statements',
] as const
type Parameter = (typeof SUPPORTED)[number]

/**
 * Parameters that are accepted with these values only, because they describe what a connection does anyway. Any other
 * value would be ignored silently.
 */
const ALLOWED_VALUES: Partial<Record<Parameter, readonly string[]>> = {
  ssl: ['true'],
  channel_binding: ['disable', 'prefer'],
  client_encoding: ['UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'],
  gssencmode: ['disable', 'prefer'],
  sslnegotiation: ['postgres'],
  target_session_attrs: ['any'],
  prepared_statements: ['false'],
}

/**
 * Reads `postgres://user:password@host:port/database?parameters` as libpq does, certificate files included. Supports
 * sslmode (default `prefer`), sslrootcert, sslcert, sslkey, sslpassword, application_name, connect_timeout in seconds,
 * and options. A socket's directory is `%2Fdirectory` or `?host=/directory`. Unlike libpq it requires a host, accepts
 * only one, and reads no file that the URL does not name. Throws `UnusableAddress`.
 */
export const readAddress = (url: string, machine: Machine = thisMachine): Address => {
  const parameters = parametersOf(url)
  const host = parameters.host ?? ''
  if (host === '') throw new UnusableAddress('names no host; for a socket, name its directory: ?host=/run/postgresql')
  if (host.includes(',')) throw new UnusableAddress('names several hosts; only one is supported')
  const isSocket = host.startsWith('/')
  const user = parameters.user || userOf(machine)
  const common = {
    host,
    port: portOf(parameters.port ?? ''),
    user,
    password: parameters.password || null,
    database: parameters.dbname || user,
    applicationName: parameters.application_name || parameters.fallback_application_name || 'ers',
    options: parameters.options || null,
    connectTimeoutMs: timeoutOf(parameters.connect_timeout ?? '0'),
  }
  const sslmode = modeOf(parameters)
  const tls = tlsOf(parameters, sslmode, machine)
  return {
    ...common,
    sslmode,
    isPooled: parameters.prepared_statements === 'false',
    dsn: dsnOf(common),
    // Connections through a socket stay on this machine. They are never encrypted, whatever the mode is.
    ssl: isSocket || sslmode === 'disable' || sslmode === 'allow' ? false : tls,
    fallback: isSocket ? null : sslmode === 'prefer' ? false : sslmode === 'allow' ? tls : null,
  }
}

/** The URL of a pooler that gives each transaction another session. */
export const withoutSessions = (url: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}prepared_statements=false`

/** The target of a URL without any secret, for logs. */
export const redactedUrl = (url: string): string => {
  let parameters: Parameters
  try {
    parameters = parametersOf(url)
    portOf(parameters.port ?? '')
    modeOf(parameters)
  } catch (error) {
    if (!(error instanceof UnusableAddress)) throw error
    return 'postgresql://(unreadable)'
  }
  const { user, host = '', port, dbname = '', sslmode } = parameters
  const shownHost = host.includes(':') ? `[${host}]` : encodeURIComponent(host)
  const authority = `${user ? `${encodeURIComponent(user)}@` : ''}${shownHost}${port ? `:${port}` : ''}`
  const query = sslmode ? `?sslmode=${encodeURIComponent(sslmode)}` : ''
  return `postgresql://${authority}/${encodeURIComponent(dbname)}${query}`
}

/** The configuration of a `pg.Client` for an address, with the TLS options `ssl`. */
export const clientConfig = (address: Address, ssl: Tls = address.ssl): ClientConfig => ({
  host: address.host,
  port: address.port,
  user: address.user,
  database: address.database,
  application_name: address.applicationName,
  ssl,
  ...(address.password === null ? {} : { password: address.password }),
  ...(address.options === null ? {} : { options: address.options }),
  ...(address.connectTimeoutMs === null ? {} : { connectionTimeoutMillis: address.connectTimeoutMs }),
})

type Parameters = Partial<Record<Parameter, string>>

const FORM =
  /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?(\[[^\]/?#@]*\]|[^:/?#@[\]]*)(?::([^:/?#@]*))?(?:\/([^?#/]*))?(?:\?([^#]*))?$/

// Parsed by hand: `URL` rejects an empty host, and decodes a plus in a password as a space.
const parametersOf = (url: string): Parameters => {
  const parts = FORM.exec(url)
  if (!parts)
    throw new UnusableAddress(
      'must be a URL: postgres://user:password@host:port/database, with special characters in a part percent-encoded',
    )
  const [, userinfo = '', host = '', port = '', dbname = '', query = ''] = parts
  const colon = userinfo.indexOf(':')
  const [user, password] = colon < 0 ? [userinfo, ''] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)]
  const result: Parameters = {}
  const set = (name: Parameter, value: string): void => {
    if (value !== '') result[name] = decoded(value)
  }
  set('host', host.replace(/^\[(.*)\]$/, '$1'))
  set('port', port)
  set('dbname', dbname)
  set('user', user)
  set('password', password)
  for (const [i, pair] of query
    .split('&')
    .filter((candidate) => candidate !== '')
    .entries()) {
    const [name = '', ...rest] = pair.split('=')
    const parameter = SUPPORTED.find((supported) => supported === name)
    // The message does not quote the name, because it may be a part of the password: if a question mark in a password
    // is not percent-encoded, the text after it is read as parameters.
    if (!parameter) throw new UnusableAddress(`parameter ${i + 1} of the query is not one of ${SUPPORTED.join(', ')}`)
    set(parameter, rest.join('='))
    const allowed = ALLOWED_VALUES[parameter]
    if (allowed && result[parameter] !== undefined && !allowed.includes(result[parameter]))
      throw new UnusableAddress(`${parameter} can only be ${allowed.join(' or ')}`)
  }
  return result
}

const decoded = (text: string): string => {
  let plain: string
  try {
    plain = decodeURIComponent(text)
  } catch (cause) {
    throw new UnusableAddress(
      'has a % that does not begin an escaped UTF-8 character, such as %20; write %25 for the sign itself',
      { cause },
    )
  }
  if (plain.includes('\0')) throw new UnusableAddress('contains a NUL character')
  return plain
}

const userOf = (machine: Machine): string => {
  try {
    return machine.userName()
  } catch (cause) {
    throw new UnusableAddress('names no user, and the user of this process has no name', { cause })
  }
}

const portOf = (text: string): number => {
  if (text === '') return 5432
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
    throw new UnusableAddress('has a port that is not a number from 1 to 65535')
  return Number(text)
}

/** Seconds to milliseconds. 0 or less means the caller's default. Like libpq, the minimum is two seconds. */
const timeoutOf = (text: string): number | null => {
  if (!/^-?\d{1,6}$/.test(text)) throw new UnusableAddress('connect_timeout must be a whole number of seconds')
  return Number(text) <= 0 ? null : Math.max(Number(text), 2) * 1000
}

const modeOf = ({ ssl, sslmode, sslrootcert }: Parameters): SslMode => {
  const isSystem = sslrootcert === 'system'
  const name = sslmode ?? (ssl === 'true' ? 'require' : isSystem ? 'verify-full' : 'prefer')
  const mode = MODES.find((candidate) => candidate === name)
  if (!mode) throw new UnusableAddress(`sslmode must be one of ${MODES.join(', ')}`)
  // Anyone can get a certificate that the system trusts, for a host of their own.
  if (isSystem && mode !== 'verify-full') throw new UnusableAddress('sslrootcert=system needs sslmode=verify-full')
  if (mode.startsWith('verify') && !sslrootcert)
    throw new UnusableAddress(
      `sslmode=${mode} needs sslrootcert: a file of certificates in PEM${mode === 'verify-full' ? ', or system' : ''}`,
    )
  return mode
}

/**
 * The TLS options of a mode. The server's certificate is checked if there is a root certificate; its host name is
 * checked by verify-full only.
 */
const tlsOf = (parameters: Parameters, mode: SslMode, machine: Machine): Tls => {
  if (mode === 'disable') return false
  const { sslrootcert, sslcert, sslkey, sslpassword } = parameters
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new UnusableAddress('sslcert and sslkey must be set together')
  const pem = (name: 'sslrootcert' | 'sslcert' | 'sslkey', path: string, kind: RegExp): string => {
    let text: string
    try {
      text = machine.readFile(path)
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
      throw new UnusableAddress(`${name}: ${path} cannot be read${code}`, { cause })
    }
    // With an empty list, Node would fall back to the authorities that it trusts itself.
    if (!kind.test(text)) throw new UnusableAddress(`${name}: ${path} contains nothing in PEM that fits ${name}`)
    return text
  }
  const certificate = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/
  const ca =
    sslrootcert === undefined
      ? null
      : sslrootcert === 'system'
        ? [...machine.systemCertificates()]
        : pem('sslrootcert', sslrootcert, certificate)
  if (ca?.length === 0) throw new UnusableAddress('sslrootcert=system: this system trusts no certificate')
  const clientCertificate =
    sslcert === undefined || sslkey === undefined
      ? {}
      : { cert: pem('sslcert', sslcert, certificate), key: pem('sslkey', sslkey, /-----BEGIN [A-Z ]*PRIVATE KEY-----/) }
  const options: ConnectionOptions = {
    ...clientCertificate,
    ...(sslpassword === undefined ? {} : { passphrase: sslpassword }),
    ...(ca === null ? { rejectUnauthorized: false } : { ca, rejectUnauthorized: true }),
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
  try {
    if (ca !== null || sslcert !== undefined) createSecureContext(options)
  } catch (cause) {
    throw new UnusableAddress(
      `its certificates cannot be used together: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
  return options
}

/**
 * For slonik: every part is encoded. So an IPv6 address needs no brackets, and a socket's directory can be the host.
 */
const dsnOf = ({
  host,
  port,
  user,
  password,
  database,
  applicationName,
  options,
}: Pick<Address, 'host' | 'port' | 'user' | 'password' | 'database' | 'applicationName' | 'options'>): string => {
  const secret = password === null ? '' : `:${encodeURIComponent(password)}`
  const query = new URLSearchParams({
    application_name: applicationName,
    ...(options === null ? {} : { options }),
    sslmode: 'disable',
  })
  return `postgresql://${encodeURIComponent(user)}${secret}@${encodeURIComponent(host)}:${port}/${encodeURIComponent(database)}?${query.toString()}`
}
