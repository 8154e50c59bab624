/** A template that does not compile, or that uses what is not defined. `line` counts from 1. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly line: number | undefined

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(message, options)
    this.line = line
  }
}
