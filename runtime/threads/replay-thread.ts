import type { Store } from '../../storage/open/reader.ts'
import { openBatchReader } from '../writer/batch-reader.ts'
import type { BatchReader } from '../writer/build-models.ts'
import { answerCalls, threadOwner } from './calls.ts'

// Reads the log for a build of read models, and prepares the documents: this takes longer than a commit may wait.

const { port, data: store } = threadOwner<Store>()
// The database may be unreachable: then that read fails, and the next one tries again.
let opened: Promise<BatchReader> | null = null
const reader = (): Promise<BatchReader> => {
  opened ??= openBatchReader(store)
  opened.catch(() => (opened = null))
  return opened
}
const answers: Pick<BatchReader, 'read'> = {
  read: async (position, models) => (await reader()).read(position, models),
}
export type ReplayCalls = typeof answers
answerCalls(port, answers)
