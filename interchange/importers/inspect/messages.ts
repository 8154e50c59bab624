import { isKnown } from '../../document/known.ts'
import type { ToolCall, Turn } from '../../document/case/case-draft.ts'
import { dataUrlMedia } from '../../../domain/evidence/media.ts'
import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Row } from '../../read/row.ts'

type Blocks = Exclude<Turn['content'], string>

/** Content of a message that no document can have. Its text is replaced by a note. */
const MEDIA: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document'])

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool'])

/** Takes a message as a turn of a conversation. What a turn has no place for, such as ids, stays in the row. */
const takeTurn = (row: Row, losses: Losses): Turn => {
  const role = row.text('role') ?? 'user'
  const isRole = ROLES.has(role)
  if (!isRole) losses.add('changed', `${row.path}.role`, role, role === 'developer' ? 'system' : 'user')
  const calls = takeToolCalls(row)
  const callId = row.text('tool_call_id')
  return {
    role: (isRole ? role : role === 'developer' ? 'system' : 'user') as Turn['role'],
    content: takeContent(row, losses),
    ...(calls.length > 0 && { tool_calls: [...calls] }),
    ...(callId !== null && { tool_call_id: callId }),
  }
}

/** Takes the content of a message: its text, or its blocks. Images and the like are recorded as lost. */
export const takeContent = (row: Row, losses: Losses): Turn['content'] => {
  const text = row.text('content')
  if (text !== null) return text
  return row.rows('content').map((block) => takeBlock(block, losses))
}

const takeBlock = (block: Row, losses: Losses): Blocks[number] => {
  const type = block.text('type') ?? 'content'
  if (type === 'text') return { type: 'text', text: block.text('text') ?? '' }
  if (type === 'reasoning') {
    const signature = block.text('signature')
    const thinking = block.text('reasoning') || (block.text('summary') ?? '')
    return { type: 'thinking', thinking, ...(signature !== null && { signature }) }
  }
  const media = losses.keepsMedia ? block.peekText(type) : null
  // It becomes a part, which is named here.
  if (media !== null && MEDIA.has(type) && dataUrlMedia(media) !== null)
    return { type: 'text', text: block.text(type) ?? '' }
  if (MEDIA.has(type)) losses.add('left_out', `${block.path}.${type}`, block.take(type))
  return { type: 'text', text: `[${type.slice(0, 40)} left out]` }
}

/** Takes the calls of tools of a message. Those without a function stay in the row. */
export const takeToolCalls = (row: Row): readonly ToolCall[] =>
  row.rows('tool_calls').flatMap((call) => {
    const name = call.text('function')
    if (name === null) return []
    const id = call.text('id')
    return [{ ...(id !== null && { id }), name, arguments: call.take('arguments') }]
  })

/** The text of a content, without thoughts. */
export const contentText = (content: Turn['content']): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' && 'text' in block ? [block.text] : [])).join('\n')

/** The thoughts in a content; null if there are none. */
export const thoughtsOf = (content: Turn['content']): string | null => {
  if (typeof content === 'string') return null
  const thoughts = content.flatMap((block) => ('thinking' in block ? [block.thinking] : []))
  return thoughts.length === 0 ? null : thoughts.join('\n')
}

/** The conversation of a sample. */
export type Conversation = {
  /** What was sent before the last answer. */
  readonly sent: readonly Turn[]
  /** Messages after the last answer. */
  readonly after: readonly Turn[]
  readonly toolCalls: readonly ToolCall[]
}

/** Takes the messages of a sample. The last answer is left out if it is the output. */
export const takeConversation = (row: Row, output: string | null, losses: Losses): Conversation => {
  const turns = row.rows('messages').map((message) => takeTurn(message, losses))
  const toolCalls = turns.flatMap(({ tool_calls }) => tool_calls ?? [])
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  if (last < 0 || contentText(turns[last]!.content) !== (output ?? '')) return { sent: turns, after: [], toolCalls }
  return { sent: turns.slice(0, last), after: turns.slice(last + 1), toolCalls }
}

/** The input of a sample as a variable: its text, or its messages. */
export const takeInput = (row: Row, losses: Losses): Json | undefined => {
  const text = row.text('input')
  if (text !== null) return text
  const turns = row.rows('input').map((message) => takeTurn(message, losses))
  return isKnown(turns[0]) ? turns : undefined
}
