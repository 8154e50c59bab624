import type { ExportFormat } from '../../domain/report/export-formats.ts'
import type { AnyExporter } from '../../domain/report/exporter.ts'
import { csv } from './csv.ts'
import { ctrf } from './ctrf.ts'
import { everyEvalEver } from './every-eval-ever.ts'
import { jsonl } from './jsonl.ts'
import { junit } from './junit.ts'
import { parquet } from './parquet.ts'

/** The exporter of each format. */
export const EXPORTERS: Readonly<Record<ExportFormat, AnyExporter>> = {
  jsonl,
  csv,
  parquet,
  junit,
  ctrf,
  'every-eval-ever': everyEvalEver,
}
