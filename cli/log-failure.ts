import type { Logger } from 'pino'

/**
 * Failures that the operator can end. Their message says what happened and what to do, so a stack would only hide it.
 * By name: an error from another thread has lost its class.
 */
const FOR_OPERATORS = new Set(['StateDirectoryUnusable', 'StateDirectoryTaken', 'StoreDamaged', 'LogFallsShort', 'HeadFileUnreadable', 'Misfit', 'Unavailable', 'Unusable'])

/** Logs why the service cannot start or continue: the message alone where the operator can end it, else the error with its stack. */
export const logFailure = (logger: Pick<Logger, 'fatal'>, error: unknown): void => {
  if (error instanceof Error && FOR_OPERATORS.has(error.name)) logger.fatal(error.message)
  else logger.fatal({ err: error }, error instanceof Error ? error.message : 'the service cannot go on')
}
