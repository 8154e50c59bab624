import { structuredPatch } from 'diff'
import { counted } from '../../domain/plain/counted.ts'
import type { Json } from '../json.ts'
import type { RunDocument } from '../runner/run-document.ts'
import type { ComparedCase } from './compare.ts'

export const DIFF_CHOICES = ['regressions', 'changed', 'all', 'none'] as const
/** Which cases show how their output changed: newly failing ones, all with a changed output, or none. */
export type DiffChoice = (typeof DIFF_CHOICES)[number]

const CONTEXT = 3
const MAX_CHARACTERS = 64 * 1024
const MAX_LINES = 400

/** Whether the changed output of a case is shown. */
export const showsDiff = ({ delta, output_changed }: ComparedCase, choice: DiffChoice): boolean =>
  output_changed && choice !== 'none' && (choice !== 'regressions' || delta === 'newly_failing')

/**
 * The unified diff of the outputs of a case, line by line, without a file header. More than `limit` lines are cut, with
 * a last line that says how many.
 */
export const outputDiff = ({ base, head }: ComparedCase, limit: number): readonly string[] =>
  cutLines(unifiedDiff(comparedText(base?.output), comparedText(head?.output)), limit)

/** The unified diff of the prompts in the configurations of two runs; empty if they are equal. */
export const promptsDiff = (base: RunDocument, head: RunDocument): readonly string[] =>
  unifiedDiff(promptsText(base), promptsText(head))

const unifiedDiff = (base: string, head: string): string[] =>
  structuredPatch('', '', clamped(base), clamped(head), undefined, undefined, { context: CONTEXT }).hunks.flatMap(
    ({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines.filter((line) => !line.startsWith('\\')),
    ],
  )

/** The first lines of a text: a diff of two huge texts takes too long, and is not read. */
const clamped = (text: string): string => {
  const lines = text.slice(0, MAX_CHARACTERS).replaceAll('\r\n', '\n').split('\n')
  return `${lines.slice(0, MAX_LINES).join('\n')}\n`
}

const cutLines = (lines: readonly string[], limit: number): readonly string[] =>
  lines.length <= limit ? lines : [...lines.slice(0, limit), `… ${counted(lines.length - limit, 'more line')}`]

const comparedText = (output: Json | undefined): string => {
  if (output === undefined || output === null) return ''
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2)
}

type Named = { readonly id?: unknown; readonly template?: unknown; readonly messages?: unknown }

const promptsText = ({ config_snapshot: snapshot }: RunDocument): string => {
  const prompts = (snapshot as { readonly prompts?: unknown } | null)?.prompts
  return Array.isArray(prompts) ? prompts.map(promptText).join('\n\n') : comparedText((prompts ?? null) as Json)
}

const promptText = (prompt: unknown): string => {
  if (typeof prompt !== 'object' || prompt === null) return comparedText(prompt as Json)
  const { id, template, messages } = prompt as Named
  if (typeof template === 'string') return `[${String(id)}]\n${template}`
  if (Array.isArray(messages)) return `[${String(id)}]\n${messages.map(turnText).join('\n')}`
  return comparedText(prompt as Json)
}

const turnText = (turn: unknown): string => {
  const { role, content } = (turn ?? {}) as { readonly role?: unknown; readonly content?: unknown }
  return typeof content === 'string' ? `${String(role)}: ${content}` : comparedText(turn as Json)
}
