import { DiskFull, Unavailable } from '../errors.ts'

type ErrorLike = { readonly code?: unknown; readonly cause?: unknown; readonly message?: unknown }

/** The SQLSTATE of an error, or Node's code of a failed connection, wherever slonik put it. */
export const codeOf = (error: unknown): string | null => {
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
 * Errors of a server that is unreachable, full, busy or shutting down become `Unavailable`; all others stay unchanged.
 */
export const asUnavailable = (error: unknown): unknown => {
  if (error instanceof Unavailable) return error
  if (codeOf(error) === DISK_FULL) return new DiskFull({ cause: error })
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = codeOf(error)
  const isUnavailable =
    (code !== null && UNAVAILABLE.test(code)) ||
    LOST_CONNECTION.test(error instanceof Error ? error.constructor.name : '') ||
    /Connection terminated|timeout expired|read timeout|Client (is|was|has) |connection pool/i.test(message)
  return isUnavailable
    ? new Unavailable(`the database is unavailable: ${code ?? name}: ${message}`, { cause: error })
    : error
}
