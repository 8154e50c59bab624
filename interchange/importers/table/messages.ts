import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft, Turn } from '../../document/case/case-draft.ts'
import { isObject } from '../../read/row.ts'
import { BadRow } from './values.ts'

const ROLES: Readonly<Record<string, Turn['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
}

/**
 * Reads the turns of a conversation. The text of the last answer is the output, the turns before it are the prompt. What
 * follows it, and what is no text, is in `raw`.
 */
export const conversationOf = (value: Json): Pick<CaseDraft, 'promptSent' | 'output' | 'raw'> => {
  if (value === null) return {}
  if (!Array.isArray(value)) throw new BadRow('the messages are no list')
  const messages = value as readonly Json[]
  const last = messages.findLastIndex((item) => isObject(item) && item['role'] === 'assistant')
  const before = messages.slice(0, last < 0 ? messages.length : last).flatMap(messageTurns)
  const answer = last < 0 ? undefined : messages[last]
  const output = isObject(answer) ? answer['content'] : null
  return {
    ...(before.length > 0 && { promptSent: { messages: before } }),
    ...(output !== null && output !== undefined && { output }),
    // The turns as they are have the calls of tools, names and the turns after the last answer.
    raw: { messages: value },
  }
}

const messageTurns = (message: Json): Turn[] => {
  if (!isObject(message)) return []
  const { role, content } = message
  const text = typeof content === 'string' ? content : content === null ? '' : JSON.stringify(content ?? '')
  return [
    { role: (typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : null) ?? 'user', content: text },
  ]
}
