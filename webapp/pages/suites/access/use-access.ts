import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { refDebounced } from '@vueuse/core'
import { computed, ref } from 'vue'
import type { AccessList, FoundAccounts } from '../../../../queries/access/access.ts'
import type { Level } from '../../../../queries/access/levels.ts'
import { api, pathTo } from '../../../api/api.ts'
import { whyFailed } from '../../../api/why-failed.ts'
import { useSession } from '../../../composables/use-session.ts'
import { toast } from '../../../composables/use-toasts.ts'

/** What an account may do on a set; each level includes the ones before. */
export const LEVELS = ['view', 'upload', 'manage'] as const satisfies readonly Level[]

/** A project, or one of its suites. */
export type Scope = { readonly project: string; readonly suite: string | null }

/** How long typing pauses before accounts are looked up. */
const DELAY_MS = 200

type User = { readonly id: string; readonly username: string; readonly disabled: boolean }

/** Whether to show who has access to a set, and to change it. The server checks again. */
export const useMayManage = () => {
  const { me, may } = useSession()
  return (level: Level | null): boolean => level === 'manage' || may('admin') || me.value?.user?.role === 'admin'
}

/** Who has access to a set, and how to change that. The list is requested while `isOpen`. */
export const useAccess = (scope: () => Scope, isOpen: () => boolean, changed: () => void) => {
  const client = useQueryClient()
  const { may } = useSession()
  const pathOf = (...rest: readonly string[]): string => {
    const { project, suite } = scope()
    return pathTo('sets', project, ...(suite === null ? [] : ['suites', suite]), ...rest)
  }
  const list = useQuery({
    queryKey: ['access', computed(scope)],
    queryFn: ({ signal }) => api.get<AccessList>(pathOf('access'), signal),
    enabled: isOpen,
    staleTime: 0,
  })
  /** The accounts that can be granted access; null for a user who may not list them. */
  const users = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => api.get<{ users: User[] }>('/users', signal),
    enabled: () => isOpen() && may('admin'),
  })

  /** What was typed as the name of an account; its beginning is looked up for a user who may not list all accounts. */
  const name = ref('')
  const typed = refDebounced(name, DELAY_MS)
  const lookUp = (beginning: string) => ({
    queryKey: ['accounts', scope(), beginning],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      api.get<FoundAccounts>(`${pathOf('accounts')}?${new URLSearchParams({ name: beginning })}`, signal),
  })
  const found = useQuery(
    computed(() => ({ ...lookUp(typed.value), enabled: isOpen() && !may('admin') && typed.value !== '' })),
  )
  /** The id of the account with the typed name; what was typed if there is none, since it may be an id. */
  const typedAccount = async (): Promise<string> => {
    const { accounts } = await client.fetchQuery(lookUp(name.value)).catch((): FoundAccounts => ({ accounts: [] }))
    return accounts.find(({ username }) => username === name.value)?.user_id ?? name.value
  }

  /** Sends a change, then requests the list again. Returns whether the server made the change. */
  const change = async (done: string, send: () => Promise<unknown>): Promise<boolean> => {
    try {
      await send()
      toast(done)
      return true
    } catch (error) {
      toast(`Could not change access: ${whyFailed(error)}`, { kind: 'failed' })
      return false
    } finally {
      await client.invalidateQueries({ queryKey: ['access'] })
      changed()
    }
  }
  return {
    list: list.data,
    error: list.error,
    reload: () => void list.refetch(),
    users: computed(() => (may('admin') ? (users.data.value?.users.filter(({ disabled }) => !disabled) ?? []) : null)),
    name,
    found: computed(() => found.data.value?.accounts ?? []),
    typedAccount,
    restrict: () => change('Restricted', () => api.put(pathOf('restriction'))),
    lift: () => change('Restriction lifted', () => api.delete(pathOf('restriction'))),
    grant: (user_id: string, level: Level) =>
      change('Access granted', () => api.put(pathOf('grants', user_id), { level })),
    revoke: (user_id: string) => change('Access removed', () => api.delete(pathOf('grants', user_id))),
  }
}
