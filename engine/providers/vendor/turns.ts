import { ProviderFailure, type RenderedPrompt } from '../provider.ts'
import type { Turn } from '../../suite/suite.ts'

/** The turns of a prompt; a text is one turn of the user. Throws `ProviderFailure` if there is no prompt. */
export const promptTurns = (prompt: RenderedPrompt | null): readonly Turn[] => {
  if (prompt === null)
    throw new ProviderFailure('the provider needs a prompt, and neither the suite nor the test has one', {
      errorClass: 'provider_request',
    })
  return 'text' in prompt ? [{ role: 'user', content: prompt.text }] : prompt.messages
}

/** The text of a turn: its text blocks joined by line ends, without thinking. */
export const turnText = ({ content }: Turn): string => {
  if (content === undefined || typeof content === 'string') return content ?? ''
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** The ids of tool calls of a conversation: calls and results without an id get the same one by their position. */
export type CallIds = {
  /** For each turn: the ids of its calls. */
  readonly ofCalls: ReadonlyArray<readonly string[]>
  /** For each turn: the id of the call that it is the result of; of no meaning for other turns than results. */
  readonly ofResult: readonly string[]
}

/**
 * Assigns ids. A call without an id is `service_call_<turn>_<call>`. A result without an id gets
 * the id at its position in the latest round of calls; a round serves one run of results. Any other result is
 * `service_call_<first turn of the run>_<position>`. Turns count from 0, system turns included.
 */
export const callIds = (turns: readonly Turn[]): CallIds => {
  const ofCalls: Array<readonly string[]> = []
  const ofResult: string[] = []
  let round: readonly string[] = []
  let runStart = -1
  for (const [index, turn] of turns.entries()) {
    const calls = (turn.tool_calls ?? []).map(({ id }, call) => id ?? `service_call_${index}_${call}`)
    ofCalls.push(calls)
    if (turn.role === 'tool') {
      if (runStart < 0) runStart = index
      const position = index - runStart
      ofResult.push(turn.tool_call_id ?? round[position] ?? `service_call_${runStart}_${position}`)
      continue
    }
    ofResult.push('')
    if (runStart >= 0) {
      runStart = -1
      round = []
    }
    if (turn.role === 'assistant' && calls.length > 0) round = calls
  }
  return { ofCalls, ofResult }
}
