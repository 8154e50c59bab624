import { readonly, ref } from 'vue'

const polite = ref('')
const assertive = ref('')

/** Has readers of screens say a text; `now` interrupts them. The same text twice is said twice. */
export const announce = (text: string, now = false): void => {
  const region = now ? assertive : polite
  // A no-break space tells the same words from those before, and is not spoken.
  region.value = region.value === text ? `${text}\u00a0` : text
}

/** What is to be said: one component of the frame holds both regions. */
export const useAnnouncer = () => ({ polite: readonly(polite), assertive: readonly(assertive) })
