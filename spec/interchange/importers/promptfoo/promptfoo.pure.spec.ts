import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SAMPLES, countsOf, importFile } from '../../support/interchange/import-files.ts'

const sample = (name: string) => join(SAMPLES, 'promptfoo', name)

describe('the importer of promptfoo', () => {
  it.each([
    ['v3-capitals.json', '24 / 16 / 8 / 0'],
    ['v1-js-config.json', '8 / 0 / 0 / 0'],
    ['v2-replicate.json', '10 / 0 / 0 / 0'],
    ['v3-simple-cli.json', '8 / 0 / 0 / 0'],
    ['v3-sample-export.json', '0 / 4 / 0 / 0'],
  ])('gives the counts of %s', async (name, counts) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([counts])
  })
})
