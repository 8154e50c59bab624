import { LRUCache } from 'lru-cache'
import type { Json, JsonObject } from '../json.ts'
import { evaluate } from './evaluation/expressions.ts'
import { filters } from './library/filters.ts'
import { functions } from './library/functions.ts'
import { toJson } from './values/json-text.ts'
import { parseExpression, parseTemplate } from './syntax/parser.ts'
import { Runtime, type Library } from './evaluation/runtime.ts'
import { contextScope } from './evaluation/scope.ts'
import { execute } from './evaluation/statements.ts'
import { TemplateError } from './template-error.ts'
import { tests } from './library/tests.ts'
import type { Value } from './values/value.ts'

export { TemplateError } from './template-error.ts'

/**
 * Renders texts and evaluates expressions of the template language. `context` holds the names
 * in scope; JSON values as they are. Both throw `TemplateError`. Compiled texts are cached.
 */
export type Templates = {
  /** Returns the rendered text, without one final line end. */
  readonly render: (template: string, context: JsonObject) => string
  /** Returns the value of an expression; `undefined` where the result itself is undefined. */
  readonly evaluate: (expression: string, context: JsonObject) => Json | undefined
}

export type TemplateOptions = {
  /** The wall clock, in milliseconds since 1970. `now()` reads it unless `SERVICE_NOW` is set. */
  readonly now: () => number
  /** Only `SERVICE_NOW` is read: an RFC 3339 instant at which `now()` stands still. */
  readonly env: Readonly<Record<string, string | undefined>>
}

// A suite with more templates than this compiles some of them again.
const CACHED_TEMPLATES = 5000

/** Creates the templates of a run. */
export const createTemplates = ({ now, env }: TemplateOptions): Templates => {
  const library: Library = { filters, tests, functions, now, serviceNow: env['SERVICE_NOW'] }
  const compiledTemplate = cached(parseTemplate)
  const compiledExpression = cached(parseExpression)
  const scopeOf = (context: JsonObject, runtime: Runtime) =>
    contextScope(context, (name) => functionValue(name, runtime))

  return {
    render: (template, context) => {
      if (!template.includes('{')) return withoutLineEnd(template)
      const runtime = new Runtime(library)
      return withLine(runtime, () =>
        withoutLineEnd(execute(compiledTemplate(template), scopeOf(context, runtime), runtime)),
      )
    },
    evaluate: (expression, context) => {
      const runtime = new Runtime(library)
      return withLine(runtime, () =>
        toJson(evaluate(compiledExpression(expression), scopeOf(context, runtime), runtime)),
      )
    },
  }
}

const functionValue = (name: string, runtime: Runtime): Value => {
  const implementation = functions.get(name)
  if (implementation === undefined) return undefined
  return { label: `function ${name}`, call: (args) => implementation(args, runtime) }
}

/** Removes one `\n` or `\r\n` from the end. */
const withoutLineEnd = (text: string): string =>
  text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text

const cached = <T extends object>(compile: (source: string) => T): ((source: string) => T) => {
  const compiled = new LRUCache<string, T>({ max: CACHED_TEMPLATES })
  return (source) => {
    const known = compiled.get(source)
    if (known !== undefined) return known
    const result = compile(source)
    compiled.set(source, result)
    return result
  }
}

/** Adds the line to an error that has none. */
const withLine = <T>(runtime: Runtime, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    // Limits stop deep recursion before the stack is exhausted, unless the caller has used up most of it.
    if (error instanceof RangeError) throw numbered('the template is nested too deeply', runtime.line, error)
    if (!(error instanceof TemplateError)) throw error
    throw numbered(error.message, error.line ?? runtime.line, error)
  }
}

const numbered = (message: string, line: number, cause: Error) =>
  new TemplateError(`${message} (line ${line})`, line, { cause })
