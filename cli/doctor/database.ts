import { isIP } from 'node:net'
import { messageOf } from '../../domain/plain/message-of.ts'
import { readAddress, redactedUrl, type Address } from '../../storage/postgres/address.ts'
import { connectTo } from '../../storage/postgres/connect.ts'
import { checkEncoding, WrongEncoding } from '../../storage/postgres/encoding.ts'
import type { DatabaseConfig } from '../serve/config.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

type Client = Awaited<ReturnType<typeof connectTo>>['client']

/** The oldest version of PostgreSQL, as `server_version_num` writes it. */
const OLDEST_VERSION = 150_000
const MAX_CLOCK_GAP_MS = 60_000
/** Connections of a replica in addition to its pool (docs/running.md). */
const OTHER_CONNECTIONS = 16

/** Checks a database and the way to it. `isUsable` is whether its tables can be read at all. */
export const checkDatabase = async (
  { url, readUrl, poolSize }: DatabaseConfig,
  now: () => number,
): Promise<{ readonly findings: readonly Finding[]; readonly isUsable: boolean }> => {
  const address = readAddress(url)
  let opened: Awaited<ReturnType<typeof connectTo>>
  try {
    opened = await connectTo(address)
  } catch (error) {
    const message = `SERVICE_DATABASE_URL: ${redactedUrl(url)} cannot be used: ${messageOf(error)}`
    const remedy = 'check host, port, role, password and pg_hba.conf, and that the server runs'
    return { findings: [failure('database', message, remedy)], isUsable: false }
  }
  const { client, ssl } = opened
  try {
    const encoding = await encodingFinding(client)
    const findings = [
      ok('database', redactedUrl(url)),
      await versionFinding(client),
      encoding,
      tlsFinding(address, ssl !== false),
      await poolerFinding(address, client),
      ...(await settingFindings(client, poolSize, now)),
      ...(readUrl === null ? [] : [await standbyFinding(readUrl)]),
    ]
    return { findings, isUsable: encoding.status === 'ok' }
  } finally {
    await client.end().catch(() => {})
  }
}

const valueOf = async (client: Client, text: string): Promise<string> => {
  const { rows } = await client.query<{ value: unknown }>(text)
  return String(rows[0]?.value)
}

const versionFinding = async (client: Client): Promise<Finding> => {
  const version = await valueOf(client, `SELECT current_setting('server_version') AS value`)
  const number = Number(await valueOf(client, `SELECT current_setting('server_version_num') AS value`))
  return versionFindingOf(version, number)
}

/** Whether a version of the server is new enough; `number` is `server_version_num`. */
export const versionFindingOf = (version: string, number: number): Finding =>
  number >= OLDEST_VERSION
    ? ok('database version', `PostgreSQL ${version}`)
    : failure('database version', `PostgreSQL ${version} is too old`, 'upgrade the server to 15 or newer')

const encodingFinding = async (client: Client): Promise<Finding> => {
  try {
    await checkEncoding((text) => client.query<Record<string, unknown>>(text))
    return ok('encoding', 'UTF8')
  } catch (error) {
    if (!(error instanceof WrongEncoding)) throw error
    return failure('encoding', error.message, 'move to a database with the encoding UTF8 (docs/postgres.md)')
  }
}

const isLocal = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Whether the connection is encrypted, and to the server that is meant. */
export const tlsFinding = ({ host, sslmode }: Pick<Address, 'host' | 'sslmode'>, isEncrypted: boolean): Finding => {
  if (isLocal(host)) return ok('database TLS', 'the server is on this machine')
  const remedy = 'add sslmode=verify-full&sslrootcert=FILE to the URL (docs/configuration.md)'
  if (!isEncrypted) return warning('database TLS', 'the connection is not encrypted', remedy)
  return sslmode === 'verify-full'
    ? ok('database TLS', 'encrypted, and the server is the one that is named')
    : warning('database TLS', `with sslmode=${sslmode} another server can pass for this one`, remedy)
}

const WITHOUT = 'SERVICE_DATABASE_PREPARED_STATEMENTS'

/** A pooler gives its clients process ids of its own. Prepared statements are tried where it may change the session. */
const poolerFinding = async (address: Address, client: Client): Promise<Finding> => {
  const pid = Number(await valueOf(client, 'SELECT pg_backend_pid() AS value'))
  const isPooler = pid !== (client as unknown as { readonly processID: number | null }).processID
  if (address.isPooled)
    return isPooler
      ? ok('pooler', 'there is one, and no statement is prepared by name')
      : warning('pooler', `there is none, and with ${WITHOUT}=false each statement takes longer`, `remove ${WITHOUT}`)
  if (!isPooler) return ok('pooler', 'there is none; statements are prepared by name')
  return (await keepsPrepared(address, client))
    ? ok('pooler', 'there is one, and it keeps prepared statements')
    : failure(
        'pooler',
        'there is one, and it loses prepared statements between transactions',
        `set ${WITHOUT}=false, or max_prepared_statements of PgBouncer 1.21 or newer (docs/running.md)`,
      )
}

/** Prepares a statement, and runs it again while another transaction holds the session in which it was prepared. */
const keepsPrepared = async (address: Address, client: Client): Promise<boolean> => {
  const statement = { name: 'ers_doctor', text: 'SELECT 1 AS value' }
  const { client: other } = await connectTo(address)
  try {
    await client.query(statement)
    await other.query('BEGIN')
    await other.query('SELECT 1')
    await client.query(statement)
    await other.query(statement)
    return true
  } catch (error) {
    // No such statement, or one of that name of another client.
    if (/^(?:26000|42P05)$/.test((error as { readonly code?: string }).code ?? '')) return false
    throw error
  } finally {
    await other.query('ROLLBACK').catch(() => {})
    await other.end().catch(() => {})
  }
}

const settingFindings = async (client: Client, poolSize: number, now: () => number): Promise<readonly Finding[]> => {
  const findings: Finding[] = []
  for (const name of ['fsync', 'full_page_writes'])
    if ((await valueOf(client, `SELECT current_setting('${name}') AS value`)) === 'off')
      findings.push(
        failure(
          'database settings',
          `${name} is off: a crash of the server loses what was acknowledged`,
          `set ${name} = on`,
        ),
      )
  const connections = Number(await valueOf(client, `SELECT current_setting('max_connections') AS value`))
  if (connections < poolSize + OTHER_CONNECTIONS)
    findings.push(
      warning(
        'database settings',
        `max_connections is ${connections}, and one replica needs up to ${poolSize + OTHER_CONNECTIONS}`,
        'raise max_connections, or lower SERVICE_DATABASE_POOL_SIZE',
      ),
    )
  if ((await valueOf(client, `SELECT current_setting('is_superuser') AS value`)) === 'on')
    findings.push(
      warning(
        'role',
        'the role is a superuser, so only triggers protect the log',
        'serve with a role of its own (docs/postgres.md)',
      ),
    )
  const gap =
    now() - Number(await valueOf(client, 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS value'))
  findings.push(
    Math.abs(gap) > MAX_CLOCK_GAP_MS
      ? warning(
          'database clock',
          `it differs by ${Math.round(gap / 1000)} s from the clock here`,
          'keep both right with NTP',
        )
      : ok('database clock', 'as the clock here'),
  )
  return findings
}

const standbyFinding = async (readUrl: string): Promise<Finding> => {
  try {
    const { client } = await connectTo(readAddress(readUrl))
    try {
      return (await valueOf(client, 'SELECT pg_is_in_recovery() AS value')) === 'true'
        ? ok('standby', redactedUrl(readUrl))
        : warning(
            'standby',
            `${redactedUrl(readUrl)} is no standby`,
            'name a standby in SERVICE_DATABASE_READ_URL, or remove the variable',
          )
    } finally {
      await client.end().catch(() => {})
    }
  } catch (error) {
    const message = `SERVICE_DATABASE_READ_URL: ${redactedUrl(readUrl)} cannot be used: ${messageOf(error)}`
    return warning('standby', message, 'check that it runs; reads use the primary meanwhile')
  }
}
