import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import { useSession } from '../composables/use-session.ts'
import { useStored } from '../composables/use-stored.ts'
import { visibleLine } from '../text/visible-text.ts'

/** The name of a field as a column shows it: `var.city` as `city`. */
export const fieldWords = (field: string): string => visibleLine(field.replace(/^(?:var|assert)\./, ''))

/**
 * The fields that a list of cases has as columns, in the order in which they were chosen. The choice is stored in the
 * browser, separately for each account and each suite.
 */
export const useCaseFields = (suite: MaybeRefOrGetter<string>) => {
  const { me } = useSession()
  const key = computed(() => JSON.stringify([me.value?.user?.username ?? 'all', toValue(suite)]))
  const stored = useStored<Record<string, readonly string[]>>('case-fields', {})
  const fields = computed(() => stored.value[key.value] ?? [])
  const setField = (field: string, isShown: boolean): void => {
    const others = fields.value.filter((each) => each !== field)
    stored.value = { ...stored.value, [key.value]: isShown ? [...others, field] : others }
  }
  return { fields, setField }
}
