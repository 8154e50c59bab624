import type { TextDiff } from './text-diff.ts'

type Texts = { readonly base: string; readonly head: string }
type Answer = { readonly done: (diff: TextDiff) => void; readonly failed: () => void }

/**
 * Computes the difference of two texts in a thread of its own, and returns a function that ends it. The page that is one
 * file cannot start threads: it is built with another module in place of this one.
 */
export const startDiff = (texts: Texts, { done, failed }: Answer): (() => void) => {
  const thread = new Worker(new URL('./diff-worker.ts', import.meta.url), { type: 'module' })
  thread.addEventListener('message', ({ data }: MessageEvent<TextDiff>) => {
    done(data)
    thread.terminate()
  })
  thread.addEventListener('error', () => {
    failed()
    thread.terminate()
  })
  thread.postMessage(texts)
  return () => thread.terminate()
}
