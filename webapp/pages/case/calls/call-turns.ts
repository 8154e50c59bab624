import { isObject } from '../../../../domain/plain/is-object.ts'
import type { CaseDetail } from '../../../../queries/cases/cases.ts'
import { exchanges } from '../conversation/exchange.ts'
import type { Called } from './expected-calls.ts'

const callKey = (name: string, given: unknown): string => JSON.stringify([name, isObject(given) ? given : {}])

/**
 * The turns of the conversation in which calls were made, by the numbers of the calls. Of equal calls, the first is that of
 * the first turn. A call of the final response is in no turn.
 */
export const callTurns = (called: readonly Called[], prompt: CaseDetail['prompt']): ReadonlyMap<number, number> => {
  const turns = new Map<string, number[]>()
  for (const { number, role, calls } of exchanges(prompt)) {
    if (number === null || role !== 'assistant') continue
    for (const { call } of calls) {
      const key = callKey(call.name, call.arguments)
      turns.set(key, [...(turns.get(key) ?? []), number])
    }
  }
  return new Map(
    called.flatMap(({ number, name, arguments: given }) => {
      const turn = turns.get(callKey(name, given))?.shift()
      return turn === undefined ? [] : [[number, turn] as const]
    }),
  )
}
