import { useQueryClient } from '@tanstack/vue-query'
import type { Query } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { RunInSuite } from '../../../queries/runs/run-in-suite.ts'
import { api, pathTo } from '../../api/api.ts'
import { isOfRun } from '../../composables/use-run.ts'
import { useSession } from '../../composables/use-session.ts'
import { toast } from '../../composables/use-toasts.ts'
import { whyFailed } from '../../api/why-failed.ts'

/**
 * The baseline of a run's suite, and how to pin and unpin it: shown at once, taken back if the server refuses, undone
 * from the message.
 */
export const useBaseline = (of: MaybeRefOrGetter<RunInSuite>) => {
  const client = useQueryClient()
  const { me, may } = useSession()
  const set = computed(() => toValue(of).set)
  const baseline = computed(() => set.value?.baseline_run_id ?? null)
  // The server decides again; this is whether a control is worth showing.
  const mayPin = computed(() => {
    if (!set.value || !may('write')) return false
    return (
      !set.value.restricted ||
      set.value.my_level === 'upload' ||
      set.value.my_level === 'manage' ||
      may('admin') ||
      me.value?.user?.role === 'admin'
    )
  })

  /** Pins a run, or nothing where it is null. */
  const pin = async (run_id: string | null, undoable = true): Promise<void> => {
    const { project, suite } = toValue(of)
    if (project === null || suite === null) return
    const before = baseline.value
    // Each run of the suite that was looked at tells the baseline.
    const filters = {
      predicate: (query: Query): boolean => {
        const run = isOfRun(query) ? (query.state.data as RunInSuite | undefined) : undefined
        return run?.project === project && run.suite === suite
      },
    }
    const show = (id: string | null): void =>
      void client.setQueriesData<RunInSuite>(
        filters,
        (run) => run && { ...run, set: run.set && { ...run.set, baseline_run_id: id } },
      )
    await client.cancelQueries(filters)
    show(run_id)
    try {
      // By query, which takes any name, those of earlier versions included.
      if (run_id === null) await api.delete(`/baselines?${new URLSearchParams({ project, suite }).toString()}`)
      else await api.put(pathTo('projects', project, 'suites', suite, 'baseline'), { run_id })
      const undo = { label: 'Undo', run: () => void pin(before, false) }
      toast(run_id === null ? 'Baseline unpinned' : 'Pinned as baseline', undoable ? { action: undo } : {})
    } catch (error) {
      show(before)
      toast(`${run_id === null ? 'Could not unpin' : 'Could not pin'}: ${whyFailed(error)}`, { kind: 'failed' })
    } finally {
      await client.invalidateQueries(filters)
    }
  }
  return { baseline, mayPin, pin }
}
