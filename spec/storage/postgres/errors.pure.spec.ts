import { describe, expect, it } from 'vitest'
import { DiskFull, Unavailable } from '../../../storage/errors.ts'
import { asUnavailable } from '../../../storage/postgres/errors.ts'

const anError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

describe('an error of the database', () => {
  it.each([
    [
      '08P01',
      'unsupported startup parameter: statement_timeout',
      'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
    ],
    ['26000', 'prepared statement "ers_1" does not exist', 'PgBouncer 1.21 or newer with max_prepared_statements'],
    ['42P05', 'prepared statement "ers_1" already exists', 'PgBouncer 1.21 or newer with max_prepared_statements'],
  ])('that only a pooler causes (%s) says what to set', (code, message, advice) => {
    const error = asUnavailable(anError(code, message)) as Error
    expect(error).toBeInstanceOf(Unavailable)
    expect(error.message).toContain(advice)
    expect(error.message).toContain('SERVICE_DATABASE_PREPARED_STATEMENTS=false')
  })

  it('of a full disk is recognised', () =>
    expect(asUnavailable(anError('53100', 'could not extend file'))).toBeInstanceOf(DiskFull))

  it('that is none of these stays as it is', () => {
    const error = anError('23505', 'duplicate key')
    expect(asUnavailable(error)).toBe(error)
  })
})
