import { DiskFull, Unavailable } from '../errors.ts'

type ErrorLike = { readonly code?: unknown; readonly cause?: unknown; readonly message?: unknown }

/** The SQLSTATE of an error, or Node's code of a failed connection, wherever slonik put it. */
export const databaseCode = (error: unknown): string | null => {
  for (
    let current = error as ErrorLike | undefined, depth = 0;
    current && depth < 5;
    current = current.cause as ErrorLike | undefined, depth++
  )
    if (typeof current.code === 'string') return current.code
  return null
}

/**
 * 08 connection; 53 resources (a full disk); 57 shutdown or timeout; 55P03 lock not available; 25006 read-only (a
 * standby); 25P03 idle in transaction; 40 conflict with a concurrent transaction; 58030 I/O error; and Node's codes for
 * a host that is not found or not reachable.
 */
const UNAVAILABLE = /^(08|53|57|40|55P03|25006|25P03|58030|E[A-Z]+$|EAI_[A-Z]+$)/

/** The SQLSTATE of a full disk. */
const DISK_FULL = '53100'

const LOST_CONNECTION =
  /^(BackendTerminated|BackendTerminatedUnexpectedly|Connection|IdleTransactionTimeout|StatementTimeout|StatementCancelled)Error$/

/**
 * What to do about errors that only a pooler in transaction mode causes, as PgBouncer words them: 08P01 for a start
 * parameter that it does not pass on; 26000 and 42P05 for a statement that another session has prepared.
 */
const adviceOn = (code: string | null, message: string): string | null => {
  const instead = 'or set SERVICE_DATABASE_PREPARED_STATEMENTS=false for the service'
  if (code === '08P01' && /unsupported startup parameter/.test(message))
    return `Set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in PgBouncer, ${instead}`
  if (code === '26000' || code === '42P05')
    return `A pooler in transaction mode loses prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements above 0, ${instead}`
  return null
}

/**
 * Errors of a server that is unreachable, full, busy or shutting down become `Unavailable`; all others stay unchanged.
 */
export const asUnavailable = (error: unknown): unknown => {
  if (error instanceof Unavailable) return error
  if (databaseCode(error) === DISK_FULL) return new DiskFull({ cause: error })
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = databaseCode(error)
  const advice = adviceOn(code, message)
  if (advice !== null)
    return new Unavailable(`the database is unavailable: ${code}: ${message}. ${advice}`, { cause: error })
  const isUnavailable =
    (code !== null && UNAVAILABLE.test(code)) ||
    LOST_CONNECTION.test(error instanceof Error ? error.constructor.name : '') ||
    /Connection terminated|timeout expired|read timeout|Client (is|was|has) |connection pool/i.test(message)
  return isUnavailable
    ? new Unavailable(`the database is unavailable: ${code ?? name}: ${message}`, { cause: error })
    : error
}
