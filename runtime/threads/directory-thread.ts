import { parentPort, workerData } from 'node:worker_threads'
import { listedMetadata } from '../../domain/cache/listing.ts'
import { localTier } from '../../queries/cache/local.ts'
import type { LocalTier } from '../../queries/cache/local.ts'
import { openLocalCache } from '../../storage/disk/cache-directory.ts'
import { answerCalls, tell } from './calls.ts'

// The thread that looks through a directory of entries: thousands of files are read and parsed for a list, and any may
// be large.

export type LocalTierData = { readonly directory: string; readonly mostFiles: number; readonly mostBytes: number }

/** One question, by its name, with what it is asked with. */
export type LocalTierCall = {
  readonly [N in keyof LocalTier]: { readonly name: N; readonly args: Parameters<LocalTier[N]> }
}[keyof LocalTier]

const port = parentPort
if (!port) throw new Error('the local tier runs as a worker thread')
const { directory, mostFiles, mostBytes } = workerData as LocalTierData
const tier = localTier(
  await openLocalCache({ directory, mostFiles, mostBytes, describe: listedMetadata, clock: () => performance.now() }),
)

answerCalls(port, ({ name, args }: LocalTierCall) =>
  (tier[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args),
)

tell(port, 'ready')
