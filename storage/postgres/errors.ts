import { Unavailable } from '../errors.ts'

type Coded = { readonly code?: unknown; readonly cause?: unknown; readonly message?: unknown }

/** The SQLSTATE of an error, or the code of Node's that a connection failed with, wherever slonik put it. */
export const codeOf = (error: unknown): string | null => {
  for (let at = error as Coded | undefined, depth = 0; at && depth < 5; at = at.cause as Coded | undefined, depth++)
    if (typeof at.code === 'string') return at.code
  return null
}

/**
 * 08 connection, 53 resources (a full disk), 57 shut down or timed out, 55P03 lock not had, 25006 read-only (a
 * standby), 25P03 idle too long in a transaction, 40 ran into others, 58030 the disk; and what Node calls a host that
 * is not found or not reached.
 */
const UNAVAILABLE = /^(08|53|57|40|55P03|25006|25P03|58030|E[A-Z]+$|EAI_[A-Z]+$)/

const LOST =
  /^(BackendTerminated|BackendTerminatedUnexpectedly|Connection|IdleTransactionTimeout|StatementTimeout|StatementCancelled)Error$/

/**
 * What a server that is away, full, busy or shutting down causes becomes `Unavailable`; everything else stays what it
 * is.
 */
export const asUnavailable = (error: unknown): unknown => {
  if (error instanceof Unavailable) return error
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = codeOf(error)
  const isAway =
    (code !== null && UNAVAILABLE.test(code)) ||
    LOST.test(error instanceof Error ? error.constructor.name : '') ||
    /Connection terminated|timeout expired|read timeout|Client (is|was|has) |connection pool/i.test(message)
  return isAway ? new Unavailable(`the database is unavailable: ${code ?? name}: ${message}`, { cause: error }) : error
}
