import type { Worker } from 'node:worker_threads'
import { afterAll, expect, it } from 'vitest'
import { OPEN } from '../../../../maintenance/verify/records/range.ts'
import { scanInThreads } from '../../../../maintenance/verify/records/scan-ranges.ts'
import { freshFolder, migrate } from '../../../support/stores/store.ts'

const folder = freshFolder()
migrate(folder.file)
afterAll(() => folder.remove())

it('ends no thread before it has opened the log, which would abort the process', async () => {
  const happened: string[][] = []
  const watch = (worker: Worker): void => {
    const events: string[] = []
    happened.push(events)
    worker.on('message', (message) => events.push(message === OPEN ? 'open' : 'result'))
    worker.on('exit', () => events.push('exit'))
  }
  process.on('worker', watch)
  try {
    const ranges = [0, 256, 512].map((from) => ({ from, to: from + 256, sizes: [], marked: [] }))
    for await (const { finding } of scanInThreads({ kind: 'sqlite', file: folder.file }, ranges, 3)) {
      expect(finding).toMatchObject({ kind: 'missing', seq: 1 })
      break
    }
  } finally {
    process.off('worker', watch)
  }
  expect(happened.map((events) => [events[0], events.at(-1)])).toEqual(Array(3).fill(['open', 'exit']))
})
