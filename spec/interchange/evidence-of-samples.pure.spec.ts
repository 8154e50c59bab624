import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importFolder, lossesOf, SAMPLES } from '../support/interchange/import-files.ts'
import { evidenceOf, keepingIn, outlineTotals, transcriptsOf } from '../support/interchange/kept-evidence.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-samples-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const FOLDERS = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((name) => statSync(join(SAMPLES, name)).isDirectory())
  .filter((name) => readdirSync(join(SAMPLES, name), { withFileTypes: true }).some((entry) => entry.isFile()))
  .sort()

it.each(FOLDERS)('of a sample nothing is lost but what its original has: %s', async (name) => {
  const results = await importFolder(join(SAMPLES, name), keepingIn(folder, { hasOriginal: true }))
  const lost = lossesOf(results).filter(({ kind }) => kind === 'left_out' || kind === 'cut')
  // Its results are of two tasks, and the samples of one are there: the file is of another run too, and is not kept.
  if (name === 'lm-eval') {
    expect(lost.map(({ path }) => path)).toContain('results.math_rephrased_full')
    expect(results.map((result) => 'run' in result && result.run.evidence)).toEqual([null])
    return
  }
  // What has no bytes is not in the source: an address, further pages, the rest of a file that was cut off.
  expect(lost.filter(({ bytes }) => bytes > 0).map(({ path, note }) => [path, note])).toEqual([])
  for (const result of results) {
    if (!('run' in result) || result.run.evidence === null) continue
    for (const lines of transcriptsOf(evidenceOf(result)))
      expect(outlineTotals(lines)).toMatchObject({ missing_parents: 0 })
  }
})
