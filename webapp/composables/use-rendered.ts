import { reactive } from 'vue'

/** Kinds of text for which the choice between drawn Markdown and the text as it is stored is kept. */
export type TextKind = 'output' | 'prompt' | 'reason'

/** Reasons are short, and judges write them as Markdown. For other texts the parser would be half of what a case loads. */
const DEFAULTS: Readonly<Record<TextKind, boolean>> = { output: false, prompt: false, reason: true }

const key = (kind: TextKind): string => `rendered-${kind}`
const chosen = (kind: TextKind): boolean => {
  const stored = localStorage.getItem(key(kind))
  return stored === null ? DEFAULTS[kind] : stored === 'yes'
}
const rendered = reactive<Record<TextKind, boolean>>({
  output: chosen('output'),
  prompt: chosen('prompt'),
  reason: chosen('reason'),
})

/** Whether Markdown is drawn in texts of a kind, and the choice of it, which is stored in this browser. */
export const useRendered = () => ({
  isRendered: (kind: TextKind): boolean => rendered[kind],
  setRendered: (kind: TextKind, on: boolean): void => {
    rendered[kind] = on
    localStorage.setItem(key(kind), on ? 'yes' : 'no')
  },
})
