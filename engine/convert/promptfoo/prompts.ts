import type { Json, JsonObject } from '../../json.ts'
import { asList, asMapping, filePath, isEmpty, isProgram, noteDropped, type Notes } from './notes.ts'

/** A prompt that is the name of a file, without `file://` in front. */
const looksLikeFile = (text: string): boolean => /^[^\s{}]+\.(?:txt|md|json|jsonl|ya?ml|j2|csv)$/i.test(text)

const ROLES: ReadonlySet<Json> = new Set(['system', 'user', 'assistant', 'tool'])

/** Converts the `prompts` of a promptfoo configuration: texts, files, objects with `raw`, and a mapping of texts to labels. */
export const convertPrompts = (source: Json | undefined, notes: Notes): readonly JsonObject[] => {
  const labels = asMapping(source)
  const list =
    asList(source) ??
    (labels === null
      ? isEmpty(source)
        ? []
        : [source as Json]
      : Object.entries(labels).map(([raw, label]): Json => ({ raw, label })))
  const taken = new Set<string>()
  return list.flatMap((entry, index) => {
    const id = promptId(entry, index, taken)
    const prompt = convertPrompt(entry, `prompts[${index}]`, notes)
    if (prompt === null) return []
    taken.add(id)
    return [{ id, ...prompt }]
  })
}

/** The id or label of the prompt where it has one of its own; else `prompt-<index>`. */
const promptId = (entry: Json, index: number, taken: ReadonlySet<string>): string => {
  const object = asMapping(entry)
  const named = [object?.['id'], object?.['label']].find(
    (name): name is string =>
      typeof name === 'string' && name.length > 0 && name.length <= 60 && !/[\n{]|:\/\//.test(name),
  )
  return named === undefined || taken.has(named) ? `prompt-${index}` : named
}

const convertPrompt = (entry: Json, place: string, notes: Notes): JsonObject | null => {
  if (typeof entry === 'string') return fromText(entry, place, notes)
  const object = asMapping(entry)
  const text = object?.['raw'] ?? object?.['id']
  if (object === null || typeof text !== 'string') {
    notes.add(place, 'the prompt has no text and was dropped')
    return null
  }
  noteDropped(object, new Set(['raw', 'id', 'label']), place, notes)
  return fromText(text, place, notes)
}

const fromText = (text: string, place: string, notes: Notes): JsonObject | null => {
  const path = filePath(text) ?? (looksLikeFile(text) ? text : null)
  if (path === null) {
    const messages = asMessages(text)
    return messages === null ? { template: text } : { messages }
  }
  if (isProgram(path)) {
    notes.add(place, `\`${path}\` is a program and was dropped: a prompt is a text or a list of messages`)
    return null
  }
  if (/[*?]/.test(path)) {
    notes.add(place, `\`${path}\` names several files and was dropped: write one prompt for each`)
    return null
  }
  notes.add(
    place,
    `all of \`${path}\` is one prompt here, also where lines of \`---\` divide it or it holds JSON messages`,
  )
  return { template: `file://${path}` }
}

/** The messages that a JSON text holds; null if it holds none. */
const asMessages = (text: string): readonly Json[] | null => {
  if (!text.trimStart().startsWith('[')) return null
  try {
    const messages = asList(JSON.parse(text) as Json)
    const isChat = messages?.every((message) => {
      const turn = asMapping(message)
      return turn !== null && ROLES.has(turn['role'] ?? null) && typeof turn['content'] === 'string'
    })
    return messages !== null && messages.length > 0 && isChat === true
      ? messages.map((message) => {
          const { role, content } = message as { role: string; content: string }
          return { role, content }
        })
      : null
  } catch {
    // A text with a template in place of a JSON value is no JSON: it stays a text.
    return null
  }
}
