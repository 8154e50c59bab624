import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { fillTree, type TreeStore } from '../../maintenance/rebuild/tree.ts'
import { throttled } from '../../maintenance/throttled.ts'
import { isTreeComplete } from '../../queries/log/tree.ts'
import { Superseded, Unavailable } from '../../storage/errors.ts'
import type { TreeAccess, WriterOptions } from './writer.ts'

/** The pause after a failure, for example of a full disk. */
const RETRY_MS = 30_000

/**
 * Fills the nodes of the log's tree in the background if a version without nodes wrote a part of the log. Commits go on
 * meanwhile, proofs have to wait. Returns a function that stops it and waits for the batch under way; the next start
 * resumes.
 */
export const startFilling = ({ read, withTree }: TreeAccess, log: WriterOptions['log']): (() => Promise<void>) => {
  const stop = new AbortController()
  const { signal } = stop
  const fill = async (store: TreeStore): Promise<void> => {
    if (await isTreeComplete(store)) return
    log("filling the nodes of the log's tree; there are no proofs until they are complete", {})
    const progress = throttled(
      () => performance.now(),
      ({ position: done, size: of }) => log("filling the nodes of the log's tree", { done, of }),
    )
    const done = await fillTree(store, { progress, signal, pause: () => turn() })
    if (signal.aborted) return
    if (await isTreeComplete(store)) log("the nodes of the log's tree are complete", { done })
    else log('the nodes of the log\'s tree do not give its root, so there are no proofs: run "ers verify"', { done })
  }
  const fillOrRetry = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (!(await isTreeComplete({ read }))) await withTree(signal, fill)
        return
      } catch (error) {
        log("the nodes of the log's tree cannot be filled", { error: String(error) })
        // Any other failure would come again: of a damaged log, or of another holder of the store.
        if (!(error instanceof Unavailable) || error instanceof Superseded) return
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
  const ended = fillOrRetry()
  return () => {
    stop.abort()
    return ended
  }
}
