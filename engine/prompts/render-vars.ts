import { isMapping } from '../suite/values.ts'
import type { Json, JsonObject } from '../json.ts'
import { renderLeaves } from '../templates/render-leaves.ts'
import type { Templates } from '../templates/templates.ts'

/**
 * Renders the vars of a test. Only `env` is in scope: vars cannot use each other. A var that is `{$raw: x}`, and nothing
 * else, is x as it is. Throws `TemplateError`.
 */
export const renderVars = (templates: Templates, vars: JsonObject, env: JsonObject): JsonObject => {
  const context = { env }
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      const raw = rawValue(value)
      return [name, raw === undefined ? renderLeaves(value, templates, context) : raw]
    }),
  )
}

const rawValue = (value: Json): Json | undefined => {
  if (!isMapping(value) || !('$raw' in value)) return undefined
  return Object.keys(value).length === 1 ? value['$raw'] : undefined
}

/** The names in scope of prompts and assertions: all vars, and `env`, which hides a var of that name. */
export const renderContext = (vars: JsonObject, env: JsonObject): JsonObject => ({ ...vars, env })
