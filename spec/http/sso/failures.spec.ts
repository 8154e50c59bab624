import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { signInWithProvider } from '../../../http/sso/sign-in.ts'
import { oidcConfig } from '../../support/sso/providers.ts'
import { member } from '../../support/access/viewers.ts'
import { onPostgres, openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

let opened: FreshService
beforeEach(async () => void (opened = await openFreshService()))
afterEach(() => opened.close())

const SUBJECT = 'canary-subject-4711'

/** What the service logs of an error, at every level. */
const logged = (error: unknown): string => {
  const lines: string[] = []
  pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }).error({ err: error }, 'failed')
  return lines.join('')
}

const signIn = () =>
  signInWithProvider(opened.service, { defaultRole: 'member' })(
    member,
    oidcConfig(),
    { subject: SUBJECT, email: 'ada@canary.example', groups: [] },
    null,
  )

// PostgreSQL reports the row that a constraint rejects.
it.each([
  [
    'a constraint',
    onPostgres
      ? 'ALTER TABLE identity_subjects ADD CONSTRAINT never CHECK (last_login_at < 0)'
      : "CREATE TRIGGER never BEFORE INSERT ON identity_subjects BEGIN SELECT RAISE(ABORT, 'never'); END",
  ],
  ['a missing table', 'ALTER TABLE identity_subjects RENAME TO renamed'],
])('an error of the store contains no subject and no e-mail address (%s)', async (_, work) => {
  await opened.sql.execute(work)
  const error: unknown = await signIn().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Error)

  expect(logged(error)).not.toMatch(/canary/)
})
