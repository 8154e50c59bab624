import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { IMPORTERS } from '../../../interchange/importers/index.ts'
import { lookAt } from '../../../interchange/read/look.ts'
import { fileOnDisk } from '../../../interchange/read/source-file.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'

/** The formats whose samples are in a folder of another name. */
const FORMAT_OF: Readonly<Record<string, string>> = { ragas: 'table' }

/** Formats that claim every sample of their folder. */
const WHOLE_FOLDERS = ['braintrust', 'ctrf', 'junit', 'langfuse', 'langsmith', 'phoenix', 'ragas']

const FILES = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.includes('/') && statSync(join(SAMPLES, name)).isFile() && !name.endsWith('.gz'),
)

it.each(FILES)('the recognition of formats has one importer at most for %s, that of its folder', async (name) => {
  const path = join(SAMPLES, name)
  const [folder = ''] = relative(SAMPLES, path).split('/')
  const look = await lookAt(fileOnDisk(path, statSync(path)))
  const claims = IMPORTERS.flatMap((importer) => {
    const claim = importer.detect(look, false)
    return claim === null ? [] : [{ format: importer.format, ...claim }]
  })
  const format = FORMAT_OF[folder] ?? folder
  expect(claims.filter((claim) => claim.format !== format)).toEqual([])
  expect(claims.length).toBeLessThanOrEqual(1)
  if (WHOLE_FOLDERS.includes(folder)) expect(claims).toHaveLength(1)
  for (const { reason } of claims) expect(reason).not.toBe('')
})
