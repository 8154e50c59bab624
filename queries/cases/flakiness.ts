import { z } from 'zod'
import { flakiness } from '../../domain/statistics/flakiness.ts'
import { rfc3339 } from '../../domain/wire.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { Suite } from '../sets/baselines.ts'
import { readSeries } from '../sets/outlines.ts'
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

type Asked = Suite & { readonly window: number; readonly branch?: string | undefined }

/** How often each case of a suite flips; trials of a test count together. Null for an unknown or hidden suite. */
export const findFlakiness = async (reader: Reader, viewer: Viewer, asked: Asked): Promise<SuiteFlakiness | null> => {
  const { project, suite, window, branch } = asked
  const set_key = await reader.read(findSet(viewer, asked))
  if (set_key === null) return null
  const { runs, units, runOf } = await readSeries(reader, set_key, { window, branch })
  const flipping = units
    .map((unit) => ({ ...flakiness(unit.tally), run_no: runOf(unit).run_no, n: unit.n }))
    .filter(({ flips }) => flips > 0)
    .sort((a, b) => b.flips - a.flips || (a.pass_rate ?? 0) - (b.pass_rate ?? 0) || b.run_no - a.run_no || a.n - b.n)
  const listed = flipping.slice(0, MAX_CASES)
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
    cases: listed.flatMap(({ run_no, n, ...measured }) => {
      const identity = identityOf({ run_no, n })
      if (!identity) return []
      const { case_key, test_id, provider_id, prompt_id, name } = identity
      return [{ case_key, test_id, provider_id, prompt_id, name, ...measured }]
    }),
  }
}
