import { useQueryClient, type Query } from '@tanstack/vue-query'
import type { Trend } from '../../../queries/statistics/trend.ts'
import { api, pathTo, queryOf } from '../../api/api.ts'
import { whyFailed } from '../../api/why-failed.ts'
import { isRunQuery } from '../../composables/use-run.ts'
import { useSession } from '../../composables/use-session.ts'
import { toast } from '../../composables/use-toasts.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { setKey, type Suite, type SuiteSet } from './use-suite.ts'

/** A suite, with its baseline where that is known: the overview does not load the set of each suite. */
type Pinnable = Suite & { readonly baseline?: { readonly run_id: string } | null }

/** Whether to show the controls of the baseline. The server checks again. */
export const useMayPin = () => {
  const { me, may } = useSession()
  return ({ restricted, my_level }: Pick<SuiteSet, 'restricted' | 'my_level'>): boolean =>
    may('write') &&
    (!restricted || my_level === 'upload' || my_level === 'manage' || may('admin') || me.value?.user?.role === 'admin')
}

/**
 * Pins and unpins the baseline of a suite. A change is shown at once and reverted if the server refuses it. The message
 * after a change has an undo button, except after an undo.
 */
export const useSuiteBaseline = (suite: () => Pinnable) => {
  const client = useQueryClient()

  const show = (run_id: string | null): void => {
    const { project, suite: name } = suite()
    client.setQueryData<SuiteSet>(setKey(suite()), (set) => set && { ...set, baseline_run_id: run_id })
    client.setQueriesData<Trend>({ queryKey: ['trend', project, name] }, (trend) => {
      if (!trend) return trend
      const run = trend.runs.find(({ id }) => id === run_id)
      return { ...trend, baseline: run ? { ...run, in_runs: true } : null }
    })
  }
  /** Pins a run; unpins the baseline if `run_id` is null. */
  const pin = async (run_id: string | null, undoable = true): Promise<void> => {
    const asked = suite()
    const known = client.getQueryData<SuiteSet>(setKey(asked))
    const before = (asked.baseline === undefined ? known?.baseline_run_id : asked.baseline?.run_id) ?? null
    const touched = {
      predicate: (query: Query): boolean =>
        isRunQuery(query) ||
        query.queryKey[0] === 'overview' ||
        (['sets', 'trend'].includes(String(query.queryKey[0])) && query.queryKey[1] === asked.project),
    }
    await client.cancelQueries({ queryKey: ['trend', asked.project, asked.suite] })
    show(run_id)
    try {
      if (run_id === null) await api.delete(`/baselines${queryOf({ project: asked.project, suite: asked.suite })}`)
      else await api.put(pathTo('projects', asked.project, 'suites', asked.suite, 'baseline'), { run_id })
      const undo = { label: 'Undo', run: () => void pin(before, false) }
      const done = run_id === null ? 'Baseline unpinned' : 'Pinned as baseline'
      toast(`${done}: ${visibleLine(asked.suite)}`, undoable ? { action: undo } : {})
    } catch (error) {
      show(before)
      toast(`${run_id === null ? 'Could not unpin' : 'Could not pin'}: ${whyFailed(error)}`, { kind: 'failed' })
    } finally {
      await client.invalidateQueries(touched)
    }
  }
  return { pin }
}
