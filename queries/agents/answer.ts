import { cutTexts, DEFAULT_MAX_CHARS } from '../../domain/agent-text/cut.ts'
import { fence, WARNING } from '../../domain/agent-text/fence.ts'
import { sanitize } from '../../domain/agent-text/sanitize.ts'
import { argumentsText } from './arguments.ts'
import { TOO_LARGE } from './refusals.ts'
import { findTool } from './tools.ts'
import { ToolError } from './tool.ts'
import type { Page, ToolContext, ToolResult } from './tool.ts'

/** Maximum size of a result as JSON, in bytes of UTF-8. */
const MAX_RESULT_BYTES = 64 * 1024

/** A call of a tool. `public_url` is the address of the web app for links, or null. */
export type ToolCall = { readonly name: string; readonly given: unknown; readonly public_url: string | null }

/**
 * Calls a tool. Returns its result, as the Model Context Protocol defines it, as JSON text. If the tool cannot answer,
 * the result says so; any other error is thrown.
 */
export const answerToolCall = async (context: ToolContext, { name, given, public_url }: ToolCall): Promise<string> => {
  const { arguments: schema, run } = findTool(name)
  const parsed = schema.safeParse(given)
  if (!parsed.success) return errorResult(argumentsText(parsed.error, Object.keys(schema.shape)))
  try {
    return resultText(await run(context, parsed.data), public_url)
  } catch (error) {
    if (error instanceof ToolError) return errorResult(error.message)
    throw error
  }
}

/** The result of a tool that could not answer. */
export const errorResult = (message: string): string => {
  const error = sanitize(message)
  return JSON.stringify({ content: [{ type: 'text', text: error }], structuredContent: { error }, isError: true })
}

const resultText = (
  { data, text, subject, max_chars = DEFAULT_MAX_CHARS, page }: ToolResult,
  public_url: string | null,
): string => {
  const { value, cuts } = cutTexts(data, max_chars)
  const structured = {
    // Safe: `data` is an object.
    ...(value as Record<string, unknown>),
    ...(cuts.length > 0 ? { _truncated: cuts } : {}),
    ...(subject === undefined ? {} : { _warning: WARNING }),
  }
  const json = JSON.stringify(structured)
  if (Buffer.byteLength(json) > MAX_RESULT_BYTES) return errorResult(TOO_LARGE)
  const shown = text ? text(structured) : JSON.stringify(structured, null, 2)
  const block = { type: 'text', text: subject === undefined ? shown : fence(shown, sanitize(subject)) }
  const content = JSON.stringify([block, ...(page && public_url !== null ? [linkTo(page, public_url)] : [])])
  const result = `{"content":${content},"structuredContent":${json},"isError":false}`
  return Buffer.byteLength(result) > MAX_RESULT_BYTES ? errorResult(TOO_LARGE) : result
}

/** A link to a page of the web app. */
const linkTo = ({ path, name }: Page, public_url: string) => ({
  type: 'resource_link',
  uri: `${public_url}${path}`,
  name: sanitize(name),
  mimeType: 'text/html',
})
