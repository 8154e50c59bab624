import { Buffer } from 'node:buffer'
import { outputText, type NormalCase } from '../run/document.ts'
import { hasWholeCases, type SharedParts } from './shared-parts.ts'

// What a file that is given away has of a case.

/** What the page shows in place of an output that is left out: a case without an output is something else. */
const LEFT_OUT = '[left out of this file]'

/** Whether the texts of assertions and of errors may be in the file: they quote outputs, and are often made from variables. */
export const hasAssertionTexts = ({ without }: SharedParts): boolean => !without.has('outputs') && !without.has('vars')

/**
 * The case without the parts that are left out, and without what repeats them: tool calls and reasoning are part of an
 * output; prompts and requests contain the variables; messages of assertions and errors quote both, as that of a JSON parser
 * does; the raw answer of a provider may contain all of them.
 * Outputs, reasoning and raw answers beyond the limit are cut, and say so; `onCut` is then called.
 */
export const sharedCase = (normal: NormalCase, parts: SharedParts, onCut: () => void = () => {}): NormalCase => {
  const { without, maxOutputBytes } = parts
  const { output, reasoning, tool_calls, raw, error, error_details, vars, prompt, request, asserts, ...rest } = normal
  const hasOutputs = !without.has('outputs')
  const hasPrompts = !without.has('prompts') && !without.has('vars')
  const cut = (value: unknown): unknown => {
    const kept = maxOutputBytes === null ? value : cutValue(value, maxOutputBytes)
    if (kept !== value) onCut()
    return kept
  }
  return withoutUndefined({
    ...rest,
    ...(hasOutputs
      ? { output: cut(output), reasoning: cut(reasoning), tool_calls }
      : output !== undefined && { output: LEFT_OUT }),
    ...(hasAssertionTexts(parts)
      ? { error, error_details: cut(error_details) }
      : error !== undefined && { error: LEFT_OUT }),
    ...(hasWholeCases(parts) && { raw: cut(raw) }),
    ...(!without.has('vars') && { vars }),
    ...(hasPrompts && { prompt, request }),
    asserts: hasAssertionTexts(parts)
      ? asserts
      : asserts.map(({ details: _details, criteria: _criteria, ...assertion }) => ({ ...assertion, reason: '' })),
  } as NormalCase)
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ) as T

/** A value as it is, or the beginning of its text with a line that says what is missing. */
const cutValue = (value: unknown, maxBytes: number): unknown => {
  const text = outputText(value)
  if (text === null) return value
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return value
  // A character that is cut in two is left out.
  const beginning = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
  return `${beginning}\n[cut: this file has the first ${Buffer.byteLength(beginning)} of ${bytes.length} bytes]`
}
