import type { SuiteGrid } from '../../../../queries/cases/grid.ts'
import { STATUS_WORDS, type Status } from '../../../runs/statuses.ts'

export type GridRun = SuiteGrid['runs'][number]
export type GridRow = SuiteGrid['rows'][number]

const STATUS_OF: Readonly<Record<string, Status>> = {
  p: 'pass',
  f: 'fail',
  e: 'error',
  s: 'skip',
  x: 'xfail',
  X: 'xpass',
}

/** The class of a cell, by its mark. */
export const markClass = (mark: string): string => STATUS_OF[mark] ?? (mark === '~' ? 'mixed' : 'none')

/** A mark in words. */
export const markWords = (mark: string): string => {
  const status = STATUS_OF[mark]
  return status ? STATUS_WORDS[status] : mark === '~' ? 'Results disagree' : 'Not in this run'
}

/** Whether a mark is a failure, which a cell shows whatever else it shows. */
export const isFailing = (mark: string): boolean => mark === 'f' || mark === 'e'

const middle = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}

/**
 * The steps of a ramp, 0 to 8, for the values of a row; null where nothing is known. A score has its place between 0 and 1.
 * Others are compared with the row's own median, which is step 4: half of it or less is 0, double or more is 8.
 */
export const rampSteps = (values: ReadonlyArray<number | null>, isScore: boolean): Array<number | null> => {
  const usual = middle(values.filter((value) => value !== null))
  const stepOf = (value: number): number => {
    if (isScore) return 8 * value
    return usual > 0 ? 4 + 4 * Math.log2(value / usual) : value > 0 ? 8 : 4
  }
  return values.map((value) => (value === null ? null : Math.round(Math.max(0, Math.min(8, stepOf(value))))))
}

type Parts = Pick<GridRow, 'provider_id' | 'prompt_id' | 'repeat'>

/** What else distinguishes rows: provider, prompt and trial, where the rows differ in them. */
export const rowParts = (row: Parts, rows: readonly Parts[]): string[] => {
  const differs = (field: 'provider_id' | 'prompt_id' | 'repeat'): boolean =>
    rows.some((other) => other[field] !== rows[0]?.[field])
  return [
    ...(differs('provider_id') && row.provider_id !== null ? [row.provider_id] : []),
    ...(differs('prompt_id') && row.prompt_id !== null ? [row.prompt_id] : []),
    ...(differs('repeat') && row.repeat !== null ? [`trial ${row.repeat + 1}`] : []),
  ]
}

const DIGESTS = {
  prompts: 'prompts',
  providers: 'providers',
  tests: 'tests',
  asserts: 'assertions',
  grader: 'grader',
} as const

/** What changed between two runs, as far as both recorded it. */
export const changedParts = (older: GridRun | undefined, run: GridRun): string[] =>
  older === undefined
    ? []
    : Object.entries(DIGESTS).flatMap(([field, word]) => {
        const [before, after] = [
          older.digests[field as keyof typeof DIGESTS],
          run.digests[field as keyof typeof DIGESTS],
        ]
        return before !== null && after !== null && before !== after ? [word] : []
      })
