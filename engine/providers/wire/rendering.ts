import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../../json.ts'
import type { Ports } from '../../ports.ts'
import type { Templates } from '../../templates/templates.ts'

/** A value rendered twice: as it is sent, and as it is recorded, with `${env:X}` for the value of a variable. */
export type Rendered<T> = { readonly sent: T; readonly shown: T }

/** The names in scope of a template. `sent` and `shown` differ in `env` alone. */
export type Scopes = Rendered<JsonObject>

/**
 * The two values of `env` in templates: the variables that are set, and a placeholder `${env:X}` for each. Computed once
 * for an environment.
 */
export const envScopes = (env: Ports['env']): Rendered<JsonObject> => {
  const known = SCOPES.get(env)
  if (known !== undefined) return known
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const scopes = {
    sent: Object.fromEntries(set),
    shown: Object.fromEntries(set.map(([name]) => [name, `\${env:${name}}`])),
  }
  SCOPES.set(env, scopes)
  return scopes
}

const SCOPES = new WeakMap<Ports['env'], Rendered<JsonObject>>()

/** Renders a text in both scopes; once if it does not mention `env`, in which alone they differ. Throws `TemplateError`. */
export const renderText = (templates: Templates, text: string, scopes: Scopes): Rendered<string> => {
  if (!hasTemplate(text)) return plain(templates, text)
  const sent = templates.render(text, scopes.sent)
  return { sent, shown: text.includes('env') ? templates.render(text, scopes.shown) : sent }
}

// A final line end is cut from every rendered text, so also from one without any expression.
const plain = (templates: Templates, text: string): Rendered<string> => {
  const rendered = text.endsWith('\n') ? templates.render(text, {}) : text
  return { sent: rendered, shown: rendered }
}

/** Renders all strings of a value, but not the names of members. Throws `TemplateError`. */
export const renderJson = (templates: Templates, value: Json, scopes: Scopes): Rendered<Json> => {
  if (typeof value === 'string') return renderText(templates, value, scopes)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return { sent: value, shown: value }
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => renderJson(templates, item, scopes))
    return { sent: items.map(({ sent }) => sent), shown: items.map(({ shown }) => shown) }
  }
  const members = Object.entries(value).map(([key, item]) => [key, renderJson(templates, item, scopes)] as const)
  return {
    sent: Object.fromEntries(members.map(([key, { sent }]) => [key, sent])),
    shown: Object.fromEntries(members.map(([key, { shown }]) => [key, shown])),
  }
}

const hasTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%') || text.includes('{#')

/** The names of variables that a text with templates mentions as `env.X` or `env["X"]`. */
export const variablesIn = (value: Json | undefined): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const [, dotted, quoted] of JSON.stringify(value ?? null).matchAll(
    /\benv\s*(?:\.\s*(\w+)|\[\s*(?:'|\\")([^'"\\]+))/g,
  )) {
    const name = dotted ?? quoted
    if (name !== undefined) names.add(name)
  }
  return names
}
