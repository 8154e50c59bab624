import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importFile, lossesOf, SAMPLES } from '../../../support/interchange/import-files.ts'
import { entriesOf, evidenceOf, keepingIn } from '../../../support/interchange/kept-evidence.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-limits-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const LOG = join(SAMPLES, 'inspect', '2025-05-12T20-27-36-04-00_browser.json')
const importWith = (limits: { readonly maxPartBytes?: number; readonly maxBytes?: number }) =>
  importFile(LOG, { evidence: { ...keepingIn(folder, { hasOriginal: true }).evidence!, ...limits } })

it('an original that is larger than a part of the store is left out, and the run is imported', async () => {
  const whole = await importWith({})
  const original = entriesOf(evidenceOf(whole[0])).find(({ role }) => role === 'original')!
  const results = await importWith({ maxPartBytes: original.bytes - 1 })
  expect(entriesOf(evidenceOf(results[0])).map(({ role }) => role)).not.toContain('original')
  expect(lossesOf(results)).toContainEqual(
    expect.objectContaining({ kind: 'left_out', path: '(the source file)' }) as object,
  )
})

it('transcripts for which there is no room are left out, and no file of them stays', async () => {
  const results = await importWith({ maxBytes: 1000 })
  const evidence = evidenceOf(results[0])
  expect(entriesOf(evidence).map(({ role }) => role)).toEqual(['original'])
  expect(readdirSync(evidence.folder)).toEqual([evidence.manifest])
  expect(lossesOf(results).map(({ note }) => note)).toContain(
    'its events cannot be read: a transcript has room for 1000 bytes here',
  )
})
