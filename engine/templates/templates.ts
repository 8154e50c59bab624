import type { Json, JsonObject } from '../json.ts'

/**
 * Renders texts and evaluates expressions of the template language (engine reference 1.16). `context` holds the names
 * in scope; JSON values as they are. Both throw `TemplateError`. Compiled texts are cached.
 */
export type Templates = {
  /** Returns the rendered text, without one final line end. */
  readonly render: (template: string, context: JsonObject) => string
  /** Returns the value of an expression; `undefined` where the result itself is undefined. */
  readonly evaluate: (expression: string, context: JsonObject) => Json | undefined
}

/** A template that does not compile, or that uses what is not defined. `line` counts from 1. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly line: number | undefined

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(message, options)
    this.line = line
  }
}
