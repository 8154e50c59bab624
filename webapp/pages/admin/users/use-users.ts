import { useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'
import type { UserOverview } from '../../../../queries/access/user-overview.ts'
import { useList } from '../../../api/use-list.ts'

export type Account = UserOverview

/**
 * How an account gets in: its identity providers that are configured, by their labels, and its password. Without both
 * it has only the keys that were made for it.
 */
export const signsInWith = (
  { has_password, identities, live_keys, service }: Account,
  labelOf: (provider: string) => string | null,
): string => {
  if (service) return 'API key only'
  const labels = new Set(identities.map(({ provider }) => labelOf(provider)).filter((label) => label !== null))
  const ways = [...labels, ...(has_password ? ['password'] : [])]
  if (ways.length === 0) return live_keys > 0 ? 'API key only' : 'Nothing'
  return ways.length === 1 && has_password ? 'Password' : ways.join(' and ')
}

export const ROLE_WORDS = { admin: 'Admin', member: 'Member', viewer: 'Viewer', reviewer: 'Reviewer' } as const

/** Every account, oldest first. The server has few enough accounts for one page. */
export const useUsers = () => {
  const client = useQueryClient()
  const list = useList({
    key: () => ['users', 'overview'],
    path: () => '/users/overview',
    rows: ({ users }: { readonly users: readonly Account[]; readonly next_cursor?: null }) => users,
  })
  return {
    list,
    users: computed(() => (list.isLoaded.value ? list.rows.value : null)),
    /** Reads the accounts again, and what depends on them. */
    refresh: (): Promise<unknown> =>
      Promise.all([['users'], ['access'], ['account-keys']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  }
}

/** Words that select accounts: parts of names and e-mail addresses, and `role:member`, `state:disabled`, `keys:yes`. */
export const matchesText = (filter: string, user: Account): boolean =>
  filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((word) => {
      const [, field, value = ''] = /^(role|state|keys):(.*)$/.exec(word) ?? []
      if (field === 'role') return user.role.startsWith(value)
      if (field === 'state') return (user.disabled ? 'disabled' : 'enabled').startsWith(value)
      if (field === 'keys') return (user.live_keys > 0 ? 'yes' : 'no').startsWith(value)
      const emails = user.identities.map(({ email }) => email ?? '')
      return [user.username, ...emails].some((text) => text.toLowerCase().includes(word))
    })

export const matching = (text: Readonly<Ref<string>>, users: Readonly<Ref<readonly Account[] | null>>) =>
  computed(() => users.value?.filter((user) => matchesText(text.value, user)) ?? [])
