import { computed } from 'vue'
import { useSession } from './use-session.ts'
import { useStored } from './use-stored.ts'

/**
 * Which columns of a list an account hides. The choice is stored in the browser, separately for each account. `columns`
 * has the names of the columns that can be hidden, with the words of their headers.
 */
export const useColumns = (list: string, columns: Readonly<Record<string, string>>) => {
  const { me } = useSession()
  const account = computed(() => me.value?.user?.username ?? 'all')
  const stored = useStored<Record<string, readonly string[]>>(`columns.${list}`, {})
  const hidden = computed(() => new Set((stored.value[account.value] ?? []).filter((name) => name in columns)))
  const set = (name: string, isShown: boolean): void => {
    const others = [...hidden.value].filter((each) => each !== name)
    stored.value = { ...stored.value, [account.value]: isShown ? others : [...others, name] }
  }
  const showAll = (): void => void (stored.value = { ...stored.value, [account.value]: [] })
  return { hidden, set, showAll }
}
