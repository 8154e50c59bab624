import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeJson } from '../interchange/promptfoo-sources.ts'
import { importWhole } from '../interchange/whole-import.ts'
import type { Soak } from './soak.ts'

const SOURCE_MIB = 2_048
/** A run of 45 MiB is in memory in several forms: as text, as the parsed document, and compressed. */
const MAX_IMPORT_MIB = 600

/** Converts a source of 2 GiB: memory must not grow with it. */
export const importMemory: Soak = async ({ print, expect }) => {
  const folder = mkdtempSync(join(tmpdir(), 'soak-import-'))
  try {
    const path = join(folder, 'results.json')
    const cases = await writeJson(path, SOURCE_MIB * 1024 * 1024, 400_000)
    print(`source: ${SOURCE_MIB} MiB, ${cases} cases`)
    const { imported, seconds, peakMiB } = await importWhole(path, '--data-dir', join(folder, 'state'))
    expect(imported === 1, `imported ${imported} run in ${seconds.toFixed(1)} s`)
    expect(peakMiB <= MAX_IMPORT_MIB, `peak resident memory ${peakMiB.toFixed(0)} MiB, limit ${MAX_IMPORT_MIB} MiB`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
