import type { Measure } from '../measures.ts'
import { readBadges } from './badges.ts'
import { csvTable } from './csv.ts'
import { measureExports } from './exports.ts'
import { importEndToEnd } from './import.ts'
import { inspectFiles } from './inspect-files.ts'
import { junitReport } from './junit.ts'
import { importPromptfoo } from './promptfoo.ts'

/** The measures of `npm run bench -- interchange`, by name. No answer is cached, but for one row of `badges`, which says so. */
export const INTERCHANGE_MEASURES: Readonly<Record<string, Measure>> = {
  promptfoo: importPromptfoo,
  'inspect-files': inspectFiles,
  junit: junitReport,
  csv: csvTable,
  import: importEndToEnd,
  exports: measureExports,
  badges: readBadges,
}
