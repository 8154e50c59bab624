import type { CaseDocument, RunDocument, RunSummary } from '../runner/run-document.ts'

/** How many of the newest runs of a branch make its baseline. */
export const MAX_MERGED_RUNS = 20

/**
 * Merges runs of one branch into one document: of each case key the newest result, in the order of the newest run, then
 * of the older ones. `runs` are newest first and not empty. Everything but the cases is that of the newest run.
 */
export const compositeRun = (branch: string, runs: readonly [RunDocument, ...RunDocument[]]): RunDocument => {
  const [newest] = runs
  const cases = new Map<string, CaseDocument>()
  for (const run of runs)
    for (const entry of run.cases) if (!cases.has(entry.case_key)) cases.set(entry.case_key, entry)
  const merged = [...cases.values()]
  return { ...newest, run_id: `composite-${branch}-${newest.run_id}`, cases: merged, summary: summaryOf(merged) }
}

/** Totals of cases (wire-format 2.8). */
const summaryOf = (cases: readonly CaseDocument[]): RunSummary => {
  const count = (matches: (entry: CaseDocument) => boolean): number => cases.filter(matches).length
  const tokens = (of: (usage: NonNullable<CaseDocument['usage']>) => number): number =>
    cases.reduce((sum, { usage }) => sum + (usage === undefined ? 0 : of(usage)), 0)
  const costs = cases.flatMap(({ cost_usd }) => (cost_usd === undefined ? [] : [cost_usd]))
  return {
    total: cases.length,
    passed: count(({ status }) => status === 'pass'),
    failed: count(({ status }) => status === 'fail'),
    errored: count(({ status }) => status === 'error'),
    skipped: count(({ status }) => status === 'skip'),
    ...unlessZero(
      'xfailed',
      count(({ status }) => status === 'xfail'),
    ),
    ...unlessZero(
      'xpassed',
      count(({ status }) => status === 'xpass'),
    ),
    prompt_tokens: tokens(({ input_tokens, cache_read_tokens = 0 }) => input_tokens + cache_read_tokens),
    completion_tokens: tokens(({ output_tokens }) => output_tokens),
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((sum, cost) => sum + Math.round(cost * 1e6), 0) / 1e6 }),
    cache_hits: count(({ cached }) => cached),
    cache_misses: count(({ cached }) => !cached),
    retried_cases: count(({ cached, attempts }) => !cached && attempts > 1),
  }
}

const unlessZero = (name: 'xfailed' | 'xpassed', count: number) => (count === 0 ? {} : { [name]: count })
