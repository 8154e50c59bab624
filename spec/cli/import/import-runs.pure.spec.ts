import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { noJournal } from '../../../cli/import/journal.ts'
import { importRuns } from '../../../cli/import/import-runs.ts'
import type { ImportTarget } from '../../../cli/import/target.ts'
import { listRunFiles } from '../../../cli/import/run-files.ts'

const MIB = 1024 * 1024
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

const CAPITALS = new URL('../../interchange/samples/promptfoo/v3-capitals.json', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'ers-import-runs-'))

it('a file that cannot be read any more does not keep another file with the same run waiting', async () => {
  // Larger than what is read at once and held.
  const text = readFileSync(CAPITALS, 'utf8').replace('Of which country', `${'x'.repeat(MIB)} Of which country`)
  const paths = ['a.json', 'b.json'].map((name) => join(folder, name))
  for (const path of paths) writeFileSync(path, text)
  const { target } = watchedTarget()
  let asked = 0
  // The file whose run is asked about first disappears before it is converted.
  const known: ImportTarget['known'] = async () => {
    if (asked++ === 0) rmSync(paths[0] ?? '')
    return null
  }
  const reasons: Array<string | null> = []
  const counts = await importRuns(
    listRunFiles(paths).files,
    { ...target, known },
    {
      journal: noJournal,
      concurrency: 4,
      signal: new AbortController().signal,
      job: { format: 'promptfoo', options: {}, verify: false, onChanged: 'report' },
      onRun: ({ reason }) => void reasons.push(reason),
      onProgress: () => {},
    },
  )
  expect(counts).toMatchObject({ imported: 1, failed: 1 })
  expect(reasons).toContainEqual(expect.stringMatching(/^failed ENOENT/))
})

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
