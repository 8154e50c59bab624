import type { z } from 'zod'
import type { TrialMeans } from '../../domain/lists/matrix-order.ts'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { meanOf } from '../../domain/statistics/means.ts'
import { limitMean } from '../../domain/statistics/totals.ts'
import { usd } from '../../domain/wire.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { columnList } from '../columns.ts'
import type { MatrixCell } from './matrix.ts'

const Trial = CaseRow.pick({ n: true, case_key: true, status: true, score: true, latency_ms: true, cost_micro: true })
type Trial = z.infer<typeof Trial>
const COLUMNS = columnList('cases', Trial)

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

const listTrials = (run_no: number, after: number): Query<Trial[]> =>
  any(sql.type(Trial)`
    SELECT ${COLUMNS} FROM cases WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${ROWS_PER_QUERY}`)

export type TrialsByKey = ReadonlyMap<string, Trial>

/** The cases of a run by their keys. */
export const readTrials = async (reader: Reader, run_no: number): Promise<TrialsByKey> => {
  const found = new Map<string, Trial>()
  for (let after = -1; ;) {
    const rows = await reader.read(listTrials(run_no, after))
    for (const row of rows) found.set(row.case_key, row)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) return found
    after = last.n
  }
}

const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : meanOf(values))

/**
 * The means of a cell without its skipped cases, unknown latencies and unknown costs; null if those of the stored cell
 * leave out nothing that counts.
 */
export const meansOfTrials = ({ case_keys }: MatrixCell, trials: TrialsByKey): TrialMeans | null => {
  const all = case_keys.flatMap((key) => trials.get(key) ?? [])
  const ran = all.filter(({ status }) => status !== 'skip')
  const latencies = ran.flatMap(({ latency_ms }) => latency_ms || [])
  const costs = ran.flatMap(({ cost_micro }) => cost_micro ?? [])
  const hasAllCosts = costs.length === all.length || all.every(({ cost_micro }) => cost_micro === null)
  if (latencies.length === all.length && hasAllCosts) return null
  return {
    score_mean: meanOrNull(ran.flatMap(({ score }) => score ?? [])),
    latency_ms_mean: limitMean(meanOrNull(latencies)),
    cost_usd_mean: usd(meanOrNull(costs)),
  }
}
