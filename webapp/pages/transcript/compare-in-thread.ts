import type { Compared, Stretch } from '../../components/diff/compare-events.ts'

/** Compares long transcripts in a thread of their own, which ends with the comparison or with the signal. Throws: Error. */
export const compareInThread = (
  base: readonly Compared[],
  head: readonly Compared[],
  signal: AbortSignal,
): Promise<Stretch[]> =>
  new Promise<Stretch[]>((resolve, reject) => {
    signal.throwIfAborted()
    const thread = new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' })
    const end = (finish: () => void): void => {
      thread.terminate()
      finish()
    }
    signal.addEventListener('abort', () => end(() => reject(new Error('the comparison was ended'))), { once: true })
    thread.addEventListener('message', ({ data }: MessageEvent<Stretch[]>) => end(() => resolve(data)))
    thread.addEventListener('error', () => end(() => reject(new Error('the comparison failed'))))
    thread.postMessage({ base, head })
  })
