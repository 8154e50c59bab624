import { parentPort, workerData } from 'node:worker_threads'
import { listedMetadata } from '../../domain/cache/listing.ts'
import { localDirectory } from '../../queries/cache/local.ts'
import type { LocalDirectory } from '../../queries/cache/local.ts'
import { openLocalCache } from '../../storage/disk/cache-directory.ts'
import { answerCalls, notify } from './calls.ts'

// The directory thread lists the entries of a local directory: it reads and parses thousands of files, any of which may
// be large.

export type DirectoryThreadData = { readonly directory: string; readonly maxFiles: number; readonly maxBytes: number }

/** A read by its name, with its arguments. */
export type DirectoryCall = {
  readonly [N in keyof LocalDirectory]: { readonly name: N; readonly args: Parameters<LocalDirectory[N]> }
}[keyof LocalDirectory]

const port = parentPort
if (!port) throw new Error('the local tier runs as a worker thread')
const { directory, maxFiles, maxBytes } = workerData as DirectoryThreadData
const entries = localDirectory(
  await openLocalCache({
    directory,
    maxFiles,
    maxBytes,
    describe: listedMetadata,
    clock: () => performance.now(),
  }),
)

answerCalls(port, ({ name, args }: DirectoryCall) =>
  (entries[name] as (...rest: readonly unknown[]) => Promise<unknown>)(...args),
)

notify(port, 'ready')
