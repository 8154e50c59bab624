import { listedMetadata } from '../../domain/cache/listing.ts'
import { localDirectory } from '../../queries/cache/local.ts'
import { openLocalCache } from '../../storage/disk/cache-directory.ts'
import { answerCalls, notify, threadOwner } from './calls.ts'

// The directory thread lists the entries of a local directory: it reads and parses thousands of files, any of which may
// be large.

export type DirectoryThreadData = { readonly directory: string; readonly maxFiles: number; readonly maxBytes: number }

const { port, data } = threadOwner<DirectoryThreadData>()

const start = async (): Promise<void> => {
  const cache = await openLocalCache({ ...data, describe: listedMetadata, clock: () => performance.now() })
  answerCalls(port, localDirectory(cache))
  notify(port, 'ready')
}
// The built program runs as CommonJS, which cannot wait here. A rejection ends the thread with its error.
void start()
