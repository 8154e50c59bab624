import { useMediaQuery } from '@vueuse/core'
import { computed } from 'vue'

/** Whether the drawer covers the page. In a wider window it is docked at the side. */
export const useCovers = () => {
  const isDocked = useMediaQuery('(min-width: 1241px)')
  return computed(() => !isDocked.value)
}
