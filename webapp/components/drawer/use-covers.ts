import { computed } from 'vue'
import { useMedia } from '../../composables/use-media.ts'

/** Whether the drawer covers the page. In a wider window it is docked at the side. */
export const useCovers = () => {
  const isDocked = useMedia('(min-width: 1241px)')
  return computed(() => !isDocked.value)
}
