import type { Look } from '../../read/look.ts'
import { isObject } from '../../read/row.ts'
import type { Claim, Importer } from '../importer.ts'
import { jsonFile } from './json-file.ts'
import { linesFile } from './lines-file.ts'

const EXPORT_JSON = 'has no assertions: export JSON (promptfoo export eval <id> -o results.json)'

const detect = (look: Look): Claim | null => {
  switch (look.kind) {
    case 'json':
      return jsonClaim(look)
    case 'lines':
      return look.lines.every(isRow) ? { reason: 'lines with gradingResult and promptIdx' } : null
    case 'sqlite':
      return databaseClaim(look)
    case 'text':
      return textClaim(look)
    case 'xml':
      return xmlClaim(look)
    case 'zip':
    case 'parquet':
    case 'protobuf':
    case 'empty':
      return null
  }
}

const jsonClaim = ({ head, keys }: Look): Claim | null => {
  if (!isObject(head)) return null
  const { results, version } = head
  if (isObject(results)) {
    if (Array.isArray(results['results'])) return { reason: 'results.results' }
    // Long prompts may come first.
    if (typeof results['version'] === 'number' && Array.isArray(results['prompts']))
      return { reason: 'results.version and results.prompts' }
    return null
  }
  if (typeof version === 'number' && Array.isArray(results))
    return version === 1 || keys.has('stats') || keys.has('prompts')
      ? { reason: `version ${version} with results` }
      : null
  return isRow(head) ? { reason: 'gradingResult and promptIdx' } : null
}

/** A failed call has no grading, but the key. */
const isRow = (row: Record<string, unknown>): boolean =>
  Object.hasOwn(row, 'promptIdx') && Object.hasOwn(row, 'testIdx') && Object.hasOwn(row, 'gradingResult')

const databaseClaim = ({ tables }: Look): Claim | null => {
  const evals = tables.get('evals') ?? []
  const isOfPromptfoo = ['results', 'config', 'description'].every((column) => evals.includes(column))
  return isOfPromptfoo ? { reason: `table evals${tables.has('eval_results') ? ', eval_results' : ''}` } : null
}

const textClaim = ({ text }: Look): Claim | null => {
  if (/^evalId:/m.test(text) && /^results: *\r?$/m.test(text)) return { reason: 'evalId and results, as YAML' }
  if (/^results: *\r?$/m.test(text) && /^ {2}(version: \d|results: *\r?$)/m.test(text))
    return { reason: 'results.version, as YAML' }
  const isCsv = /,Status,Score,Named Scores,/.test(text) || /"\[(PASS|FAIL|ERROR)\]/.test(text) || isOldCsv(text)
  return isCsv ? { reason: 'a table of outputs', refused: `a CSV of promptfoo ${EXPORT_JSON}` } : null
}

/** Old versions wrote the prompts as JSON in the names of the columns. */
const isOldCsv = (text: string): boolean => /^"\{""raw"":/.test(text) && text.includes('""display"":')

const xmlClaim = ({ root, text }: Look): Claim | null => {
  if (root === 'promptfoo') return { reason: 'XML', refused: `XML of promptfoo ${EXPORT_JSON}` }
  const isPage = root?.toLowerCase() === 'html' && /promptfoo/i.test(text)
  return isPage ? { reason: 'HTML', refused: `a page of promptfoo ${EXPORT_JSON}` } : null
}

const open: Importer['open'] = async function* (source, { evidence }) {
  const hasEvidence = evidence !== undefined
  const { kind, head } = source.look
  if (kind === 'sqlite') yield* (await import('./database.ts')).databaseFile(source, hasEvidence)
  else if (kind === 'lines' || (kind === 'json' && isObject(head) && isRow(head))) yield* linesFile(source, hasEvidence)
  else if (kind === 'json') yield* jsonFile(source, hasEvidence)
  else yield* (await import('./yaml-file.ts')).yamlFile(source, hasEvidence)
}

/** Reads evaluations of promptfoo: its JSON output, versions 1 to 4, its JSON lines, its YAML and its database. */
export const promptfoo: Importer = {
  format: 'promptfoo',
  converter: 3,
  hasTranscripts: true,
  reads: 'an evaluation of promptfoo, as JSON, JSON lines, YAML or its database',
  detect,
  open,
}
