import { useQueryClient } from '@tanstack/vue-query'
import { ref } from 'vue'
import type { ApiKey } from '../../../queries/access/api-keys.ts'
import type { Scope } from '../../../queries/access/viewer.ts'
import { api } from '../../api/api.ts'
import { whyFailed } from '../../api/why-failed.ts'
import { ownKeys } from './use-own.ts'

/** A key with its secret, which is in memory only while the page is open. */
export type MadeKey = ApiKey & { readonly key: string }

/** Makes keys of the own account. `make` resolves with whether it made one. */
export const useNewKey = () => {
  const client = useQueryClient()
  const made = ref<MadeKey | null>(null)
  const failed = ref<string | null>(null)
  const busy = ref(false)
  const make = async (name: string | null, scope: Scope): Promise<boolean> => {
    busy.value = true
    failed.value = null
    try {
      made.value = await api.post<MadeKey>('/apikeys', { name, scope })
      await client.invalidateQueries(ownKeys)
      return true
    } catch (cause) {
      failed.value = `The key was not made: ${whyFailed(cause)}`
      return false
    } finally {
      busy.value = false
    }
  }
  return { made, failed, busy, make }
}
