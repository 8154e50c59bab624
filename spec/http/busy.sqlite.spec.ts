import { expect, it } from 'vitest'
import { openPasswords } from '../../http/identity/passwords.ts'
import { Unavailable } from '../../storage/errors.ts'
import { PASSWORD } from '../support/access/accounts.ts'
import { appOpener } from '../support/servers/opening-apps.ts'
import { capturedLog } from '../support/stores/captured-log.ts'

const open = appOpener()
const WARN = 40
const ERROR = 50

/** The log lines except those of responses. */
const messagesIn = (lines: ReturnType<typeof capturedLog>['lines']) =>
  lines
    .filter(({ msg }) => msg !== 'response')
    .map(({ level, msg, reason, request_id, err }) => ({ level, msg, reason, request_id, err }))

it('an overloaded service returns 503 and logs one line, not an error', async () => {
  const { logger, lines } = capturedLog()
  const { sendAs } = await open({ parts: () => ({ logger, passwords: openPasswords({ maxWaiting: 0 }) }) })
  const request = {
    headers: { 'content-type': 'application/json', 'x-request-id': 'mine' },
    body: JSON.stringify({ username: 'ada', password: PASSWORD }),
  }
  const answer = await sendAs(null)('POST', '/auth/login', request)
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1'])
  expect(messagesIn(lines)).toEqual([
    { level: WARN, msg: 'busy', reason: 'too many passwords are being checked', request_id: 'mine', err: undefined },
  ])
})

it('an unreachable store is logged as an error with its message', async () => {
  const { logger, lines } = capturedLog()
  const failingReader = { read: () => Promise.reject(new Unavailable('the store is away')) }
  const { sendAs } = await open({ parts: ({ reader }) => ({ logger, reader: { ...reader, ...failingReader } }) })
  expect((await sendAs('read')('GET', '/runs')).statusCode).toBe(503)
  expect(messagesIn(lines)).toMatchObject([
    {
      level: ERROR,
      msg: 'storage unavailable',
      err: { message: 'the store is away', stack: expect.any(String) as string },
    },
  ])
})
