import { onScopeDispose, readonly, ref } from 'vue'

/** From this width on a drawer stands beside the page. */
const DOCKED = '(min-width: 1241px)'

/** Whether the drawer covers the page, for want of room beside it. */
export const useCovers = () => {
  const room = matchMedia(DOCKED)
  const covers = ref(!room.matches)
  const look = (): void => void (covers.value = !room.matches)
  room.addEventListener('change', look)
  onScopeDispose(() => room.removeEventListener('change', look))
  return readonly(covers)
}
