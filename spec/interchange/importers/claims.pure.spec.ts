import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMPORTERS } from '../../../interchange/importers/index.ts'
import { SourceRefused } from '../../../interchange/document/source-refused.ts'
import { lookAt } from '../../../interchange/read/look.ts'
import { fileOnDisk } from '../../../interchange/read/source-file.ts'
import { SAMPLES } from '../../support/interchange/import-files.ts'

const SAMPLE_FILES = readdirSync(SAMPLES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'README.md')
  .map(({ parentPath, name }) => join(parentPath, name))

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'claims-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** The formats that claim a file. A database has to be unpacked. */
const claimsOf = async (path: string): Promise<readonly string[]> => {
  let file = path
  if (path.endsWith('.db.gz')) {
    file = join(folder, basename(path, '.gz'))
    writeFileSync(file, gunzipSync(readFileSync(path)))
  }
  try {
    const look = await lookAt(fileOnDisk(file, statSync(file)))
    return IMPORTERS.flatMap(({ format, detect }) => (detect(look) === null ? [] : [format]))
  } catch (error) {
    if (error instanceof SourceRefused) return []
    throw error
  }
}

/** Files of the samples that are of no importer. */
const OF_NONE: ReadonlySet<string> = new Set(['promptfoo/capitals.promptfooconfig.yaml'])

describe('every sample', () => {
  it.each(SAMPLE_FILES.map((path) => relative(SAMPLES, path)))(
    'is claimed by no importer of another tool: %s',
    async (name) => {
      const claims = await claimsOf(join(SAMPLES, name))
      const [format = ''] = dirname(name).split('/')
      expect(claims.filter((claim) => claim !== format)).toEqual([])
      const isExpected = ['promptfoo', 'openai-evals', 'mlflow', 'deepeval'].includes(format) && !OF_NONE.has(name)
      if (isExpected) expect(claims).toEqual([format])
    },
  )
})
