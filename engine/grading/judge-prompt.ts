import { outputText } from '../../domain/run/document.ts'
import type { ToolCall } from '../suite/suite.ts'
import type { GradedCase } from './grader.ts'

/** What a judge is asked about one case. */
export type JudgePrompt = {
  readonly rubric: string
  readonly subject: Pick<GradedCase, 'output' | 'tool_calls'>
  readonly includesToolCalls: boolean
}

/** A template of the user text that cannot be used. `contradictsFlag`: it disagrees with `include_tool_calls`. */
export class BadTemplate extends Error {
  override readonly name = 'BadTemplate'
  readonly contradictsFlag: boolean

  constructor(message: string, contradictsFlag: boolean) {
    super(message)
    this.contradictsFlag = contradictsFlag
  }
}

/** The user text that a judge gets without a template. */
export const judgeText = ({ rubric, subject, includesToolCalls }: JudgePrompt): string => {
  const text = `RUBRIC:\n${rubric}\n\nASSISTANT OUTPUT:\n${outputText(subject.output) ?? ''}`
  return includesToolCalls
    ? `${text}\n\nTOOL CALLS (the tool calls the assistant made, in order, as JSON):\n${toolCallsText(subject.tool_calls)}`
    : text
}

/**
 * The user text of a template. The placeholders are replaced in one pass: text that replaces one is never searched for
 * another.
 */
export const textOfTemplate = (template: string, { rubric, subject, includesToolCalls }: JudgePrompt): string => {
  if (template.includes('{{tool_calls}}') !== includesToolCalls)
    throw new BadTemplate(
      includesToolCalls
        ? '`include_tool_calls` is true, but the template of the grader has no {{tool_calls}}'
        : 'the template of the grader has {{tool_calls}}, but `include_tool_calls` is false',
      true,
    )
  return template.replace(/\{\{(rubric|output|tool_calls)\}\}/g, (_, name: string) => {
    if (name === 'rubric') return rubric
    return name === 'output' ? (outputText(subject.output) ?? '') : toolCallsText(subject.tool_calls)
  })
}

/** The calls without their ids, which differ between equal answers. */
const toolCallsText = (calls: readonly ToolCall[]): string =>
  JSON.stringify(
    calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    null,
    2,
  )
