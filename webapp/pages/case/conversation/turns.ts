import type { CaseDetail } from '../../../../queries/cases/cases.ts'

type Prompt = NonNullable<CaseDetail['prompt']>
type Turn = Extract<Prompt, { readonly messages: unknown }>['messages'][number]

export type Call = { readonly id: string | null; readonly name: string; readonly arguments: unknown }
/**
 * One turn of a conversation for display: its text and thinking in their order, and its tool calls. In the result of a
 * tool call, `answers` is the name of the called tool, or the call's id if the name is unknown.
 */
export type ShownTurn = {
  readonly role: Turn['role'] | 'prompt'
  readonly blocks: ReadonlyArray<{ readonly kind: 'text' | 'thinking'; readonly text: string }>
  readonly calls: readonly Call[]
  readonly answers: string | null
}

const callOf = ({
  id,
  name,
  arguments: given,
}: {
  readonly id?: string | undefined
  readonly name: string
  readonly arguments: unknown
}): Call => ({ id: id ?? null, name, arguments: given ?? null })

const blocksOf = (content: Turn['content']): ShownTurn['blocks'] => {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  return content.map((block) =>
    'thinking' in block
      ? { kind: 'thinking' as const, text: block.thinking }
      : { kind: 'text' as const, text: block.text },
  )
}

/** The turns of a rendered prompt. A prompt that is plain text is a single turn. */
export const promptTurns = (prompt: CaseDetail['prompt']): ShownTurn[] => {
  if (!prompt) return []
  if ('text' in prompt)
    return [{ role: 'prompt', blocks: [{ kind: 'text', text: prompt.text }], calls: [], answers: null }]
  const namesById = new Map<string, string>()
  return prompt.messages.map(({ role, content, tool_calls = [], tool_call_id }) => {
    const calls = tool_calls.map(callOf)
    for (const { id, name } of calls) if (id !== null) namesById.set(id, name)
    return {
      role,
      blocks: blocksOf(content),
      calls,
      answers: tool_call_id === undefined ? null : (namesById.get(tool_call_id) ?? tool_call_id),
    }
  })
}

/** The tool calls of the system under test. */
export const toolCalls = ({ tool_calls = [] }: Pick<CaseDetail, 'tool_calls'>): Call[] => tool_calls.map(callOf)

/**
 * The arguments of a call as text: `a="x", n=2`. Arguments that are not an object are written as JSON. `text` converts
 * a value to JSON.
 */
export const callArguments = (args: unknown, text: (value: unknown) => string): string => {
  if (args === null || args === undefined) return ''
  if (typeof args !== 'object' || Array.isArray(args)) return text(args)
  return Object.entries(args)
    .map(([name, value]) => `${name}=${text(value)}`)
    .join(', ')
}
