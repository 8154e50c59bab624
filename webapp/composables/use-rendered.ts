import { reactive } from 'vue'

/** Kinds of text for which the choice between drawn Markdown and the text as it is stored is kept. */
export type TextKind = 'output' | 'prompt' | 'reason'

const key = (kind: TextKind): string => `source-of-${kind}`
const stored = (kind: TextKind): boolean => localStorage.getItem(key(kind)) === 'yes'
const isSource = reactive<Record<TextKind, boolean>>({
  output: stored('output'),
  prompt: stored('prompt'),
  reason: stored('reason'),
})

/** Whether Markdown is drawn in texts of a kind, and the choice of it, which is stored in this browser. */
export const useRendered = () => ({
  isRendered: (kind: TextKind): boolean => !isSource[kind],
  setRendered: (kind: TextKind, on: boolean): void => {
    isSource[kind] = !on
    if (on) localStorage.removeItem(key(kind))
    else localStorage.setItem(key(kind), 'yes')
  },
})
