import type { Logger } from 'pino'
import { UserError } from '../../maintenance/user-error.ts'

/**
 * Names of the errors that the operator can fix. Their message says what happened and what to do, so a stack would only
 * hide it. Errors are compared by name, because an error from another thread is no longer an instance of its class.
 */
const OPERATOR_ERRORS = new Set([
  'StateDirectoryUnusable',
  'StateDirectoryTaken',
  'StoreDamaged',
  'LogBehindHeadFile',
  'CheckpointNotInLog',
  'HeadFileUnreadable',
  'SchemaAltered',
  'WrongEncoding',
  'SchemaMismatch',
  'Superseded',
  'Fenced',
  'DocumentMissing',
  'DocumentDamaged',
  'MisconfiguredProvider',
  'NoCredentials',
  'Unavailable',
  'UserError',
])

const isOperatorError = (error: unknown): error is Error => error instanceof Error && OPERATOR_ERRORS.has(error.name)

/**
 * Turns an error that the operator can fix into a `UserError`, which ends a command with one line. Returns any other
 * error unchanged.
 */
export const asUserError = (error: unknown): unknown =>
  isOperatorError(error) ? new UserError(error.message, { cause: error }) : error

/**
 * Logs why the service cannot start or continue: only the message if the operator can fix the error, else with its
 * stack.
 */
export const logFailure = (logger: Pick<Logger, 'fatal'>, error: unknown): void => {
  if (isOperatorError(error)) logger.fatal(error.message)
  else logger.fatal({ err: error }, error instanceof Error ? error.message : 'the service cannot continue')
}
