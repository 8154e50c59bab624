import type { CaseDetail } from '../../../../queries/cases/cases.ts'

type Prompt = NonNullable<CaseDetail['prompt']>
type Turn = Extract<Prompt, { readonly messages: unknown }>['messages'][number]

export type Call = { readonly id: string | null; readonly name: string; readonly arguments: unknown }
/**
 * One turn of a conversation as it is shown: its prose, its thoughts, its calls in their order; `answers` names the
 * call whose result it brings.
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

/** The turns of a rendered prompt; a plain text is one turn. */
export const turnsOf = (prompt: CaseDetail['prompt']): ShownTurn[] => {
  if (!prompt) return []
  if ('text' in prompt)
    return [{ role: 'prompt', blocks: [{ kind: 'text', text: prompt.text }], calls: [], answers: null }]
  const called = new Map<string, string>()
  return prompt.messages.map(({ role, content, tool_calls = [], tool_call_id }) => {
    const calls = tool_calls.map(callOf)
    for (const { id, name } of calls) if (id !== null) called.set(id, name)
    return {
      role,
      blocks: blocksOf(content),
      calls,
      answers: tool_call_id === undefined ? null : (called.get(tool_call_id) ?? tool_call_id),
    }
  })
}

/** The calls that the system under test made. */
export const callsOf = ({ tool_calls = [] }: Pick<CaseDetail, 'tool_calls'>): Call[] => tool_calls.map(callOf)

/**
 * A call as one would write it: `name(a="x", n=2)`; other arguments than an object stand as they are. `text` writes
 * JSON.
 */
export const callArguments = (given: unknown, text: (value: unknown) => string): string => {
  if (given === null || given === undefined) return ''
  if (typeof given !== 'object' || Array.isArray(given)) return text(given)
  return Object.entries(given)
    .map(([name, value]) => `${name}=${text(value)}`)
    .join(', ')
}
