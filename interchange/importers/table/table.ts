import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import { sha256, sha256OfStream } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { columnNames, csvRecords } from '../../read/rows/csv.ts'
import type { Look } from '../../read/look.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { checkColumns, isLong } from './cases.ts'
import { groupRows } from './groups.ts'
import { headCollector } from './head.ts'
import { parseMap, type TableMap } from './map.ts'
import { presetFor, presetsNamed } from './presets.ts'
import { tableRows } from './rows.ts'
import { sampleOf } from './sample.ts'
import { tableCases, single } from './table-cases.ts'

const detect = (look: Look, isNamed: boolean): Claim | null => {
  const sample = sampleOf(look)
  const preset = sample && presetFor(sample)
  if (preset) return { reason: `the columns of preset:${preset.name}` }
  if (
    !isNamed ||
    look.kind === 'zip' ||
    look.kind === 'parquet' ||
    look.kind === 'sqlite' ||
    look.kind === 'xml' ||
    look.kind === 'empty'
  )
    return null
  return { reason: 'a table' }
}

/** The map for a table: that of the option, a preset of its name, or the preset that its columns fit. */
const mapFor = (look: Look, map: string | undefined): { readonly map: TableMap; readonly isPreset: boolean } => {
  const among = map === undefined ? undefined : (presetsNamed(map) ?? null)
  if (map !== undefined && among === null) return { map: parseMap(map), isPreset: false }
  const sample = sampleOf(look)
  const preset = sample && presetFor(sample, among ?? undefined)
  if (preset) return { map: preset.map, isPreset: true }
  throw new SourceRefused(
    map === undefined
      ? 'a table whose columns no preset knows: give a map with --map, or see with --dry-run which one would be guessed'
      : `the columns are not those of ${map}`,
  )
}

const open: Importer['open'] = async function* ({ file, look }, options): AsyncGenerator<SourceRun> {
  const { map, isPreset } = mapFor(look, options.map)
  if (!isPreset) await checkHeader(file, map)
  const content = await sha256OfStream(file.bytes())
  // Another map gives other cases of the same file.
  const stamp = sha256(`${content}\0${canonicalJson(map)}`)
  if (isLong(map) || map.run?.id !== undefined || (map.run?.by ?? []).length > 0) {
    yield* groupRows(file, map, stamp, content, options)
    return
  }
  let head = headCollector(map, options, newLosses())
  yield {
    identity: content,
    stamp,
    cases: (losses) => {
      head = headCollector(map, options, losses)
      return tableCases(map, single(tableRows(file, map, losses)), losses, head.add)
    },
    head: () => head.head(file),
  }
}

/** A CSV file has its columns in the first line, so that a name that is not there can be refused at once. */
const checkHeader = async (file: SourceFile, map: TableMap): Promise<void> => {
  if (map.format !== 'csv' && map.format !== 'tsv') return
  const delimiter = map.delimiter ?? (map.format === 'tsv' ? '\t' : ',')
  for await (const batch of csvRecords(file.bytes(), { delimiter }))
    for (const record of batch) if ('fields' in record) return checkColumns(map, columnNames(record.fields))
}

/** Reads tables: CSV, TSV, JSON lines and JSON, by a map of the user or a preset. */
export const table: Importer = {
  format: 'table',
  converter: 1,
  reads: 'a table as CSV, TSV, JSON or JSON lines, with --map or with the columns of a preset',
  detect,
  open,
}
