import { filters } from './library/filters.ts'
import { tests } from './library/tests.ts'
import type { Expression, Statement } from './syntax/ast.ts'
import { parseExpression, parseTemplate } from './syntax/parser.ts'
import { TemplateError } from './template-error.ts'

type Fault = { readonly message: string; readonly line: number | undefined }

/** Why a template can never be rendered: its syntax, or a filter or test that does not exist. Null: it compiles. */
export const templateFault = (template: string): string | null =>
  template.includes('{') ? parseFault(() => parseTemplate(template)) : null

/** Why an expression can never be evaluated. Null: it compiles. */
export const expressionFault = (expression: string): string | null => parseFault(() => parseExpression(expression))

const parseFault = (parse: () => Expression | readonly Statement[]): string | null => {
  const fault = firstFault(parse)
  if (fault === null) return null
  return fault.line === undefined ? fault.message : `${fault.message} (line ${fault.line})`
}

const firstFault = (parse: () => Expression | readonly Statement[]): Fault | null => {
  try {
    return unknownName(parse())
  } catch (error) {
    if (error instanceof TemplateError) return error
    // Each level of the template is a level of the stack.
    if (error instanceof RangeError) return { message: 'the template is nested too deeply', line: undefined }
    throw error
  }
}

/** The first filter or test in a part of a syntax tree that does not exist. */
const unknownName = (part: unknown): Fault | null => {
  if (typeof part !== 'object' || part === null) return null
  const node = part as { readonly kind?: unknown; readonly name?: unknown; readonly line?: unknown }
  // The value of a constant is no syntax.
  if (node.kind === 'constant' || node.kind === 'text') return null
  const known = node.kind === 'filter' ? filters : node.kind === 'test' ? tests : null
  if (known !== null && typeof node.name === 'string' && !known.has(node.name))
    return {
      message: `unknown ${String(node.kind)} \`${node.name}\``,
      line: typeof node.line === 'number' ? node.line : undefined,
    }
  for (const inner of Object.values(node)) {
    const fault = unknownName(inner)
    if (fault !== null) return fault
  }
  return null
}
