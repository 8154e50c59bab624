import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openZip } from '../../../interchange/read/zip.ts'
import { fileOnDisk } from '../../../interchange/read/source-file.ts'
import { SAMPLES, countsOf, importFile } from '../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'
import type { Leaf } from '../../support/interchange/leaves.ts'

const sample = (name: string) => join(SAMPLES, 'inspect', name)
const CAPITALS = '2026-11-22T05-08-39-00-00_capitals_exatjY97WfVN4TUXF2ajWf.eval'
const CAPITALS_JSON = '2026-11-22T05-08-43-00-00_capitals_VJ57dJowd77c7nNLGQY4AW.json'

describe('the importer of Inspect', () => {
  it.each([
    [CAPITALS, '9 / 0 / 3 / 0'],
    [CAPITALS_JSON, '2 / 4 / 0 / 0'],
    ['cut-off_capitals.eval', '6 / 1 / 1 / 0'],
    ['chunked_capitals.eval', '9 / 0 / 3 / 0'],
    ['log_formats.json', '0 / 1 / 0 / 0'],
    ['log_formats.eval', '0 / 1 / 0 / 0'],
    ['log_streaming.eval', '3 / 1 / 0 / 0'],
    ['log_images_tc.json', '0 / 1 / 0 / 0'],
    ['theory-of-mind.eval', '83 / 17 / 0 / 0'],
    ['2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval', '0 / 0 / 0 / 10'],
    ['2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval', '8 / 2 / 0 / 0'],
    ['2025-05-12T20-27-36-04-00_browser.json', '1 / 0 / 0 / 0'],
    ['2025-05-12T20-28-13-04-00_popularity.json', '2 / 1 / 0 / 0'],
    ['2025-05-12T20-28-26-04-00_security-guide.json', '3 / 0 / 0 / 0'],
    ['data_pubmedqa_gpt4o_mini.json', '2 / 0 / 0 / 0'],
  ])('gives the counts of %s', async (name, counts) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([counts])
  })

  it.each([
    ['log_version_3.txt', 'refused: inspect: the log has version 4; up to 2 can be read'],
    ['log_invalid.txt', 'refused: JSON of no known tool, with the keys version'],
    ['header-only.json', 'refused: holds no samples, but totals: --aggregates imports them as cases'],
    ['log_with_nan.txt', 'refused: holds no samples, but totals: --aggregates imports them as cases'],
  ])('refuses %s', async (name, reason) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([reason])
  })
})

describe('what is in a log', () => {
  it.each(readdirSync(join(SAMPLES, 'inspect')))('is in the document or among the losses: %s', async (name) => {
    const path = sample(name)
    const imported = await importFile(path)
    for (const result of imported) {
      if (!('run' in result)) continue
      // Success is the absence of a tag.
      const leaves = (await leavesIn(path)).filter(({ path: at, value }) => at !== 'status' || value !== 'success')
      expect(leaves.length).toBeGreaterThan(50)
      expect(missingLeaves(leaves, [result.run.bytes], result.run.losses)).toEqual([])
    }
  })
})

/** The leaves of a log, with the paths that its JSON form has. */
const leavesIn = async (path: string): Promise<readonly Leaf[]> => {
  if (!path.endsWith('.eval')) return leavesOf(JSON.parse(readFileSync(path, 'utf8')))
  using zip = await openZip(fileOnDisk(path, statSync(path)))
  const leaves: Leaf[] = []
  for (const member of zip.members.values()) {
    const at = pathOf(member.name, zip.members.has('header.json'))
    if (at !== null) leaves.push(...leavesOf(JSON.parse((await zip.read(member)).toString()), at))
  }
  return leaves
}

/** The path of a member in the JSON form; null for one whose content is in another one too. */
const pathOf = (name: string, hasHeader: boolean): string | null => {
  if (name === 'header.json') return ''
  if (name === '_journal/start.json') return hasHeader ? null : ''
  const part = /^samples\/.*_epoch_\d+(?:\.json|\/(.*)\.json)$/s.exec(name)
  if (part === null) return name.replace(/\d+\.json$/, '*.json')
  const chunk = part[1]?.split('/')[0]
  return chunk === undefined || chunk === 'sample' ? 'samples.*' : `samples.*.${chunk}`
}
