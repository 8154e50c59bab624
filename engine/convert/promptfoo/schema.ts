import { Ajv } from 'ajv'
import { messageOf } from '../../../domain/plain/message-of.ts'
import { InvalidSchema, schemaErrors } from '../../assertions/schema.ts'
import type { Json, JsonObject } from '../../json.ts'
import { asList, asMapping, filePath, isProgram, type Place } from './notes.ts'
import { parseData } from './yaml.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/**
 * The JSON Schema of an assertion: a mapping, a text in YAML or JSON, or the reference to a file. Notes how it is applied
 * differently from promptfoo, which checks `format` and refuses what draft-07 does not know. Null: it is no schema.
 */
export const convertSchema = (value: Json, at: Place): JsonObject | null => {
  const path = filePath(value)
  if (path === null) {
    const schema = typeof value === 'string' ? asMapping(parseData(value) ?? undefined) : asMapping(value)
    return schema === null ? null : withDraft(schema, at)
  }
  if (isProgram(path)) {
    at.notes.add(at.place, `\`${path}\` is a program: its text is used, not its result`)
    return { $file: path }
  }
  const text = at.read(path)
  const schema = text === null ? null : asMapping(parseData(text) ?? undefined)
  if (schema === null)
    at.notes.add(at.place, `the schema in \`${path}\` could not be read: \`format\` in it is not checked here`)
  else if (withDraft(schema, at) !== schema)
    at.notes.add(at.place, `the schema in \`${path}\` is one of draft-07: add \`"$schema": "${DRAFT_07}"\` to it`)
  return { $file: path }
}

/** The schema, with the draft of promptfoo where only that draft accepts it. */
const withDraft = (schema: JsonObject, { place, notes }: Place): JsonObject => {
  const formats = formatsIn(schema)
  if (formats.length > 0)
    notes.add(place, `\`format\` (${formats.join(', ')}) is checked in promptfoo, but not here: write a \`pattern\``)
  const refusedThere = faultThere(schema)
  if (refusedThere !== null)
    notes.add(place, `the schema is an error in promptfoo (${refusedThere}), and is applied by its own draft here`)
  const fault = faultHere(schema)
  if (fault === null) return schema
  const older = { $schema: DRAFT_07, ...schema }
  if (refusedThere === null && faultHere(older) === null) return older
  notes.add(place, `the schema cannot be applied here, so the assertion is an error: ${fault}`)
  return schema
}

const faultHere = (schema: JsonObject): string | null => {
  try {
    schemaErrors(schema, null)
    return null
  } catch (error) {
    if (error instanceof InvalidSchema) return error.message
    throw error
  }
}

/** Why a strict validator of draft-07 refuses a schema; null: it accepts it. */
const faultThere = (schema: JsonObject): string | null => {
  try {
    new Ajv({ strict: false, strictSchema: true, validateFormats: false, logger: false }).compile(schema)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

/** The formats that a schema names, each once. A property may be named `format` too: its schema is no text. */
const formatsIn = (schema: Json): readonly string[] => {
  const found = new Set<string>()
  const visit = (value: Json): void => {
    const members = asMapping(value)
    if (members !== null && typeof members['format'] === 'string') found.add(members['format'])
    for (const member of asList(value) ?? Object.values(members ?? {})) visit(member)
  }
  visit(schema)
  return [...found]
}
