import { reactive } from 'vue'

/** Kinds of text for which the choice between drawn Markdown and the text as it is stored is kept. */
export type TextKind = 'output' | 'prompt' | 'reason'

const key = (kind: TextKind): string => `rendered-${kind}`
const chosen = (kind: TextKind): boolean => localStorage.getItem(key(kind)) !== 'no'
const rendered = reactive<Record<TextKind, boolean>>({
  output: chosen('output'),
  prompt: chosen('prompt'),
  reason: chosen('reason'),
})

/** Whether Markdown is drawn in texts of a kind, as it is at first, and the choice of it, which is stored in this browser. */
export const useRendered = () => ({
  isRendered: (kind: TextKind): boolean => rendered[kind],
  setRendered: (kind: TextKind, on: boolean): void => {
    rendered[kind] = on
    localStorage.setItem(key(kind), on ? 'yes' : 'no')
  },
})
