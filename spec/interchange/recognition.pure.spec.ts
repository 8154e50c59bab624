import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IMPORTERS } from '../../interchange/importers/index.ts'
import { lookAt } from '../../interchange/read/look.ts'
import { fileOnDisk } from '../../interchange/read/source-file.ts'
import { SAMPLES, countsOf, importBytes } from '../support/interchange/import-files.ts'

/** All samples, by their path. */
const FILES = readdirSync(SAMPLES, { recursive: true, withFileTypes: true })
  // A packed database has to be unpacked before it is read.
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.db.gz'))
  .map(({ parentPath, name }) => relative(SAMPLES, join(parentPath, name)))
  .sort()

describe('a file of another tool', () => {
  it.each(FILES)('is claimed by its own importer or by none: %s', async (name) => {
    const path = join(SAMPLES, name)
    const look = await lookAt(fileOnDisk(path, statSync(path)))
    const claims = IMPORTERS.flatMap(({ format, detect }) => (detect(look, false) === null ? [] : [format]))
    const [folder] = name.split('/')
    // Tables of Ragas are read by a preset.
    for (const format of claims) expect(format).toBe(folder === 'ragas' ? 'table' : folder)
  })

  it.each(['inspect', 'lm-eval', 'every-eval-ever', 'helm', 'swe-bench'])(
    'is claimed by %s: each of its samples',
    async (format) => {
      const names = FILES.filter((name) => name.startsWith(`${format}/`) && !name.endsWith('log_invalid.txt'))
      expect(names.length).toBeGreaterThan(1)
      for (const name of names) {
        const path = join(SAMPLES, name)
        const look = await lookAt(fileOnDisk(path, statSync(path)))
        const claim = IMPORTERS.find((importer) => importer.format === format)?.detect(look, false)
        expect(claim?.reason, name).toBeTruthy()
      }
    },
  )

  it.each([
    ['few keys', ['a', 'b'], 'a, b'],
    ['many keys', 'abcdefghijklmn'.split(''), 'a, b, c, d, e, f, g, h, i, j, k, l, …'],
    ['a long key', ['x'.repeat(400)], `${'x'.repeat(300)}…`],
  ])('that nothing claims is refused with its keys, and an ellipsis if that is not all: %s', async (_, keys, shown) => {
    const object = Object.fromEntries(keys.map((key) => [key, 1]))
    expect(countsOf(await importBytes('x.json', JSON.stringify(object)))).toEqual([
      `refused: JSON of an unknown tool, with the keys ${shown}`,
    ])
  })
})
