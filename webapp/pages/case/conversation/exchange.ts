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
  const found: Exchange[] = []
  const open: Array<{ readonly calls: AnsweredCall[]; readonly c: number }> = []
  const ids = prompt && 'messages' in prompt ? prompt.messages.map(({ tool_call_id }) => tool_call_id ?? null) : []
  let number = 0
  promptTurns(prompt).forEach((turn, n) => {
    const id = ids[n] ?? null
    const index = id === null ? 0 : open.findLastIndex(({ calls, c }) => calls[c]?.call.id === id)
    const [asked] = turn.role === 'tool' && index >= 0 ? open.splice(index, 1) : []
    const call = asked?.calls[asked.c]?.call
    if (asked && call) {
      asked.calls[asked.c] = { call, result: turn.blocks.map(({ text }) => text).join('\n\n') }
      return
    }
    const calls: AnsweredCall[] = turn.calls.map((made) => ({ call: made, result: null }))
    open.push(...calls.map((_, c) => ({ calls, c })))
    found.push({ ...turn, number: turn.role === 'system' || turn.role === 'prompt' ? null : ++number, calls })
  })
  return found
}

/** How many turns a conversation has; a prompt that is plain text has none. */
export const turnCount = (prompt: CaseDetail['prompt']): number =>
  exchanges(prompt).filter(({ number }) => number !== null).length
