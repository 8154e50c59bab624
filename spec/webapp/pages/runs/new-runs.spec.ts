import { describe, expect, it } from 'vitest'
import type { RunListItem } from '../../../../queries/runs/run-list.ts'
import { countNew } from '../../../../webapp/pages/runs/new-runs.ts'

/** Runs by the day on which they finished; countNew reads no other fields. */
const runs = (...days: readonly number[]): RunListItem[] =>
  days.map((day) => ({ id: `r${day}`, created_at: new Date(Date.UTC(2026, 2, day)).toISOString() }) as RunListItem)
const later = (...days: readonly number[]) => ({ runs: runs(...days), next_cursor: null, cached_hidden: 0 })

describe('countNew', () => {
  it('counts the runs that are not shown', () => expect(countNew(runs(5, 3), later(7, 6, 5, 3), false)).toBe(2))
  it('includes a run that finished before one that is shown', () =>
    expect(countNew(runs(5, 3), later(5, 4, 3), true)).toBe(1))
  it('excludes the runs of later pages', () => expect(countNew(runs(5, 3), later(5, 2, 1), true)).toBe(0))
  it('counts all runs if none is shown', () => expect(countNew([], later(2, 1), false)).toBe(2))
})
