import { Ajv, type Options, type ValidateFunction } from 'ajv'
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { LRUCache } from 'lru-cache'
import { messageOf } from '../../domain/plain/message-of.ts'
import type { Json } from '../json.ts'
import { compileSchemaRegex } from '../text/regex.ts'

/** What is wrong with a value: where (a JSON pointer; empty: the whole value), and what. */
export type SchemaError = { readonly path: string; readonly message: string }

/** A schema that cannot be applied. The message says why. */
export class InvalidSchema extends Error {
  override readonly name = 'InvalidSchema'
}

// A suite with more schemas than this compiles some of them again.
const CACHED_SCHEMAS = 1000

const byText = new LRUCache<string, ValidateFunction>({ max: CACHED_SCHEMAS })
const byObject = new WeakMap<object, ValidateFunction>()

/**
 * Returns what a value violates in a JSON Schema, in the order of the check; empty: it matches. The draft is that of
 * `$schema` (2020-12 without it, 2019-09, draft-07 or draft-06). `format` is an annotation. Throws `InvalidSchema` for a schema
 * that does not compile; a `$ref` outside of the schema is never fetched, so it does not.
 */
export const schemaErrors = (schema: Json, value: Json): readonly SchemaError[] => {
  const validate = compiled(schema)
  // Numbers that no double holds are plain numbers here.
  if (validate(JSON.parse(JSON.stringify(value)))) return []
  return (validate.errors ?? []).map(({ instancePath, message, keyword, params }) => ({
    path: instancePath,
    message: described(message ?? `violates \`${keyword}\``, keyword, params),
  }))
}

/** Names the values that the messages of `enum`, `const` and `additionalProperties` leave out. */
const described = (message: string, keyword: string, params: Readonly<Record<string, unknown>>): string => {
  if (keyword === 'enum') return `${message}: ${JSON.stringify(params['allowedValues'])}`
  if (keyword === 'const') return `${message}: ${JSON.stringify(params['allowedValue'])}`
  if (keyword === 'additionalProperties') return `${message}: \`${String(params['additionalProperty'])}\``
  return message
}

const compiled = (schema: Json): ValidateFunction => {
  const known = typeof schema === 'object' && schema !== null ? byObject.get(schema) : undefined
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  let validate = byText.get(text)
  if (validate === undefined) {
    validate = compile(JSON.parse(text) as object | boolean)
    byText.set(text, validate)
  }
  if (typeof schema === 'object' && schema !== null) byObject.set(schema, validate)
  return validate
}

const compile = (schema: object | boolean): ValidateFunction => {
  const ajv = validatorOf(schema)
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new InvalidSchema(messageOf(error), { cause: error })
  } finally {
    // Two schemas may have the same `$id`.
    ajv.removeSchema()
  }
}

/** Patterns take linear time. JavaScript syntax that RE2 spells differently, such as `\u0041`, is translated. */
const linearRegex = Object.assign(
  (pattern: string) => {
    const regex = compileSchemaRegex(pattern)
    // The validator distinguishes patterns by their text.
    return { test: (text: string) => regex.test(text), toString: () => `/${pattern}/` }
  },
  { code: 'linearRegex' },
)

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  code: { regExp: linearRegex },
}

const DRAFTS = [
  { uri: 'https://json-schema.org/draft/2020-12/schema', create: () => new Ajv2020(OPTIONS) },
  { uri: 'https://json-schema.org/draft/2019-09/schema', create: () => new Ajv2019(OPTIONS) },
  { uri: 'http://json-schema.org/draft-07/schema', create: () => new Ajv(OPTIONS) },
  { uri: 'http://json-schema.org/draft-06/schema', create: () => new Ajv(OPTIONS).addMetaSchema(draft06) },
] as const

const validators = new Map<string, Ajv | Ajv2019 | Ajv2020>()

const validatorOf = (schema: unknown): Ajv | Ajv2019 | Ajv2020 => {
  const named = typeof schema === 'object' && schema !== null && '$schema' in schema ? schema.$schema : DRAFTS[0].uri
  const uri = String(named).replace(/#$/, '')
  const draft = DRAFTS.find((candidate) => candidate.uri === uri)
  if (draft === undefined)
    throw new InvalidSchema(
      `the draft \`${String(named)}\` is not supported; accepted: ${DRAFTS.map((candidate) => candidate.uri).join(', ')}`,
    )
  const validator = validators.get(uri) ?? draft.create()
  validators.set(uri, validator)
  return validator
}
