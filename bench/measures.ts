import { access } from './measures/access.ts'
import { cache } from './measures/cache.ts'
import { cacheMillion } from './measures/cache-million.ts'
import { exportLargeDocument } from './measures/export.ts'
import { filters } from './measures/filters.ts'
import { ingest } from './measures/ingest.ts'
import { lists } from './measures/lists.ts'
import { matrix } from './measures/matrix.ts'
import { million } from './measures/million.ts'
import { overview } from './measures/overview.ts'
import { postgres } from './measures/postgres.ts'
import { prune } from './measures/prune.ts'
import { uncached } from './measures/uncached.ts'

export type Print = (line: string) => void
export type Measure = (print: Print) => Promise<void>

/** All measures by name, quick ones first. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  uncached,
  overview,
  ingest,
  lists,
  access,
  cache,
  matrix,
  export: exportLargeDocument,
  filters,
  postgres,
  prune,
  'cache-million': cacheMillion,
  million,
}
