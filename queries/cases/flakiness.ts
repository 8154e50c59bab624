import { z } from 'zod'
import { ABSENT, foldedMark, readOutline } from '../../domain/series/outline.ts'
import { flakiness } from '../../domain/statistics/flakiness.ts'
import { rfc3339 } from '../../domain/wire.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { Suite } from '../sets/baselines.ts'
import { readSeries, type OutlinedRun } from '../sets/outlines.ts'
import { findSet } from '../sets/suite-set.ts'
import { readIdentities } from './identities.ts'

const count = z.number().int()
const text = z.string().nullable()
const rate = z.number().nullable()

/** Maximum number of cases in a response. */
const MAX_CASES = 500

const FlakyCase = z.object({
  case_key: z.string(),
  test_id: text,
  provider_id: text,
  prompt_id: text,
  name: text,
  points: count,
  flips: count,
  flip_rate: rate,
  pass_rate: rate,
  expected_flip_rate: rate,
  flaky: z.boolean(),
  /** A letter for each of the runs, oldest first; `~` where trials disagree. Also of runs before the change that ends the count of flips. */
  marks: z.string(),
})

/** The cases of a suite that change between passing and failing, over its newest like runs. */
export const SuiteFlakiness = z
  .object({
    project: z.string(),
    suite: z.string(),
    branch: text,
    window: count,
    runs: z.array(z.object({ id: z.string(), created_at: z.string() })),
    case_count: count,
    flaky_count: count,
    flipping_count: count,
    cases: z.array(FlakyCase),
  })
  .meta({ id: 'SuiteFlakiness' })
export type SuiteFlakiness = z.infer<typeof SuiteFlakiness>

type Asked = Suite & {
  readonly window: number
  readonly branch?: string | undefined
  /** Maximum number of cases in the answer. */
  readonly limit?: number
}

/** The marks of some units in runs, oldest first, by the key of the unit. */
const unitMarks = (runs: readonly OutlinedRun[], units: ReadonlySet<number>): ReadonlyMap<number, string[]> => {
  const marks = new Map<number, string[]>()
  for (const [column, { outline }] of runs.toReversed().entries()) {
    const cases = readOutline(outline)
    for (let i = 0; i < cases.size; i++) {
      const key = cases.unitKey(i)
      if (!units.has(key)) continue
      const row = marks.get(key) ?? new Array<string>(runs.length).fill(ABSENT)
      row[column] = foldedMark(row[column] ?? ABSENT, cases.mark(i))
      marks.set(key, row)
    }
  }
  return marks
}

/** How often each case of a suite flips; trials of a test count together. Null for an unknown or hidden suite. */
export const findFlakiness = async (reader: Reader, viewer: Viewer, asked: Asked): Promise<SuiteFlakiness | null> => {
  const { project, suite, window, branch, limit = MAX_CASES } = asked
  const set_key = await reader.read(findSet(viewer, asked))
  if (set_key === null) return null
  const { runs, units, runOf } = await readSeries(reader, set_key, { window, branch })
  const flipping = units
    .map((unit) => ({ ...flakiness(unit.tally), key: unit.key, run_no: runOf(unit).run_no, n: unit.n }))
    .filter(({ flips }) => flips > 0)
    .sort((a, b) => b.flips - a.flips || (a.pass_rate ?? 0) - (b.pass_rate ?? 0) || b.run_no - a.run_no || a.n - b.n)
  const listed = flipping.slice(0, limit)
  const marks = unitMarks(runs, new Set(listed.map(({ key }) => key)))
  const identityOf = await readIdentities(reader, listed)
  return {
    project,
    suite,
    branch: branch ?? null,
    window,
    runs: runs.map(({ run_id, created_at }) => ({ id: run_id, created_at: rfc3339(created_at) })),
    case_count: units.length,
    flaky_count: flipping.filter(({ flaky }) => flaky).length,
    flipping_count: flipping.length,
    cases: listed.flatMap(({ run_no, n, key, ...measured }) => {
      const identity = identityOf({ run_no, n })
      if (!identity) return []
      const { case_key, test_id, provider_id, prompt_id, name } = identity
      return [{ case_key, test_id, provider_id, prompt_id, name, ...measured, marks: (marks.get(key) ?? []).join('') }]
    }),
  }
}
