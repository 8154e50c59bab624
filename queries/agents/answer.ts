import { isDeeperThan } from '../../domain/cache/json-bounds.ts'
import { cutTexts, DEFAULT_MAX_CHARS, type Cut } from '../../domain/agent-text/cut.ts'
import { agentText, fence, WARNING } from '../../domain/agent-text/fence.ts'
import { sanitize } from '../../domain/agent-text/sanitize.ts'
import { BadParameter } from '../bad-parameter.ts'
import { argumentsText, plainArguments } from './arguments.ts'
import { tooLarge } from './refusals.ts'
import { findTool } from './tools.ts'
import { ToolError, type Page, type ToolContext, type ToolResult } from './tool.ts'

/** Maximum size of a result as JSON, in bytes of UTF-8. */
export const MAX_RESULT_BYTES = 64 * 1024

/** A call of a tool. `public_url` is the address of the web app for links, or null. */
export type ToolCall = { readonly name: string; readonly given: object; readonly public_url: string | null }

/**
 * Calls a tool. Returns its result, as the Model Context Protocol defines it, as JSON text. If the tool cannot answer,
 * the result says so; any other error is thrown.
 */
export const answerToolCall = async (context: ToolContext, { name, given, public_url }: ToolCall): Promise<string> => {
  const { arguments: schema, narrowing, run } = findTool(name)
  const parsed = schema.safeParse(plainArguments(given, schema.shape))
  if (!parsed.success) return errorResult(argumentsText(parsed.error, Object.keys(schema.shape)))
  try {
    return resultText(await run(context, parsed.data), public_url, narrowing)
  } catch (error) {
    if (error instanceof ToolError || error instanceof BadParameter) return errorResult(error.message)
    throw error
  }
}

/** The result of a tool that could not answer. */
export const errorResult = (message: string): string => {
  const error = agentText(message)
  return JSON.stringify({ content: [{ type: 'text', text: error }], structuredContent: { error }, isError: true })
}

/** The result as JSON text. One that is too large is shortened if the tool can do that, else refused. */
const resultText = (result: ToolResult, public_url: string | null, narrowing: readonly string[]): string => {
  let text = sizedText(result, [], public_url)
  for (let attempt = 1; text === null; attempt++) {
    const less = result.shorter?.(attempt)
    if (!less) return errorResult(tooLarge(narrowing))
    text = sizedText({ ...result, data: less.data }, less.cuts, public_url)
  }
  return text
}

/** The result as JSON text; null if it is too large. `leftOut` is what the tool itself left out. */
const sizedText = (
  { data, text, subject, max_chars = DEFAULT_MAX_CHARS, page }: ToolResult,
  leftOut: readonly Cut[],
  public_url: string | null,
): string | null => {
  const safe = cutTexts(data, max_chars, MAX_RESULT_BYTES)
  if (!safe) return null
  const cuts = [...leftOut, ...safe.cuts]
  const structured = {
    // Safe: `data` is an object.
    ...(safe.value as Record<string, unknown>),
    ...(cuts.length > 0 ? { _truncated: cuts } : {}),
    ...(subject === null ? {} : { _warning: WARNING }),
  }
  const json = JSON.stringify(structured)
  if (Buffer.byteLength(json) > MAX_RESULT_BYTES) return null
  const shown = text ? text(structured) : indented(structured, json)
  const block = { type: 'text', text: subject === null ? shown : fence(shown, sanitize(subject)) }
  const content = JSON.stringify([block, ...(page && public_url !== null ? [linkTo(page, public_url)] : [])])
  const result = `{"content":${content},"structuredContent":${json},"isError":false}`
  return Buffer.byteLength(result) > MAX_RESULT_BYTES ? null : result
}

/** Deeper than this, indentation could be many times the size of the JSON. */
const MAX_INDENTED_DEPTH = 16

/** A result as indented JSON. `json` is the same without indentation. */
const indented = (structured: object, json: string): string =>
  isDeeperThan(Buffer.from(json), MAX_INDENTED_DEPTH) ? json : JSON.stringify(structured, null, 2)

/** A link to a page of the web app. */
const linkTo = ({ path, name }: Page, public_url: string) => ({
  type: 'resource_link',
  uri: `${public_url}${path}`,
  name,
  mimeType: 'text/html',
})
