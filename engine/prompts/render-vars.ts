import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Templates } from '../templates/templates.ts'

/** Whether a value is an object, not an array and not a number that is stored as text. */
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)

/**
 * Renders every text in a value. Keys and other values stay as they are. A rendered text is always a text. Throws
 * `TemplateError`.
 */
export const renderTexts = (templates: Templates, value: Json, context: JsonObject): Json => {
  if (typeof value === 'string') return templates.render(value, context)
  if (Array.isArray(value)) return value.map((item: Json) => renderTexts(templates, item, context))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, renderTexts(templates, member, context)]),
  )
}

/**
 * Renders the vars of a test. Only `env` is in scope: vars cannot use each other. A var that is `{$raw: x}`, and nothing
 * else, is x as it is. Throws `TemplateError`.
 */
export const renderVars = (templates: Templates, vars: JsonObject, env: JsonObject): JsonObject => {
  const context = { env }
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      const raw = rawValue(value)
      return [name, raw === undefined ? renderTexts(templates, value, context) : raw]
    }),
  )
}

const rawValue = (value: Json): Json | undefined => {
  if (!isObject(value) || !('$raw' in value)) return undefined
  return Object.keys(value).length === 1 ? value['$raw'] : undefined
}

/** The names in scope of prompts and assertions: all vars, and `env`, which hides a var of that name. */
export const renderContext = (vars: JsonObject, env: JsonObject): JsonObject => ({ ...vars, env })
