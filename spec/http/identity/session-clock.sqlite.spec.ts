import { expect, it } from 'vitest'
import { appOpenerWithAccounts } from '../../support/servers/opening-apps.ts'

// Times of records never decrease, so a clock that was once ahead affects all later records. Sessions use the system's
// clock instead.

const open = appOpenerWithAccounts()
const T0 = Date.UTC(2026, 4, 4)
const DAY = 86_400_000
const TEN_YEARS = 3650 * DAY

const setUp = async () => {
  const time = { ms: T0 }
  const { spec, ask, signIn, root } = await open({ now: () => time.ms })
  const isKnown = async (token: string): Promise<boolean> => (await ask('GET', '/runs', { token })).statusCode === 200
  /** Records an event while the clock is ahead, and then corrects the clock. */
  const recordAhead = async (): Promise<void> => {
    time.ms = T0 + TEN_YEARS
    await spec.restrict('p')
    time.ms = T0
  }
  return { spec, time, signIn, root, isKnown, jump: recordAhead }
}

it('a session expires after thirty days even if the clock was ahead before', async () => {
  const { spec, time, signIn, isKnown, jump } = await setUp()
  await jump()
  const token = await signIn('root')
  const [data] = (
    await spec.column("SELECT body FROM event_bodies WHERE stream LIKE 'session/%' ORDER BY seq DESC LIMIT 1")
  ).map((body) => (JSON.parse(String(body)) as { data: object }).data)
  expect(data).toMatchObject({ expires_at: T0 + 30 * DAY, lifetime_ms: 30 * DAY })
  expect(await spec.column('SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 1')).toEqual([T0 + TEN_YEARS])
  time.ms = T0 + 30 * DAY - 1
  expect(await isKnown(token)).toBe(true)
  time.ms++
  expect(await isKnown(token)).toBe(false)
})

it('a sign-in after a clock jump deletes only the sessions that have expired', async () => {
  const { spec, time, signIn, root, isKnown, jump } = await setUp()
  await jump()
  time.ms = T0 + DAY
  const second = await signIn('root')
  expect([await isKnown(root.token), await isKnown(second)]).toEqual([true, true])
  expect(await spec.column('SELECT count(*) FROM session_tokens')).toEqual([2])
  time.ms = T0 + 30 * DAY
  await signIn('root')
  expect(await spec.column('SELECT expires_at FROM sessions ORDER BY 1')).toEqual([T0 + 31 * DAY, T0 + 60 * DAY])
  expect(await spec.column('SELECT session_id FROM session_tokens ORDER BY 1')).toEqual(
    await spec.column('SELECT id FROM sessions ORDER BY 1'),
  )
})

it('a session from a clock that is ahead is invalid once the clock is right', async () => {
  const { time, signIn, isKnown } = await setUp()
  time.ms = T0 + TEN_YEARS
  const token = await signIn('root')
  expect(await isKnown(token)).toBe(true)
  time.ms = T0
  expect(await isKnown(token)).toBe(false)
  expect(await isKnown(token)).toBe(false)
})

it('a session from a replica whose clock is ahead by up to a minute is valid', async () => {
  const { time, signIn, isKnown } = await setUp()
  time.ms = T0 + 60_000
  const token = await signIn('root')
  time.ms = T0
  expect(await isKnown(token)).toBe(true)
  time.ms--
  expect(await isKnown(token)).toBe(false)
})
