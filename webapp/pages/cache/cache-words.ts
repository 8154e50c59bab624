import { isObject } from '../../../domain/plain/is-object.ts'
import type { CacheItem } from '../../../queries/cache/item.ts'
import { visibleLine } from '../../text/visible-text.ts'

/** The kinds that this version knows, and the two values that select entries without fields. */
const KINDS: Readonly<Record<string, string>> = {
  provider: 'Provider',
  judge: 'Judge',
  embedding: 'Embedding',
  exec_assert: 'Assertion program',
  similar_verdict: 'Similarity',
  unindexed: 'Not read yet',
  unparseable: 'Cannot be read',
}

export const kindWords = (kind: string): string =>
  Object.hasOwn(KINDS, kind) ? (KINDS[kind] ?? kind) : visibleLine(kind)

/** The sentence in place of an answer, for an entry that shows none; null if it has one. */
export const missingAnswer = ({
  indexed,
  parseable,
  output_preview,
  empty_reason,
}: Pick<CacheItem, 'indexed' | 'parseable' | 'output_preview' | 'empty_reason'>): string | null => {
  if (!indexed) return 'Not read yet'
  if (parseable === false) return 'Cannot be read as an entry'
  if (output_preview !== null && visibleLine(output_preview).trim() !== '') return null
  return empty_reason === null ? 'Empty answer' : `Empty answer: ${visibleLine(empty_reason)}`
}

/** The end of a key, where keys differ: `sha256:5b28…6745`. */
export const shortKey = (key: string): string =>
  /^sha256:[0-9a-f]{64}$/.test(key) ? `${key.slice(0, 11)}…${key.slice(-4)}` : visibleLine(key)

export const PATTERN_OF_KEY = 'sha256:[0-9a-f]{64}'

/** The text of a message's content: a text, or blocks of which some have a text. */
const contentText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block: unknown) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n')
}

/**
 * What a request asks, as text: its system prompt and messages, each under its role, or its prompt or input. Null for a
 * request of another form.
 */
export const requestText = (request: unknown): string | null => {
  const body = isObject(request) ? (request['body'] ?? request['stdin']) : null
  if (!isObject(body)) return null
  const messages = [body['messages'], body['input']].find(Array.isArray) as readonly unknown[] | undefined
  const turns = [
    { role: 'system', text: contentText(body['system'] ?? body['instructions']) },
    ...(messages ?? [])
      .filter(isObject)
      .map(({ role, content }) => ({ role: typeof role === 'string' ? role : '?', text: contentText(content) })),
    ...(messages ? [] : [body['prompt'], body['input']]).map((text) => ({ role: 'prompt', text: contentText(text) })),
  ].filter(({ text }) => text !== '')
  const [only] = turns
  if (!only) return null
  return turns.length === 1 ? only.text : turns.map(({ role, text }) => `${role}:\n${text}`).join('\n\n')
}
