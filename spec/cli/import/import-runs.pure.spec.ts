import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noJournal } from '../../../cli/import/journal.ts'
import { importRuns } from '../../../cli/import/import-runs.ts'
import type { ImportTarget } from '../../../cli/import/target.ts'
import { listRunFiles } from '../../../cli/import/run-files.ts'

const MIB = 1024 * 1024

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-import-runs-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (name: string, size: number): string => {
  const path = join(folder, name)
  writeFileSync(path, '')
  truncateSync(path, size)
  return path
}

/**
 * Accepts every document after some turns of the event loop. Records the maximum number of documents and bytes in
 * flight.
 */
const watchedTarget = () => {
  const now = { documents: 0, bytes: 0 }
  const most = { documents: 0, bytes: 0 }
  const target: ImportTarget = {
    name: 'watched',
    send: async ({ bytes }) => {
      now.documents += 1
      now.bytes += bytes.length
      most.documents = Math.max(most.documents, now.documents)
      most.bytes = Math.max(most.bytes, now.bytes)
      for (let i = 0; i < 1000; i++) await turn()
      now.documents -= 1
      now.bytes -= bytes.length
      return { kind: 'imported' }
    },
    known: async () => null,
    content: async () => null,
    remove: async () => null,
    close: async () => {},
  }
  return { target, most }
}

const importAll = async (paths: readonly string[], concurrency: number) => {
  const { target, most } = watchedTarget()
  const options = {
    journal: noJournal,
    concurrency,
    signal: new AbortController().signal,
    job: { format: 'ers', options: {}, verify: false, onChanged: 'report' } as const,
    onRun: () => {},
    onProgress: () => {},
  }
  const counts = await importRuns(listRunFiles(paths).files, target, options)
  return { counts, most }
}

describe('documents in flight', () => {
  it('reach the requested concurrency while they are small', async () => {
    const { counts, most } = await importAll(
      Array.from({ length: 40 }, (_, n) => fileOf(`small-${n}.json`, 1000)),
      16,
    )
    expect(counts.imported).toBe(40)
    expect(most.documents).toBe(16)
  })

  it('stay within a limit of bytes: two large documents are never in flight at once', async () => {
    const large = Array.from({ length: 3 }, (_, n) => fileOf(`large-${n}.json`, 40 * MIB))
    const { counts, most } = await importAll(
      [...large, ...Array.from({ length: 20 }, (_, n) => fileOf(`beside-${n}.json`, MIB))],
      32,
    )
    expect(counts.imported).toBe(23)
    expect(most.bytes).toBeLessThanOrEqual(64 * MIB)
  })
})
