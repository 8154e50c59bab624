import { useQueryClient } from '@tanstack/vue-query'
import { ref, shallowRef } from 'vue'
import type { ApiKey } from '../../../queries/access/api-keys.ts'
import type { Scope } from '../../../queries/access/viewer.ts'
import { api, pathTo } from '../../api/api.ts'
import { whyFailed } from '../../api/why-failed.ts'

/** A key with its secret, which is in memory only while the page is open. */
export type MadeKey = ApiKey & { readonly key: string }

export type NewKeyFields = {
  readonly name: string | null
  readonly scope: Scope
  readonly expires_at?: string | null
  readonly project?: string | null
  readonly suite?: string | null
}

/** The first key of a service account that was just added, until its page shows it. */
export const firstKey = shallowRef<{ readonly user_id: string; readonly made: MadeKey } | null>(null)

/** Makes keys of the own account, or of a service account. `make` resolves with whether it made one. */
export const useNewKey = (serviceAccount: () => string | null = () => null) => {
  const client = useQueryClient()
  const made = ref<MadeKey | null>(null)
  const failed = ref<string | null>(null)
  const busy = ref(false)
  const make = async (fields: NewKeyFields): Promise<boolean> => {
    busy.value = true
    failed.value = null
    const user_id = serviceAccount()
    try {
      made.value = await api.post<MadeKey>(
        user_id === null ? '/apikeys' : `${pathTo('users', user_id)}/apikeys`,
        fields,
      )
      await Promise.all(
        (user_id === null ? [['apikeys']] : [['account-keys'], ['users']]).map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
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
