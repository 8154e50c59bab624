import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noJournal, openImportJournal } from '../../../cli/import/journal.ts'
import type { RunFile } from '../../../cli/import/run-files.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ers-journal-'))
  path = join(folder, 'journal')
})
afterEach(() => rmSync(folder, { recursive: true }))

const file: RunFile = {
  path: '/runs/a.ndjson',
  lines: true,
  isNamed: false,
  gzip: false,
  size: 10,
  mtime_ms: 1777885244000.5,
}
const opened = async <T>(
  work: (journal: Awaited<ReturnType<typeof openImportJournal>>) => T | Promise<T>,
  target = 'http://one',
) => {
  const journal = await openImportJournal(path, target)
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}

describe('the journal of an import', () => {
  it('stores finished documents across imports', async () => {
    await opened(async (journal) => {
      await journal.add(file, 3)
      await journal.add({ ...file, path: '/runs/b.json' }, null)
    })
    await opened((journal) => {
      expect([3, 4, null].map((line) => journal.has(file, line))).toEqual([true, false, false])
      expect(journal.has({ ...file, path: '/runs/b.json' }, null)).toBe(true)
    })
  })

  it('ignores entries of changed files and of other targets', async () => {
    await opened((journal) => journal.add(file, 1))
    await opened((journal) => {
      expect(journal.has({ ...file, size: 11 }, 1)).toBe(false)
      expect(journal.has({ ...file, mtime_ms: file.mtime_ms + 1 }, 1)).toBe(false)
    })
    expect(await opened((journal) => journal.has(file, 1), 'http://two')).toBe(false)
  })

  it('skips a torn last line and appends after it, wherever it was torn', async () => {
    await opened(async (journal) => {
      await journal.add(file, 1)
      await journal.add(file, 2)
    })
    const whole = readFileSync(path)
    const firstEnd = whole.indexOf('\n') + 1
    for (let length = firstEnd; length < whole.length; length += 7) {
      truncateSync(path, 0)
      appendFileSync(path, whole.subarray(0, length))
      await opened(async (journal) => {
        expect([1, 2].map((line) => journal.has(file, line))).toEqual([true, false])
        await journal.add(file, 2)
      })
      await opened((journal) => expect([1, 2].map((line) => journal.has(file, line))).toEqual([true, true]))
    }
  })

  it('skips foreign lines', async () => {
    appendFileSync(path, 'hello\n[1,2]\n{}\nnull\n')
    await opened((journal) => journal.add(file, null))
    expect(await opened((journal) => journal.has(file, null))).toBe(true)
  })

  it('writes an entry to the file as soon as it is added', () =>
    opened(async (journal) => {
      await journal.add(file, 1)
      expect(readFileSync(path, 'utf8')).toMatch(/\n$/)
    }))

  it('is optional', () => expect(noJournal.has(file, null)).toBe(false))
})
