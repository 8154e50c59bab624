import { useQueryClient } from '@tanstack/vue-query'
import { ref } from 'vue'
import { api } from '../../api/api.ts'
import { announce } from '../../composables/use-announcer.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { whyFailed } from '../../api/why-failed.ts'

/**
 * Uploads files with one run document each, `.json` or `.json.gz`, one after another. Then reloads the lists of runs.
 */
export const useFileUpload = () => {
  const client = useQueryClient()
  const isBusy = ref(false)
  /** One line for each file that the server rejected. */
  const refused = ref<readonly string[]>([])

  const upload = async (files: readonly File[]): Promise<void> => {
    if (isBusy.value || files.length === 0) return
    isBusy.value = true
    refused.value = []
    for (const file of files) {
      try {
        await api.upload('/runs', file, file.name.endsWith('.gz') ? 'gzip' : null)
      } catch (error) {
        refused.value = [...refused.value, `${visibleLine(file.name)}: ${visibleLine(whyFailed(error))}`]
      }
    }
    isBusy.value = false
    const stored = files.length - refused.value.length
    announce(stored === 0 ? 'No run was uploaded' : stored === 1 ? '1 run uploaded' : `${stored} runs uploaded`)
    if (stored > 0)
      await Promise.all([['runs'], ['overview']].map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  return { isBusy, refused, upload }
}
