import { useQueryClient, type Query } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { RunInSuite } from '../../../queries/runs/run-in-suite.ts'
import { api, pathTo } from '../../api/api.ts'
import { isRunQuery } from '../../composables/use-run.ts'
import { useSession } from '../../composables/use-session.ts'
import { toast } from '../../composables/use-toasts.ts'
import { whyFailed } from '../../api/why-failed.ts'
import { visibleLine } from '../../text/visible-text.ts'

/**
 * The baseline of a run's suite, and how to pin and unpin it. A change is shown at once and reverted if the server
 * refuses it. The message after a successful change has an undo button, except after an undo.
 */
export const useBaseline = (run: MaybeRefOrGetter<RunInSuite>) => {
  const client = useQueryClient()
  const { me, may } = useSession()
  const set = computed(() => toValue(run).set)
  const baseline = computed(() => set.value?.baseline_run_id ?? null)
  // Decides only whether to show the control; the server checks again.
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

  /** Pins a run; unpins the baseline if `run_id` is null. */
  const pin = async (run_id: string | null, undoable = true): Promise<void> => {
    const { project, suite } = toValue(run)
    if (project === null || suite === null) return
    const previous = baseline.value
    // Every cached run of the suite contains the baseline.
    const filters = {
      predicate: (query: Query): boolean => {
        const cached = isRunQuery(query) ? (query.state.data as RunInSuite | undefined) : undefined
        return cached?.project === project && cached.suite === suite
      },
    }
    const show = (id: string | null): void =>
      void client.setQueriesData<RunInSuite>(
        filters,
        (cached) => cached && { ...cached, set: cached.set && { ...cached.set, baseline_run_id: id } },
      )
    await client.cancelQueries(filters)
    show(run_id)
    try {
      // In a query string any name works, also `.` and `..` from earlier versions, which do not work in a path.
      if (run_id === null) await api.delete(`/baselines?${new URLSearchParams({ project, suite }).toString()}`)
      else await api.put(pathTo('projects', project, 'suites', suite, 'baseline'), { run_id })
      const undo = { label: 'Undo', run: () => void pin(previous, false) }
      const done = run_id === null ? 'Baseline unpinned' : 'Pinned as baseline'
      toast(`${done}: ${visibleLine(suite)}`, undoable ? { action: undo } : {})
    } catch (error) {
      show(previous)
      toast(`${run_id === null ? 'Could not unpin' : 'Could not pin'}: ${whyFailed(error)}`, { kind: 'failed' })
    } finally {
      await client.invalidateQueries(filters)
    }
  }
  return { baseline, mayPin, pin }
}
