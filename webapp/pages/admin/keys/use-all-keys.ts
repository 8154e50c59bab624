import { useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { AccountKey, AccountKeys, KeySort } from '../../../../queries/access/all-keys.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import { useAddressFilters } from '../../../components/list-page/use-address-filters.ts'
import { useListOrder, type Direction, type ListOrder } from '../../../composables/use-list-order.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type { AccountKey }

const FILTERS = ['q', 'user', 'scope', 'state', 'unused'] as const
export type KeyFilters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

const PAGE_ROWS = 100
const DAY_MS = 86_400_000

/** Spans without a use, by their text in the address. */
export const SPANS = { '30d': '30 days', '90d': '90 days', '365d': 'a year' } as const
const isSpan = (text: string): text is keyof typeof SPANS => Object.hasOwn(SPANS, text)

/** Without a state in the address, the list has the keys that are neither expired nor revoked. */
export const STATE_WORDS = {
  '': 'Not ended',
  usable: 'Usable',
  disabled: 'Account disabled',
  expired: 'Expired',
  revoked: 'Revoked',
  any: 'Any',
} as const

/**
 * The parameters of a request. A span is counted back from the beginning of the day, in UTC. The server names a value
 * of the address that it does not know.
 */
const keyParameters = (
  { q, user, scope, state = 'live', unused }: KeyFilters,
  now: number,
): Record<string, string | number | undefined> => ({
  q,
  user_id: user,
  scope,
  state: state === 'any' ? undefined : state,
  unused_since:
    unused !== undefined && isSpan(unused) ? now - (now % DAY_MS) - Number.parseInt(unused, 10) * DAY_MS : unused,
})

const DIRECTIONS: Readonly<Record<KeySort, Direction>> = { created: 'desc', used: 'desc', account: 'asc', name: 'asc' }
const NEWEST_FIRST: ListOrder = { sort: 'created', order: 'desc' }

const WORDS: Readonly<Record<KeySort, Readonly<Record<Direction, string>>>> = {
  created: { desc: 'newest first', asc: 'oldest first' },
  used: { desc: 'last used first', asc: 'longest unused first' },
  account: { asc: 'by account', desc: 'by account, last one first' },
  name: { asc: 'by name', desc: 'by name, last one first' },
}
export const orderWords = ({ sort, order }: ListOrder): string => WORDS[sort as KeySort]?.[order] ?? ''

/** The name of a key, or its first characters. */
export const keyName = ({ name, prefix }: Pick<AccountKey, 'name' | 'prefix'>): string =>
  visibleLine(name ?? '') || `${prefix}…`

/** The keys that the filters of the address select, page by page, and how to revoke some. */
export const useAllKeys = () => {
  const client = useQueryClient()
  const address = useAddressFilters(FILTERS)
  const listOrder = useListOrder(DIRECTIONS, NEWEST_FIRST)
  const list = useList({
    key: () => ['account-keys', 'all', address.filters.value, listOrder.order.value],
    path: ([, , chosen, order], cursor) =>
      `/users/apikeys${queryOf({ ...keyParameters(chosen, Date.now()), ...order, limit: PAGE_ROWS, cursor })}`,
    rows: (page: AccountKeys) => page.keys,
    refetchOnWindowFocus: false,
  })

  /** Revokes keys one after the other. The list is read again even if one of them fails. */
  const revoke = async (keys: readonly AccountKey[]): Promise<void> => {
    try {
      for (const { id } of keys) await api.delete(pathTo('apikeys', id))
    } finally {
      await Promise.all(
        [['account-keys'], ['users'], ['apikeys']].map((queryKey) => client.invalidateQueries({ queryKey })),
      )
    }
  }
  return { ...address, list, listOrder, totals: computed(() => list.first.value?.totals ?? null), revoke }
}
