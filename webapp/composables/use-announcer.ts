import { readonly, ref } from 'vue'

const polite = ref('')
const assertive = ref('')

/** Makes screen readers speak a text; `now` interrupts what they are speaking. The same text twice is spoken twice. */
export const announce = (text: string, now = false): void => {
  const region = now ? assertive : polite
  // A no-break space makes a repeated text different; it is not spoken.
  region.value = region.value === text ? `${text}\u00a0` : text
}

/** The texts to be spoken; App.vue renders both. */
export const useAnnouncer = () => ({ polite: readonly(polite), assertive: readonly(assertive) })
