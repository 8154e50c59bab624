import type { AuthoredPrompt, AuthoredTurn } from '../shape/prompt-shape.ts'
import { child, keyPath, type Path } from '../issues.ts'
import type { Findings, Numbered } from './findings.ts'

type Message = AuthoredTurn | 'history'

const isTurn = (message: Message): message is AuthoredTurn => message !== 'history'

/** Checks ids, content and messages of prompts. */
export const checkPrompts = (prompts: ReadonlyArray<Numbered<AuthoredPrompt>>, findings: Findings): void => {
  const firstWith = new Map<string, number>()
  for (const { value, index } of prompts) {
    const path = keyPath('prompts', index)
    const first = firstWith.get(value.id)
    if (first === undefined) firstWith.set(value.id, index)
    else findings.error(child(path, 'id'), `the prompt id \`${value.id}\` is used twice; first in prompts[${first}]`)
    checkPrompt(value, path, findings)
  }
}

const checkPrompt = ({ template, messages }: AuthoredPrompt, path: Path, findings: Findings): void => {
  if (template !== undefined && messages !== undefined)
    findings.error(path, 'a prompt has either `template` or `messages`, not both')
  else if (template === undefined && messages === undefined)
    findings.error(path, 'a prompt needs a `template` or `messages`')
  if (messages === undefined) return
  const at = child(path, 'messages')
  if (messages.length === 0) findings.error(at, 'a conversation needs at least one turn or the marker `history`')
  let markers = 0
  for (const [index, message] of (messages as readonly Message[]).entries())
    if (isTurn(message)) checkTurn(message, child(at, index), findings)
    else if (++markers === 2) findings.error(child(at, index), 'the marker `history` may occur once')
}

const isBlank = (text: string): boolean => text.trim() === ''

const checkTurn = ({ role, content, tool_calls, tool_call_id }: AuthoredTurn, path: Path, findings: Findings): void => {
  if (content === undefined && tool_calls === undefined) findings.error(path, 'a turn needs `content` or `tool_calls`')
  if (tool_calls !== undefined && role !== 'assistant')
    findings.error(
      child(path, 'tool_calls'),
      `only an \`assistant\` turn calls tools; this one has the role \`${role}\``,
    )
  if (tool_call_id !== undefined && role !== 'tool')
    findings.error(
      child(path, 'tool_call_id'),
      `only a \`tool\` turn answers a call; this one has the role \`${role}\``,
    )
  const blank =
    typeof content === 'string'
      ? isBlank(content)
      : content?.every((block) => isBlank(block.type === 'text' ? block.text : block.thinking))
  if (blank === true && tool_calls === undefined) findings.warning(child(path, 'content'), 'the turn is blank')
}

/** Checks the turns of a history. A `file://` reference is checked when it is read. */
export const checkHistory = (
  history: readonly AuthoredTurn[] | string | undefined,
  path: Path,
  mayComeFirst: boolean,
  findings: Findings,
): void => {
  if (history === undefined || typeof history === 'string') return
  for (const [index, turn] of history.entries()) checkTurn(turn, child(path, index), findings)
  const start = history.findIndex(({ role }) => role !== 'system')
  const role = history[start]?.role
  if (mayComeFirst && (role === 'assistant' || role === 'tool'))
    findings.warning(
      child(path, start),
      `the history starts with a turn of the role \`${role}\`; most vendors want a conversation to start with \`user\``,
    )
}

/** Whether a suite with these prompts can place a history at the start of the conversation. */
export const historyMayComeFirst = (prompts: readonly AuthoredPrompt[]): boolean =>
  prompts.length === 0 ||
  prompts.some(({ template, messages = [] }) => {
    if (template !== undefined) return true
    const marker = (messages as readonly Message[]).findIndex((message) => !isTurn(message))
    const before = (marker < 0 ? [] : messages.slice(0, marker)) as readonly AuthoredTurn[]
    return before.every(({ role }) => role === 'system')
  })
