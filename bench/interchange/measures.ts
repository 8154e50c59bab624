import type { Measure } from '../measures.ts'
import { inspectFiles } from './inspect-files.ts'

/** The measures of `npm run bench -- interchange`, by name. */
export const INTERCHANGE_MEASURES: Readonly<Record<string, Measure>> = {
  'inspect-files': inspectFiles,
}
