import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { z } from 'zod'
import type { SuiteSet } from '../../../queries/sets.ts'
import { api, pathTo } from '../../api.ts'
import { useSession } from '../../composables/use-session.ts'
import { toast } from '../../composables/use-toasts.ts'

type Set = z.infer<typeof SuiteSet>
type Of = { readonly project: string | null; readonly suite: string | null }

/** The baseline of a run's suite, and how to pin and unpin it: shown at once, taken back if the server refuses, undone from the message. */
export const useBaseline = (of: MaybeRefOrGetter<Of>) => {
  const client = useQueryClient()
  const { me, may } = useSession()
  const inSuite = (): { project: string; suite: string } | null => {
    const { project, suite } = toValue(of)
    return project !== null && suite !== null ? { project, suite } : null
  }
  const key = () => ['set', inSuite()] as const
  const { data: set } = useQuery({
    queryKey: computed(key),
    queryFn: ({ signal }) => {
      const { project, suite } = toValue(of)
      return api.get<Set>(pathTo('sets', project ?? '', 'suites', suite ?? ''), signal)
    },
    enabled: () => inSuite() !== null,
  })

  const baseline = computed(() => set.value?.baseline_run_id ?? null)
  // The server decides again; this is whether a control is worth showing.
  const mayPin = computed(() => {
    if (!set.value || !may('write')) return false
    return !set.value.restricted || set.value.my_level === 'upload' || set.value.my_level === 'manage' || may('admin') || me.value?.user?.role === 'admin'
  })

  const show = (run_id: string | null): void => void client.setQueryData<Set>(key(), (now) => now && { ...now, baseline_run_id: run_id })
  const send = (run_id: string | null): Promise<unknown> => {
    const { project, suite } = inSuite() ?? { project: '', suite: '' }
    const path = pathTo('projects', project, 'suites', suite, 'baseline')
    return run_id === null ? api.delete(path) : api.put(path, { run_id })
  }
  /** Pins a run, or nothing where it is null. */
  const pin = async (run_id: string | null, undoable = true): Promise<void> => {
    const before = baseline.value
    await client.cancelQueries({ queryKey: key() })
    show(run_id)
    try {
      await send(run_id)
      const undo = { label: 'Undo', run: () => void pin(before, false) }
      toast(run_id === null ? 'Baseline unpinned' : 'Pinned as baseline', undoable ? { action: undo } : {})
    } catch (error) {
      show(before)
      toast(`${run_id === null ? 'Could not unpin' : 'Could not pin'}: ${error instanceof Error ? error.message : 'unknown'}`, { kind: 'failed' })
    } finally {
      await client.invalidateQueries({ queryKey: key() })
    }
  }
  return { baseline, mayPin, pin }
}
