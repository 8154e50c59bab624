import { onScopeDispose, readonly, ref, type Ref } from 'vue'

/** Whether a media query holds now. */
export const useMedia = (query: string): Readonly<Ref<boolean>> => {
  const list = matchMedia(query)
  const holds = ref(list.matches)
  const update = (): void => void (holds.value = list.matches)
  list.addEventListener('change', update)
  onScopeDispose(() => list.removeEventListener('change', update))
  return readonly(holds)
}
