import { shallowRef, watch, type Ref } from 'vue'
import type { RunListItem } from '../../../queries/runs/run-list.ts'
import type { RunChanges } from '../../../queries/runs/run-changes.ts'
import { api, queryOf } from '../../api/api.ts'

/** Runs of one request. */
const MAX_RUNS = 50

export type RunChange = RunChanges['runs'][number]

/**
 * What changed in the runs of a list since their previous like runs, by their ids. Each run is asked for once, after the list is there;
 * one that is not in the answer has none. A failure leaves its runs out, and they are asked for with the next page.
 */
export const useRunChanges = (
  rows: Readonly<Ref<readonly RunListItem[]>>,
  isShown: () => boolean,
): Readonly<Ref<ReadonlyMap<string, RunChange>>> => {
  const changes = shallowRef<ReadonlyMap<string, RunChange>>(new Map())
  const asked = new Set<string>()
  const ask = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) asked.add(id)
    try {
      const runs = ids.map((id) => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')
      const found = await api.get<RunChanges>(`/run-changes${queryOf({ runs })}`)
      changes.value = new Map([...changes.value, ...found.runs.map((change) => [change.run_id, change] as const)])
    } catch {
      for (const id of ids) asked.delete(id)
    }
  }
  watch(
    [rows, isShown],
    () => {
      if (!isShown()) return
      const ids = rows.value.flatMap(({ id, suite }) => (suite === null || asked.has(id) ? [] : [id]))
      for (let from = 0; from < ids.length; from += MAX_RUNS) void ask(ids.slice(from, from + MAX_RUNS))
    },
    { immediate: true },
  )
  return changes
}
