import { parentPort, workerData } from 'node:worker_threads'
import { listedMetadata } from '../../domain/cache/listing.ts'
import { localDirectory } from '../../queries/cache/local.ts'
import type { LocalDirectory } from '../../queries/cache/local.ts'
import { openLocalCache } from '../../storage/disk/cache-directory.ts'
import { answerCalls, notify } from './calls.ts'

// The thread that looks through a directory of entries: thousands of files are read and parsed for a list, and any may
// be large.

export type DirectoryThreadData = { readonly directory: string; readonly mostFiles: number; readonly mostBytes: number }

/** One question, by its name, with what it is asked with. */
export type DirectoryCall = {
  readonly [N in keyof LocalDirectory]: { readonly name: N; readonly args: Parameters<LocalDirectory[N]> }
}[keyof LocalDirectory]

const port = parentPort
if (!port) throw new Error('the local tier runs as a worker thread')
const { directory, mostFiles, mostBytes } = workerData as DirectoryThreadData
const tier = localDirectory(
  await openLocalCache({ directory, mostFiles, mostBytes, describe: listedMetadata, clock: () => performance.now() }),
)

answerCalls(port, ({ name, args }: DirectoryCall) =>
  (tier[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args),
)

notify(port, 'ready')
