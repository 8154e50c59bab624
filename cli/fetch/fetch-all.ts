import { join } from 'node:path'
import PQueue from 'p-queue'
import { FetchFailed, type Api } from './api.ts'
import { completeFolder, safeName, takeFolder } from './folder.ts'
import { fetchingInto, targetAt, type Experiment, type Tool } from './tool.ts'
import { UserError } from '../../maintenance/user-error.ts'

export type FetchCounts = {
  /** Experiments whose answers are all in the folder. */
  experiments: number
  /** Experiments without cases, of which nothing is imported. */
  empty: number
  failed: number
  pages: number
  bytes: number
}

export type FetchOptions = {
  readonly name: string
  readonly out: string
  readonly sinceMs: number | null
  readonly signal: AbortSignal
  /** Called for each thing that cannot be fetched; the rest is still fetched. */
  readonly onFailed: (what: string, reason: string) => void
  readonly onProgress: (counts: FetchCounts) => void
}

/** Experiments fetched at the same time. Another limit applies to their requests together. */
const EXPERIMENTS_AT_ONCE = 4

/**
 * Fetches all experiments of a service into a folder each. What is there from an earlier attempt is not fetched again.
 * Returns the counts, or null if an earlier fetch is already complete. Throws `UserError` if it has to stop; the next call
 * continues there.
 */
export const fetchAll = async (tool: Tool, api: Api, options: FetchOptions): Promise<FetchCounts | null> => {
  const { name, out, sinceMs, signal, onFailed, onProgress } = options
  const from = { tool: name, url: api.url, since: sinceMs === null ? null : new Date(sinceMs).toISOString() }
  if (await takeFolder(out, from)) return null
  const counts: FetchCounts = { experiments: 0, empty: 0, failed: 0, pages: 0, bytes: 0 }
  const events = {
    onPage: (bytes: number) => {
      counts.pages += 1
      counts.bytes += bytes
      onProgress(counts)
    },
  }
  const failed = (what: string, error: FetchFailed) => {
    counts.failed += 1
    onFailed(what, error.message)
  }
  const fatalErrors: unknown[] = []
  const fetchOne = async ({ id, fetch }: Experiment) => {
    if (signal.aborted || fatalErrors.length > 0) return
    try {
      const hasCases = await fetch(targetAt(api, join(out, safeName(id)), events))
      counts[hasCases ? 'experiments' : 'empty'] += 1
      onProgress(counts)
    } catch (error) {
      if (error instanceof FetchFailed) failed(id, error)
      else fatalErrors.push(error)
    }
  }

  const queue = new PQueue({ concurrency: EXPERIMENTS_AT_ONCE })
  try {
    for await (const experiment of tool.experiments(fetchingInto(api, out, sinceMs, events, failed))) {
      await queue.onSizeLessThan(1)
      if (signal.aborted || fatalErrors.length > 0) break
      void queue.add(() => fetchOne(experiment))
    }
  } catch (error) {
    fatalErrors.push(
      error instanceof FetchFailed ? new UserError(`${api.url}: ${error.message}`, { cause: error }) : error,
    )
  }
  await queue.onIdle()
  if (fatalErrors.length > 0 && !signal.aborted) throw fatalErrors[0]
  if (counts.failed === 0 && !signal.aborted) await completeFolder(out, from)
  return counts
}
