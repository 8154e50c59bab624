import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
import { summarize } from '../runner/summary.ts'

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
  return { ...newest, run_id: `composite-${branch}-${newest.run_id}`, cases: merged, summary: summarize(merged) }
}
