import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { RunListItem } from '../../../queries/runs/run-list.ts'
import type { RunChanges } from '../../../queries/runs/run-changes.ts'
import { api, ApiError, queryOf } from '../../api/api.ts'

/** Runs of one request. */
const MAX_RUNS = 50
/** The time before a request that failed is repeated, each time in halves, so that one slow run does not hold up the others. */
const AGAIN_MS = [5_000, 30_000, 120_000] as const

export type RunChange = RunChanges['runs'][number]

/** Whether the server may answer later: it was busy, took too long, or could not be reached. */
const mayAnswerLater = (error: unknown): boolean => error instanceof ApiError && [0, 429, 503].includes(error.status)

/**
 * What changed in the runs of a list since their previous like runs, by their ids; a run that is not known to the server has
 * none. They are requested after the list is there. Runs that an answer leaves out, because others were large, are
 * requested next; those of a failed request up to three times more, and then with the next page of the list.
 */
export const useRunChanges = (
  rows: Readonly<Ref<readonly RunListItem[]>>,
  isShown: () => boolean,
): Readonly<Ref<ReadonlyMap<string, RunChange>>> => {
  const changes = shallowRef<ReadonlyMap<string, RunChange>>(new Map())
  /** Runs that are known, or for which a request is due. */
  const asked = new Set<string>()
  const waits = new Set<ReturnType<typeof setTimeout>>()
  const askAgain = async (ids: readonly string[], failures: number): Promise<void> => {
    const listed = new Set(isShown() ? rows.value.map(({ id }) => id) : [])
    for (const id of ids) if (!listed.has(id)) asked.delete(id)
    const left = ids.filter((id) => listed.has(id))
    const half = Math.ceil(left.length / 2)
    await ask(left.slice(0, half), failures)
    await ask(left.slice(half), failures)
  }
  const failed = (ids: readonly string[], error: unknown, failures: number): void => {
    const ms = AGAIN_MS[failures]
    if (ms === undefined || !mayAnswerLater(error)) {
      for (const id of ids) asked.delete(id)
      return
    }
    const wait = setTimeout(() => {
      waits.delete(wait)
      void askAgain(ids, failures + 1)
    }, ms)
    waits.add(wait)
  }
  const ask = async (ids: readonly string[], failures = 0): Promise<void> => {
    if (ids.length === 0) return
    for (const id of ids) asked.add(id)
    const runs = ids.map((id) => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')
    let found: RunChanges['runs']
    try {
      found = (await api.get<RunChanges>(`/run-changes${queryOf({ runs })}`)).runs
    } catch (error) {
      failed(ids, error, failures)
      return
    }
    changes.value = new Map([...changes.value, ...found.map((change) => [change.run_id, change] as const)])
    const last = found.at(-1)
    // An answer without any run leaves out unknown ones alone.
    if (last) await ask(ids.slice(ids.indexOf(last.run_id) + 1))
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
  onScopeDispose(() => waits.forEach(clearTimeout))
  return changes
}
