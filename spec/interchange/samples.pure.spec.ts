import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, cpSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { countsOf, importBytes, importFolder, SAMPLES, targetWith } from '../support/interchange/import-files.ts'

/** The folders of the samples that have files. */
const FOLDERS = readdirSync(SAMPLES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'README.md')
  .map(({ parentPath }) => parentPath)
  .filter((path, index, all) => all.indexOf(path) === index)
  .sort()

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile()),
)

/** The number of places at which each sample is cut off. */
const CUTS = 20
const scratch = mkdtempSync(join(tmpdir(), 'samples-'))
afterAll(() => rmSync(scratch, { recursive: true }))

describe('every sample of another tool', () => {
  it.each(FOLDERS.map((path) => relative(SAMPLES, path)))('is already there the second time: %s', async (folder) => {
    const first = await importFolder(join(SAMPLES, folder))
    // A log that was cut off and the whole one are one run: which of both is stored decides about the other.
    const runs = first.filter(({ run_id }, index) => first.findIndex((other) => other.run_id === run_id) === index)
    const copy = join(scratch, folder.replaceAll('/', '_'))
    cpSync(join(SAMPLES, folder), copy, { recursive: true })
    for (const name of readdirSync(copy)) utimesSync(join(copy, name), 1_000_000, 1_000_000)
    const second = await importFolder(copy, { target: targetWith(runs) })
    expect(second.map(({ run_id }) => run_id)).toEqual(first.map(({ run_id }) => run_id))
    const outcomes = second.filter(({ outcome }) => outcome !== 'refused').map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'converted')).toEqual([])
  })

  it('gives the same bytes for a gzipped file', async () => {
    const path = join(SAMPLES, 'promptfoo', 'v3-capitals.json')
    const plain = await importBytes('a.json', readFileSync(path))
    const packed = await importBytes('a.json.gz', gzipSync(readFileSync(path)))
    expect(packed[0]?.document?.bytes).toEqual(plain[0]?.document?.bytes)
  })

  it.each(FILES.map((path) => relative(SAMPLES, path)))(
    'is refused or cut, and says so, after any byte: %s',
    async (name) => {
      const content = readFileSync(join(SAMPLES, name))
      const whole = await importBytes(basename(name), content, { createdAt: '2026-01-01T00:00:00Z' })
      const isRun = whole.some(({ outcome }) => outcome === 'converted')
      for (let cut = 1; cut <= CUTS; cut++) {
        // Uneven steps, so that the cuts are not all in the same kind of place.
        const length = Math.floor((content.length - 1) * ((cut * 0.618034) % 1))
        const results = await importBytes(basename(name), content.subarray(0, length), {
          createdAt: '2026-01-01T00:00:00Z',
        })
        for (const result of results) {
          if (result.outcome === 'refused') expect(result.reason).not.toBe('')
          // A part of the lines is a run of its own, without a mark, only if the lines are whole.
          else if (isRun && 'run' in result)
            expect(result.run.cases, `${length} bytes`).toBeLessThanOrEqual(
              Math.max(...whole.map((found) => ('run' in found ? found.run.cases : 0))),
            )
        }
      }
    },
  )

  it('refuses an empty file and a file of zeros', async () => {
    expect(countsOf(await importBytes('empty.json', ''))).toEqual(['refused: the file is empty'])
    expect(countsOf(await importBytes('zeros.json', Buffer.alloc(100)))[0]).toMatch(/^refused: /)
  })
})
