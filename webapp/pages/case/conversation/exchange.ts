import type { CaseDetail } from '../../../../queries/cases/cases.ts'
import { promptTurns, type Call, type ShownTurn } from './turns.ts'

/** A call with what it returned; null if no message has its result. */
export type AnsweredCall = { readonly call: Call; readonly result: string | null }
/** A turn with its calls and their results. `number` counts from 1; system prompts have none. */
export type Exchange = Omit<ShownTurn, 'calls'> & {
  readonly number: number | null
  readonly calls: readonly AnsweredCall[]
}

/** The text of a turn as one text, which is searched and copied. */
export const turnText = (
  { blocks, calls }: Pick<Exchange, 'blocks' | 'calls'>,
  json: (value: unknown) => string,
): string =>
  [
    ...blocks.map(({ text }) => text),
    ...calls.flatMap(({ call, result }) => [
      `${call.name}(${json(call.arguments)})`,
      ...(result === null ? [] : [result]),
    ]),
  ].join('\n\n')

/**
 * The turns of a conversation, each call together with its result. A result belongs to the last call before it that has its
 * id and no result, or without an id to the first one without a result. Another result is a turn of its own.
 */
export const exchanges = (prompt: CaseDetail['prompt']): Exchange[] => {
  const found: Array<Exchange & { calls: AnsweredCall[] }> = []
  const ids = prompt && 'messages' in prompt ? prompt.messages.map(({ tool_call_id }) => tool_call_id ?? null) : []
  let number = 0
  promptTurns(prompt).forEach((turn, n) => {
    const open = found.flatMap(({ calls }) =>
      calls.flatMap((each, c) => (each.result === null ? [{ calls, c, each }] : [])),
    )
    const id = ids[n] ?? null
    const asked =
      turn.role !== 'tool' ? undefined : id === null ? open[0] : open.findLast(({ each }) => each.call.id === id)
    if (asked)
      asked.calls[asked.c] = { call: asked.each.call, result: turn.blocks.map(({ text }) => text).join('\n\n') }
    else
      found.push({
        ...turn,
        number: turn.role === 'system' || turn.role === 'prompt' ? null : ++number,
        calls: turn.calls.map((call) => ({ call, result: null })),
      })
  })
  return found
}
