import { stringify } from 'yaml'
import type { JsonObject } from '../json.ts'
import { SCHEMA_HINT, SCHEMA_MAKING } from './schema-hint.ts'

/**
 * Writes a suite as YAML for a person to go on with: the schema hint for editors, how to
 * make the schema, what `from` says it was made of, one
 * `# NOTE: …` line for each note, then the suite.
 */
export const suiteText = (suite: JsonObject, from: string, notes: readonly string[]): string => {
  const comments = [`Converted from ${from}.`, ...notes.map((note) => `NOTE: ${note}`)]
  // A note quotes the source: a line break in it must not end the comment.
  const lines = comments.map((comment) => `# ${comment.replace(/[\r\n\u0085\u2028\u2029]/g, ' ')}\n`)
  return `${SCHEMA_HINT}${SCHEMA_MAKING}${lines.join('')}\n${stringify(suite, { lineWidth: 0, aliasDuplicateObjects: false })}`
}
