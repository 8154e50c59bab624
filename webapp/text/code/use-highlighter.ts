import { computed, shallowReactive, toValue, watchEffect, type MaybeRefOrGetter } from 'vue'
import type { Token } from './code-tokens.ts'

type Highlight = (text: string, language: string) => readonly Token[] | null

const loaded = shallowReactive(new Map<string, Highlight>())
const requested = new Set<string>()

const request = async (language: string): Promise<void> => {
  if (requested.has(language)) return
  requested.add(language)
  try {
    const { highlight, loadLanguage } = await import('./highlighter.ts')
    await loadLanguage(language)
    loaded.set(language, highlight)
  } catch {
    requested.delete(language)
  }
}

/**
 * The highlighter of a language; null until it is loaded. Its script and those of the grammars are requested at the first
 * use. If that fails, code stays without colours, and the next use requests them again.
 */
export const useHighlighter = (language: MaybeRefOrGetter<string | null>) => {
  watchEffect(() => {
    const wanted = toValue(language)
    if (wanted !== null) void request(wanted)
  })
  return computed(() => {
    const wanted = toValue(language)
    const highlight = wanted === null ? undefined : loaded.get(wanted)
    return wanted === null || !highlight ? null : (text: string) => highlight(text, wanted)
  })
}
