import { EmptyTranscript, renderPrompt, renderTurns } from '../prompts/render-prompt.ts'
import type { Rendering } from '../prompts/render-prompt.ts'
import { renderContext, renderVars } from '../prompts/render-vars.ts'
import type { JsonObject } from '../json.ts'
import type { RenderedPrompt } from '../providers/provider.ts'
import type { History, Turn } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import type { Cell } from './cells/cells.ts'

/** What rendering the cells of a run shares. */
export type RenderParts = {
  readonly templates: Templates
  /** The environment that templates see: the values, and placeholders such as `${env:HOME}` for what is recorded. */
  readonly env: { readonly sent: JsonObject; readonly shown: JsonObject }
  /** The text of a `file://` reference of the suite. */
  readonly readText: (reference: string) => Promise<string>
  /** Reads a history that is stored in a file. */
  readonly readHistory: (reference: string) => Promise<readonly Turn[]>
}

/** One rendering of a cell. */
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

/** A rendered cell: what is sent and judged, and what is recorded, where the values of `env` are placeholders. */
export type RenderedCell = { readonly sent: Rendered; readonly recorded: Rendered }

/**
 * Renders a cell. Only a cell whose templates may mention `env` is rendered a second time, with placeholders for what
 * is recorded. Throws `RenderFailure`.
 */
export const renderCell = async (cell: Cell, parts: RenderParts): Promise<RenderedCell> => {
  let mentionsEnv = false
  const watched: Templates = {
    ...parts.templates,
    render: (template, context) => {
      mentionsEnv ||= template.includes('env')
      return parts.templates.render(template, context)
    },
  }
  const record = (): Promise<Rendered> => renderWith(cell, parts, parts.templates, parts.env.shown)
  try {
    const sent = await renderWith(cell, parts, watched, parts.env.sent)
    return { sent, recorded: mentionsEnv ? await record() : sent }
  } catch (error) {
    // The vars of a failure are recorded too, so they come from the rendering with placeholders, which fails as well or
    // shows nothing.
    if (!mentionsEnv || !(error instanceof RenderFailure)) throw error
    await record()
    throw new RenderFailure(error.message, undefined, { cause: error })
  }
}

const renderWith = async (
  { test, prompt }: Cell,
  parts: RenderParts,
  templates: Templates,
  env: JsonObject,
): Promise<Rendered> => {
  let vars: JsonObject
  try {
    vars = renderVars(templates, test.vars, env)
  } catch (error) {
    throw new RenderFailure(`rendering vars: ${messageOf(error)}`, undefined, { cause: error })
  }
  const rendering: Rendering = { templates, context: renderContext(vars, env), readText: parts.readText }
  let history: readonly Turn[]
  try {
    history = await renderTurns(await turnsOf(test.history, parts), rendering)
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

const turnsOf = async (history: History | undefined, { readHistory }: RenderParts): Promise<readonly Turn[]> =>
  typeof history === 'string' ? readHistory(history) : (history ?? [])

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
