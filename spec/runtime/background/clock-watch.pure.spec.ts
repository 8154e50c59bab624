import { describe, expect, it } from 'vitest'
import { behind, watchClock } from '../../../runtime/background/clock-watch.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 4, 4)

/** A process that starts at `start` by its clock, on a log whose times around a day before are these. */
const starting = (
  silence: { readonly before: number | null; readonly after: number | null; readonly newest: number | null },
  start = START,
) => {
  const clock = { ms: start, up: 5_000 }
  const watch = watchClock(silence, { now: () => clock.ms, uptime: () => clock.up })
  const pass = (ms: number, jump = 0) => {
    clock.ms += ms + jump
    clock.up += ms
    return watch()
  }
  return { pass }
}
const goingOn = { before: START - 2 * DAY, after: START - 2 * DAY + HOUR, newest: START - HOUR }

describe('a clock', () => {
  it('is believed where the log went on until now, and where there is none yet', () => {
    for (const silence of [
      goingOn,
      { before: null, after: null, newest: null },
      { before: null, after: START - HOUR, newest: START },
    ]) {
      const { pass } = starting(silence)
      for (let hour = 0; hour < 50; hour++) expect(pass(HOUR)).toBeNull()
    }
  })

  it('that is forty days ahead of the newest record is doubted for a day of uptime, with both times', () => {
    const { pass } = starting({ before: START, after: null, newest: START }, START + 40 * DAY)
    expect(pass(5_000)).toEqual({ clock: START + 40 * DAY + 5_000, newest_record: START })
    for (let hour = 1; hour < 24; hour++) expect(pass(HOUR)).not.toBeNull()
    expect(pass(HOUR)).toBeNull()
    expect(pass(HOUR)).toBeNull()
  })

  it('is believed again as soon as it is put right', () => {
    const { pass } = starting({ before: START, after: null, newest: START }, START + 40 * DAY)
    expect(pass(5_000)).not.toBeNull()
    expect(pass(HOUR, -40 * DAY)).toBeNull()
  })

  it('is doubted too where another start recorded under it just before', () => {
    const { pass } = starting(
      { before: START, after: START + 40 * DAY - 60_000, newest: START + 40 * DAY - 60_000 },
      START + 40 * DAY,
    )
    expect(pass(5_000)).not.toBeNull()
  })

  it('is believed a day ahead and no more', () => {
    expect(starting({ before: START, after: null, newest: START }, START + DAY).pass(0)).toBeNull()
    expect(starting({ before: START, after: null, newest: START }, START + DAY + 1).pass(0)).not.toBeNull()
  })

  it('that jumps while the process runs is doubted for a day', () => {
    const { pass } = starting(goingOn)
    for (let hour = 0; hour < 100; hour++) expect(pass(HOUR)).toBeNull()
    expect(pass(HOUR, 40 * DAY)).not.toBeNull()
    for (let hour = 2; hour < 24; hour++) expect(pass(HOUR)).not.toBeNull()
    expect(pass(HOUR)).toBeNull()
  })

  it('is behind the newest record from a minute on', () => {
    const silence = { before: null, after: null, newest: START }
    expect(behind(silence, START - 60_000)).toBeNull()
    expect(behind(silence, START - 60_001)).toEqual({ clock: START - 60_001, newest_record: START })
    expect(behind({ ...silence, newest: null }, 0)).toBeNull()
  })
})
