import { messageOf } from '../../domain/plain/message-of.ts'
import { EmptyTranscript, renderPrompt, renderTurns, type Rendering } from '../prompts/render-prompt.ts'
import { renderContext, renderVars } from '../prompts/render-vars.ts'
import type { JsonObject } from '../json.ts'
import type { RenderedPrompt } from '../providers/provider.ts'
import type { History, Turn } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import type { Cell } from './cells/cells.ts'

/** What rendering the cells of a run shares. */
export type RenderParts = {
  readonly templates: Templates
  readonly env: JsonObject
  /** The text of a `file://` reference of the suite. */
  readonly readText: (reference: string) => Promise<string>
  readonly readHistory: (reference: string) => Promise<readonly Turn[]>
}

/** A rendered cell. */
export type Rendered = { readonly vars: JsonObject; readonly prompt: RenderedPrompt | null }

/** A cell that does not render. `vars` are set if they did. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'
  readonly vars: JsonObject | undefined

  constructor(message: string, vars: JsonObject | undefined, options: ErrorOptions) {
    super(message, options)
    this.vars = vars
  }
}

/**
 * Renders a cell: vars, then history, then the prompt. A value of `env` in them is content, like every var: it is
 * sent, recorded and part of the cache key. Throws `RenderFailure`.
 */
export const renderCell = async ({ test, prompt }: Cell, parts: RenderParts): Promise<Rendered> => {
  const { templates, env } = parts
  let vars: JsonObject
  try {
    vars = renderVars(templates, test.vars, env)
  } catch (error) {
    throw new RenderFailure(`rendering vars: ${messageOf(error)}`, undefined, { cause: error })
  }
  const rendering: Rendering = { templates, context: renderContext(vars, env), readText: parts.readText }
  let history: readonly Turn[]
  try {
    history = await renderTurns(await historyTurns(test.history, parts), rendering)
  } catch (error) {
    throw new RenderFailure(`rendering history: ${messageOf(error)}`, vars, { cause: error })
  }
  try {
    return { vars, prompt: await renderPrompt(prompt, history, rendering) }
  } catch (error) {
    const what =
      error instanceof EmptyTranscript ? '' : `rendering prompt ${prompt === null ? '' : `\`${prompt.id}\``}: `
    throw new RenderFailure(`${what}${messageOf(error)}`, vars, { cause: error })
  }
}

const historyTurns = async (history: History | undefined, { readHistory }: RenderParts): Promise<readonly Turn[]> =>
  typeof history === 'string' ? readHistory(history) : (history ?? [])
