import { shallowRef } from 'vue'
import type { Token } from './code-tokens.ts'

type Highlight = (text: string, language: string) => readonly Token[] | null

const highlighter = shallowRef<Highlight | null>(null)
let isRequested = false

/**
 * The highlighter; null until it is loaded. Its script is requested at the first use. If that fails, code stays without
 * colours, and the next use requests it again.
 */
export const useHighlighter = () => {
  if (!isRequested) {
    isRequested = true
    import('./highlighter.ts').then(
      ({ highlight }) => (highlighter.value = highlight),
      () => (isRequested = false),
    )
  }
  return highlighter
}
