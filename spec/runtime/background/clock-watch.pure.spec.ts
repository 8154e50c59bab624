import { describe, expect, it } from 'vitest'
import { clockBehind, watchClock } from '../../../runtime/background/clock-watch.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 4, 4)

/**
 * Watches a clock that shows `start` when the process starts. `times` has the log's times around the instant one day
 * before `start`.
 */
const starting = (
  times: { readonly last_before: number | null; readonly first_after: number | null; readonly newest: number | null },
  start = START,
) => {
  const clock = { ms: start, up: 5_000 }
  const watch = watchClock(times, { now: () => clock.ms, uptime: () => clock.up })
  const pass = (ms: number, jump = 0) => {
    clock.ms += ms + jump
    clock.up += ms
    return watch()
  }
  return { pass }
}
const steadyLog = { last_before: START - 2 * DAY, first_after: START - 2 * DAY + HOUR, newest: START - HOUR }

describe('a clock', () => {
  it('is trusted with a log without gaps, and with an empty log', () => {
    for (const times of [
      steadyLog,
      { last_before: null, first_after: null, newest: null },
      { last_before: null, first_after: START - HOUR, newest: START },
    ]) {
      const { pass } = starting(times)
      for (let hour = 0; hour < 50; hour++) expect(pass(HOUR)).toBeNull()
    }
  })

  it('is doubted for a day of uptime if it is forty days ahead of the newest record', () => {
    const { pass } = starting({ last_before: START, first_after: null, newest: START }, START + 40 * DAY)
    expect(pass(5_000)).toEqual({ clock: START + 40 * DAY + 5_000, newest_record: START })
    for (let hour = 1; hour < 24; hour++) expect(pass(HOUR)).not.toBeNull()
    expect(pass(HOUR)).toBeNull()
    expect(pass(HOUR)).toBeNull()
  })

  it('is trusted again as soon as it is corrected', () => {
    const { pass } = starting({ last_before: START, first_after: null, newest: START }, START + 40 * DAY)
    expect(pass(5_000)).not.toBeNull()
    expect(pass(HOUR, -40 * DAY)).toBeNull()
  })

  it('is doubted even if another start has just recorded an event with its wrong time', () => {
    const { pass } = starting(
      { last_before: START, first_after: START + 40 * DAY - 60_000, newest: START + 40 * DAY - 60_000 },
      START + 40 * DAY,
    )
    expect(pass(5_000)).not.toBeNull()
  })

  it('is trusted up to a day ahead', () => {
    expect(starting({ last_before: START, first_after: null, newest: START }, START + DAY).pass(0)).toBeNull()
    expect(starting({ last_before: START, first_after: null, newest: START }, START + DAY + 1).pass(0)).not.toBeNull()
  })

  it('is doubted for a day if it jumps while the process runs', () => {
    const { pass } = starting(steadyLog)
    for (let hour = 0; hour < 100; hour++) expect(pass(HOUR)).toBeNull()
    expect(pass(HOUR, 40 * DAY)).not.toBeNull()
    for (let hour = 2; hour < 24; hour++) expect(pass(HOUR)).not.toBeNull()
    expect(pass(HOUR)).toBeNull()
  })

  it('is behind if its time is more than a minute before the newest record', () => {
    const times = { last_before: null, first_after: null, newest: START }
    expect(clockBehind(times, START - 60_000)).toBeNull()
    expect(clockBehind(times, START - 60_001)).toEqual({ clock: START - 60_001, newest_record: START })
    expect(clockBehind({ ...times, newest: null }, 0)).toBeNull()
  })
})
