import { callArguments, type Call } from '../../pages/case/conversation/turns.ts'
import { ExactNumber, parseShown } from '../../text/exact-json.ts'

// How a value of a case is shown to a person who never saw JSON: as text, a conversation, a table, a list, or a few facts.

/** A turn of a conversation. `answers`: the tool whose result it is. */
export type Turn = {
  readonly role: string
  readonly texts: readonly string[]
  readonly calls: readonly Call[]
  readonly answers: string | null
}
export type Shown =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'conversation'; readonly turns: readonly Turn[] }
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly kind: 'facts'; readonly facts: ReadonlyArray<readonly [name: string, value: unknown]> }
  | { readonly kind: 'list'; readonly values: readonly unknown[] }
  /** A value with too many levels: all that is left is its JSON. */
  | { readonly kind: 'json'; readonly value: unknown }

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/** Deeper levels are JSON: a table in a table in a table helps no reader. */
const MAX_LEVELS = 4
/** Members that a table has columns for; other objects are drawn one by one. */
const MAX_COLUMNS = 12
/** A longer text is not read as JSON. */
const MAX_JSON = 400_000

/** JSON in a text, if it is an object or a list: some systems answer with one. */
const jsonIn = (text: string): unknown => {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return undefined
  try {
    return parseShown(text)
  } catch {
    return undefined
  }
}

const callOf = (value: unknown): Call | null => {
  if (!isMembers(value)) return null
  const { id, name, arguments: given } = isMembers(value['function']) ? { ...value, ...value['function'] } : value
  if (typeof name !== 'string') return null
  const read = typeof given === 'string' ? (jsonIn(given) ?? given) : given
  return { id: typeof id === 'string' ? id : null, name, arguments: read ?? null }
}
const callsIn = (value: unknown): readonly Call[] | null => {
  if (!Array.isArray(value) || value.length === 0) return null
  const calls = value.map(callOf)
  return calls.every((call) => call !== null) ? calls : null
}

const textsIn = (content: unknown): readonly string[] | null => {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return null
  const texts = content.map((block: unknown) => {
    if (!isMembers(block)) return null
    const text = block['text'] ?? block['thinking']
    return typeof text === 'string' ? text : null
  })
  return texts.every((text) => text !== null) ? texts : null
}

/** The turns of messages, or null if it has anything else. */
const turnsIn = (value: unknown): readonly Turn[] | null => {
  if (!Array.isArray(value) || value.length === 0) return null
  const names = new Map<string, string>()
  const turns = value.map((message: unknown): Turn | null => {
    if (!isMembers(message) || typeof message['role'] !== 'string') return null
    const texts = textsIn(message['content'])
    const calls =
      message['tool_calls'] === undefined || message['tool_calls'] === null ? [] : callsIn(message['tool_calls'])
    if (texts === null || calls === null) return null
    for (const { id, name } of calls) if (id !== null) names.set(id, name)
    const [answered, named] = [message['tool_call_id'], message['name']]
    const tool =
      typeof answered === 'string' ? (names.get(answered) ?? answered) : typeof named === 'string' ? named : 'a tool'
    return { role: message['role'], texts, calls, answers: message['role'] === 'tool' ? tool : null }
  })
  return turns.every((turn) => turn !== null) ? turns : null
}

const asTable = (values: readonly Members[]): Shown | null => {
  const columns = [...new Set(values.flatMap((value) => Object.keys(value)))]
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return null
  return { kind: 'table', columns, rows: values.map((value) => columns.map((column) => value[column])) }
}

const ofList = (values: readonly unknown[]): Shown =>
  (values.length > 1 && values.every(isMembers) ? asTable(values) : null) ?? { kind: 'list', values }

/** How to show a value. `level`: how many values it is in. */
export const shownValue = (value: unknown, level = 0): Shown => {
  if (typeof value === 'string') {
    const inside = level < MAX_LEVELS ? jsonIn(value) : undefined
    return inside === undefined ? { kind: 'text', text: value } : shownValue(inside, level)
  }
  if (value instanceof ExactNumber) return { kind: 'text', text: value.digits }
  if (value === null || value === undefined) return { kind: 'text', text: '–' }
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'yes' : 'no' }
  if (typeof value === 'number') return { kind: 'text', text: String(value) }
  if (level >= MAX_LEVELS) return { kind: 'json', value }
  const members = isMembers(value) ? value : null
  const turns = turnsIn(members && Object.keys(members).length === 1 ? members['messages'] : value)
  if (turns) return { kind: 'conversation', turns }
  if (Array.isArray(value)) return ofList(value)
  if (!members) return { kind: 'json', value }
  const { text } = members
  if (typeof text === 'string' && Object.keys(members).length === 1) return shownValue(text, level)
  return { kind: 'facts', facts: Object.entries(members) }
}

/** How to show a part of a case: its tool calls are sentences. */
export const shownPart = (field: string, value: unknown): Shown => {
  const calls = field === 'tool_calls' ? callsIn(value) : null
  return calls ? { kind: 'calls', calls } : shownValue(value)
}

/** A name of a field as words: `reservation_id` is "reservation id". */
export const fieldWords = (name: string): string =>
  name
    .replace(/[_.]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim() || name

/** What is called and with what, in short: "get user details: user id mia". */
export const callWords = ({ name, arguments: given }: Call): string => {
  const words = isMembers(given)
    ? Object.entries(given)
        .map(
          ([key, value]) =>
            `${fieldWords(key)} ${typeof value === 'string' ? value : callArguments(value, JSON.stringify)}`,
        )
        .join(', ')
    : callArguments(given, JSON.stringify)
  return words === '' ? fieldWords(name) : `${fieldWords(name)}: ${words}`
}
