import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRouter } from 'vue-router'
import type { SignedIn } from '../../queries/access/sessions.ts'
import { reaches } from '../../queries/access/viewer.ts'
import type { Scope } from '../../queries/access/viewer.ts'
import { api } from '../api/api.ts'
import { sessionQuery } from '../api/session.ts'

/** Who is here, what they may do, and how to come and go. */
export const useSession = () => {
  const client = useQueryClient()
  const router = useRouter()
  const { data } = useQuery(sessionQuery)

  const me = computed(() => data.value?.me ?? null)
  const meta = computed(() => data.value?.meta ?? null)
  /** Whether a control is worth showing: the server decides again. */
  const may = (scope: Scope): boolean => meta.value?.auth_mode === 'open' || reaches(me.value?.scope ?? null, scope)

  const enter = async (
    path: '/auth/login' | '/auth/setup',
    credentials: { username: string; password: string },
    to: string,
  ): Promise<void> => {
    await api.post<SignedIn>(path, credentials)
    // Whatever was asked for before was asked for as somebody else.
    client.clear()
    await router.replace(to)
  }
  const signOut = async (): Promise<void> => {
    await api.post('/auth/logout')
    // Loaded anew, so that nothing of what was shown is kept.
    location.assign('/')
  }
  return { me, meta, may, signIn: enter.bind(null, '/auth/login'), setUp: enter.bind(null, '/auth/setup'), signOut }
}
