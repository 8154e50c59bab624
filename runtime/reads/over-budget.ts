import { LRUCache } from 'lru-cache'
import { findViewerClass } from '../../queries/access/viewer-class.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import type { LongReadName } from '../../queries/long-reads.ts'
import { findRun } from '../../queries/runs/run.ts'
import { OverBudget } from '../../storage/errors.ts'
import type { Reader } from '../../storage/storage.ts'
import type { RunStep } from './in-steps.ts'

/** How many reads are remembered, and for how long. The time is short because the machine may only have been busy. */
const MAX_REMEMBERED = 1_000
const REMEMBERED_MS = 10 * 60 * 1000

/** Whom a read was too much for: the runs that it names, and the class of viewers who see the same rows. */
type Failed = { readonly asked: string; readonly error: OverBudget }
type Options = { readonly now?: () => number }

/**
 * Runs steps of long reads. If a read of certain runs took more time or memory than is allowed, the same read is refused at
 * once: a run never changes, so it would take as much again. The refusal is for viewers of the runs, and only while they are
 * the same documents. Another caller gets the answer for an unknown run. Some reads compare with other runs, so the refusal
 * is only for viewers who see the same rows: otherwise it would show that there are hidden ones.
 */
export const refuseOverBudget = (
  reader: Pick<Reader, 'read'>,
  step: RunStep,
  { now = Date.now }: Options = {},
): RunStep => {
  const remembered = new LRUCache<string, Failed>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    perf: { now },
  })

  /** The numbers of the runs that a read names, and what the viewer sees; null if that are none, or not all of them. */
  const askedBy = async (viewer: Viewer, args: unknown): Promise<string | null> => {
    const ids = runIdsIn(args)
    const runs = await Promise.all(ids.map((id) => reader.read(findRun(viewer, id))))
    const numbers = runs.flatMap((run) => run?.run_no ?? [])
    if (numbers.length === 0 || numbers.length < ids.length) return null
    return [(await reader.read(findViewerClass(viewer))).sees, ...numbers].join()
  }

  return async (name, viewer, args, signal, resumed) => {
    if (!resumed && remembered.size > 0) {
      const failed = remembered.get(readKey(name, args))
      if (failed && (await askedBy(viewer, args)) === failed.asked) throw failed.error
    }
    try {
      return await step(name, viewer, args, signal, resumed)
    } catch (error) {
      if (error instanceof OverBudget) {
        const asked = await askedBy(viewer, args)
        if (asked !== null) remembered.set(readKey(name, args), { asked, error })
      }
      throw error
    }
  }
}

/** A read and its arguments as text, without the order, which the service derives from the runs. */
const readKey = (name: LongReadName, args: unknown): string =>
  JSON.stringify([name, args], (_, value: unknown) => (ArrayBuffer.isView(value) ? undefined : value))

/** The arguments of reads and tools that name a run. `runs` names several, and `given` holds the arguments of a tool. */
const RUN_ARGUMENTS = ['run_id', 'base', 'head', 'base_run_id', 'head_run_id', 'against_run']

/** The runs that the arguments of a read name. */
const runIdsIn = (args: unknown): string[] => {
  const named = Object(args) as Readonly<Record<string, unknown>>
  const { runs, given } = named
  const ids = [...RUN_ARGUMENTS.map((name) => named[name]), ...(Array.isArray(runs) ? (runs as unknown[]) : [])]
  return [...ids.filter((id) => typeof id === 'string'), ...(given === undefined ? [] : runIdsIn(given))]
}
