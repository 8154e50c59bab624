import type { Logger } from 'pino'
import { UserError } from '../../maintenance/user-error.ts'

/**
 * Failures that the operator can end. Their message says what happened and what to do, so a stack would only hide it.
 * By name: an error from another thread has lost its class.
 */
const FOR_OPERATORS = new Set([
  'StateDirectoryUnusable',
  'StateDirectoryTaken',
  'StoreDamaged',
  'LogFallsShort',
  'HeadFileUnreadable',
  'SchemaAltered',
  'WrongEncoding',
  'Misfit',
  'Superseded',
  'Fenced',
  'DocumentMissing',
  'DocumentAltered',
  'Unavailable',
  'Unusable',
])

const isForOperators = (error: unknown): error is Error => error instanceof Error && FOR_OPERATORS.has(error.name)

/**
 * What a command throws for an error of its store: `UserError`, which ends it in one line, where the operator can end
 * it; else the error itself.
 */
export const asUserError = (error: unknown): unknown =>
  isForOperators(error) ? new UserError(error.message, { cause: error }) : error

/**
 * Logs why the service cannot start or continue: the message alone where the operator can end it, else the error with
 * its stack.
 */
export const logFailure = (logger: Pick<Logger, 'fatal'>, error: unknown): void => {
  if (isForOperators(error)) logger.fatal(error.message)
  else logger.fatal({ err: error }, error instanceof Error ? error.message : 'the service cannot go on')
}
