import type { JsonObject } from '../json.ts'
import type { RenderedPrompt } from '../providers/provider.ts'
import { isFileText } from '../suite/file-reference.ts'
import type { PromptSpec, TextBlock, ThinkingBlock, ToolCall, Turn } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import { renderLeaves } from '../templates/render-leaves.ts'

/** What rendering a prompt needs. */
export type Rendering = {
  readonly templates: Templates
  readonly context: JsonObject
  /** The text of a `file://` reference. Throws an error that names the file. */
  readonly readText: (reference: string) => Promise<string>
}

/** A conversation without a single turn. */
export class EmptyTranscript extends Error {
  override readonly name = 'EmptyTranscript'
}

/**
 * Renders the turns of a history: texts of contents and the texts in the arguments of tool calls are templates;
 * `thinking`, signatures, names and ids are literal. Every rendered turn has a content, the empty text if need be.
 * Throws `TemplateError`, and what `readText` throws.
 */
export const renderTurns = (turns: readonly Turn[], rendering: Rendering): Promise<readonly Turn[]> =>
  Promise.all(turns.map((turn) => renderTurn(turn, rendering)))

/**
 * Joins a prompt with the rendered history of a test. Null: the suite has no prompts, and the test no history. Throws
 * `TemplateError`, `EmptyTranscript`, and what `readText` throws.
 */
export const renderPrompt = async (
  prompt: PromptSpec | null,
  history: readonly Turn[],
  rendering: Rendering,
): Promise<RenderedPrompt | null> => {
  if (prompt === null) return history.length === 0 ? null : { messages: history }
  if ('template' in prompt) {
    const text = await renderText(prompt.template, rendering)
    return history.length === 0 ? { text } : { messages: [...history, { role: 'user', content: text }] }
  }
  const messages = await splice(prompt.messages, history, rendering)
  if (messages.length === 0)
    throw new EmptyTranscript('the transcript is empty: the prompt and the history have no turns')
  return { messages }
}

/** Puts the history in the place of its marker; without a marker after the leading `system` turns. */
const splice = async (
  messages: ReadonlyArray<Turn | 'history'>,
  history: readonly Turn[],
  rendering: Rendering,
): Promise<readonly Turn[]> => {
  const marker = messages.indexOf('history')
  const leading = messages.findIndex((turn) => turn === 'history' || turn.role !== 'system')
  const at = marker >= 0 ? marker : leading < 0 ? messages.length : leading
  const turns = (part: ReadonlyArray<Turn | 'history'>) => part.filter((turn) => turn !== 'history')
  const [before, after] = await Promise.all([
    renderTurns(turns(messages.slice(0, at)), rendering),
    renderTurns(turns(messages.slice(at)), rendering),
  ])
  return [...before, ...history, ...after]
}

const renderTurn = async (turn: Turn, rendering: Rendering): Promise<Turn> => ({
  role: turn.role,
  content:
    turn.content === undefined
      ? ''
      : typeof turn.content === 'string'
        ? await renderText(turn.content, rendering)
        : await Promise.all(turn.content.map((block) => renderBlock(block, rendering))),
  ...(turn.tool_calls && { tool_calls: turn.tool_calls.map((call) => renderCall(call, rendering)) }),
  ...(turn.tool_call_id !== undefined && { tool_call_id: turn.tool_call_id }),
})

const renderBlock = async (
  block: TextBlock | ThinkingBlock,
  rendering: Rendering,
): Promise<TextBlock | ThinkingBlock> =>
  block.type === 'thinking' ? block : { type: 'text', text: await renderText(block.text, rendering) }

/** Arguments that are null are sent, recorded and keyed as the empty mapping. */
const renderCall = (call: ToolCall, { templates, context }: Rendering): ToolCall => ({
  ...call,
  arguments: renderLeaves(call.arguments ?? {}, templates, context),
})

const renderText = async (text: string, { templates, context, readText }: Rendering): Promise<string> =>
  templates.render(isFileText(text) ? await readText(text) : text, context)
