import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import { useRouter } from 'vue-router'
import type { SignedIn } from '../../queries/access/sessions.ts'
import { reaches, type Scope } from '../../queries/access/viewer.ts'
import { api } from '../api/api.ts'
import { sessionQuery } from '../api/session.ts'

/** The signed-in user, what they may do, and how to sign in and out. */
export const useSession = () => {
  const client = useQueryClient()
  const router = useRouter()
  const { data } = useQuery(sessionQuery)

  const me = computed(() => data.value?.me ?? null)
  const meta = computed(() => data.value?.meta ?? null)
  /** Whether to show a control that needs this scope. The server checks the permission again. */
  const may = (scope: Scope): boolean => meta.value?.auth_mode === 'open' || reaches(me.value?.scope ?? null, scope)

  /** Whether nothing is hidden from the user. Pages for admins show names of restricted sets, in open mode too. */
  const seesAll = computed(
    () => me.value?.user?.role === 'admin' || (me.value?.source === 'static' && me.value.scope === 'admin'),
  )

  /** Whether the account labels cases, and sees nothing else. */
  const isReviewer = computed(() => me.value?.scope === 'review')

  const startSession = async (
    path: '/auth/login' | '/auth/setup' | '/auth/invite/accept',
    credentials: { username: string; password: string; secret?: string },
    to: string,
  ): Promise<void> => {
    await api.post<SignedIn>(path, credentials)
    // Cached responses are those of the previous user, or of a client that was not signed in.
    client.clear()
    await router.replace(to)
  }
  const signOut = async (): Promise<void> => {
    await api.post('/auth/logout')
    // Loads the page again, so that no data stays in memory.
    location.assign('/')
  }
  return {
    me,
    meta,
    may,
    seesAll,
    isReviewer,
    signIn: startSession.bind(null, '/auth/login'),
    acceptInvite: startSession.bind(null, '/auth/invite/accept'),
    setUp: startSession.bind(null, '/auth/setup'),
    signOut,
  }
}
