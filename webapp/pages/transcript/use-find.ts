import { computed, ref, watch } from 'vue'
import type { TranscriptMatches } from '../../../queries/transcripts/find.ts'
import { api, queryOf } from '../../api/api.ts'
import { transcriptPath, type TranscriptName } from './use-transcript.ts'

/** Events that a search lists. */
const MAX_FOUND = 1_000

/** Finds a text in the events of a transcript, some hundred megabytes after the other. */
export const useFind = (name: () => TranscriptName | null, words: () => string) => {
  const found = ref<number[]>([])
  const state = ref<'idle' | 'looking' | 'done' | 'failed'>('idle')
  const upto = ref(0)
  let running: AbortController | null = null

  const find = async (): Promise<void> => {
    running?.abort()
    const [wanted, q] = [name(), words()]
    found.value = []
    upto.value = 0
    if (!wanted || q === '') {
      state.value = 'idle'
      return
    }
    const controller = new AbortController()
    running = controller
    state.value = 'looking'
    try {
      for (let next: number | null = 1; next !== null && found.value.length < MAX_FOUND;) {
        const query = queryOf({ q, from: next, limit: MAX_FOUND - found.value.length })
        const page: TranscriptMatches = await api.get(`${transcriptPath(wanted, 'find')}${query}`, controller.signal)
        found.value = [...found.value, ...page.events]
        upto.value = page.upto
        next = page.next
      }
      state.value = 'done'
    } catch {
      if (!controller.signal.aborted) state.value = 'failed'
    }
  }
  watch([() => name()?.sha256, words], () => void find(), { immediate: true })
  return { found, state, upto, set: computed(() => new Set(found.value)) }
}
export type Find = ReturnType<typeof useFind>
