import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Templates } from './templates.ts'

/**
 * Renders every string of a value, at any depth. A rendered string stays a string; keys and other values are left
 * alone. Throws `TemplateError`.
 */
export const renderLeaves = (value: Json, templates: Templates, context: JsonObject): Json => {
  if (typeof value === 'string') return templates.render(value, context)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  if (isList(value)) return value.map((item) => renderLeaves(item, templates, context))
  const members: JsonObject = value
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => [key, renderLeaves(member, templates, context)]),
  )
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
