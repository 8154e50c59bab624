import { computed, type Ref } from 'vue'
import type { RunInSuite } from '../../queries/runs/run-in-suite.ts'
import { useSession } from '../composables/use-session.ts'

/** Whether the user may add to a run: a title, a note, tags, comments. It decides only what is shown; the server checks again. */
export const useMayAdd = (run: () => RunInSuite | undefined): Readonly<Ref<boolean>> => {
  const { may, seesAll } = useSession()
  return computed(() => {
    const set = run()?.set
    return (
      set !== undefined &&
      may('write') &&
      (!set?.restricted || seesAll.value || set.my_level === 'upload' || set.my_level === 'manage')
    )
  })
}
