import { queryOptions, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, shallowRef, watch } from 'vue'
import { useRoute } from 'vue-router'
import type { SavedView, SharedView } from '../../queries/views.ts'
import { api, pathTo } from '../api/api.ts'
import { whyFailed } from '../api/why-failed.ts'
import { useSession } from '../composables/use-session.ts'
import { toast } from '../composables/use-toasts.ts'
import { visibleLine } from '../text/visible-text.ts'
import { isSameAddress, pageName, splitAddress, type ViewAddress } from './view-address.ts'

/** The account's own saved views, in their order. */
export const ownViews = queryOptions({
  queryKey: ['views'],
  queryFn: ({ signal }) => api.get<{ views: SavedView[]; shared?: SharedView[] }>('/views', signal),
})

/** The view that was opened last, while its page is still shown with other filters. */
const opened = shallowRef<{ readonly id: string; readonly path: string } | null>(null)

/**
 * The saved views of the account, and which of them the current address is. Static tokens and callers without an account
 * have none. With `isWanted`, they are requested only when it is true.
 */
export const useViews = (isWanted: () => boolean = () => true) => {
  const route = useRoute()
  const client = useQueryClient()
  const { me } = useSession()
  const hasAccount = computed(() => (me.value?.user ?? null) !== null)
  const query = useQuery({ ...ownViews, enabled: () => hasAccount.value && isWanted() })
  const views = computed(() => query.data.value?.views ?? null)
  const here = computed(() => splitAddress(route.fullPath))
  const current = computed(() => views.value?.find((view) => isSameAddress(view, here.value)) ?? null)
  watch(
    [current, () => route.path],
    ([now, path]) => {
      if (now) opened.value = { id: now.id, path: now.path }
      else if (opened.value?.path !== path) opened.value = null
    },
    { immediate: true },
  )

  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ownViews.queryKey })
  /** Shows the user that the work failed. Returns whether it succeeded. */
  const attempt = async (failure: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (cause) {
      toast(`${failure}: ${whyFailed(cause)}`, { kind: 'failed' })
      return false
    } finally {
      await refresh()
    }
  }
  const change = (
    { id }: SavedView,
    changes: Partial<Pick<SavedView, 'name' | 'path' | 'query' | 'pinned'>> & { readonly shared?: boolean },
  ) => attempt('Not changed', () => api.patch(pathTo('views', id), changes))
  const save = async (fields: ViewAddress & Pick<SavedView, 'name' | 'pinned'>, shared = false): Promise<boolean> => {
    let saved: SavedView | null = null
    const done = await attempt('Not saved', async () => (saved = await api.post<SavedView>('/views', fields)))
    if (!done || !shared || saved === null) return done
    const { id } = saved as SavedView
    return attempt('Saved, but not shared', () => api.patch(pathTo('views', id), { shared }))
  }
  // A deleted view can be saved again, so deletion needs no question.
  const remove = async ({ id, name, path, query: saved, pinned }: SavedView): Promise<void> => {
    const restore = { label: 'Undo', run: () => void save({ name, path, query: saved, pinned }) }
    if (await attempt('Not deleted', () => api.delete(pathTo('views', id))))
      toast(`View ${visibleLine(name)} deleted`, { action: restore })
  }
  const unshare = ({ id }: SharedView): Promise<boolean> =>
    attempt('Not removed', () => api.delete(pathTo('views', id)))
  return {
    hasAccount,
    /** What other accounts shared. */
    shared: computed(() => query.data.value?.shared ?? []),
    unshare,
    query,
    views,
    pinned: computed(() => views.value?.filter((view) => view.pinned) ?? []),
    here,
    /** Whether the current page has something to save. */
    isSavable: computed(() => pageName(here.value.path) !== null),
    current,
    opened: computed(() => (current.value ? null : (views.value?.find(({ id }) => id === opened.value?.id) ?? null))),
    save,
    change,
    remove,
  }
}
export type Views = ReturnType<typeof useViews>
