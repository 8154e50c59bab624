import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDatabase } from '../../interchange/promptfoo-sources.ts'
import { importWhole } from '../../interchange/whole-import.ts'
import type { Soak } from '../soak.ts'

/** About 2 GiB. */
const EVALUATIONS = 250
const CASES_EACH = 2_000
const MAX_IMPORT_MIB = 400

/** Imports a database of 2 GiB: memory must be that of a few runs, however many there are. */
export const importMemory: Soak = async ({ expect }) => {
  const folder = mkdtempSync(join(tmpdir(), 'soak-import-'))
  try {
    const path = join(folder, 'promptfoo.db')
    writeDatabase(path, EVALUATIONS, CASES_EACH, 500)
    const { imported, seconds, peakMiB } = await importWhole(path, '--data-dir', join(folder, 'state'))
    expect(imported === EVALUATIONS, `imported ${imported} of ${EVALUATIONS} runs in ${seconds.toFixed(1)} s`)
    expect(peakMiB <= MAX_IMPORT_MIB, `peak resident memory ${peakMiB.toFixed(0)} MiB, limit ${MAX_IMPORT_MIB} MiB`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
