import type { Json, JsonObject } from '../../json.ts'
import { FILE_PREFIX } from '../../suite/file-reference.ts'
import { asList, asMapping, filePath, isEmpty, isProgram, noteDropped, type Place } from './notes.ts'
import { parseData } from './yaml.ts'

/** A prompt that is the name of a file, without `file://` in front. */
const looksLikeFile = (text: string): boolean => /^[^\s{}]+\.(?:txt|md|json|jsonl|ya?ml|j2|csv)$/i.test(text)

const ROLES: ReadonlySet<Json> = new Set(['system', 'user', 'assistant', 'tool'])

/**
 * Converts the `prompts` of a promptfoo configuration: texts, files, objects with `raw`, and a mapping of texts to
 * labels. A file is read to see whether it holds a chat, which becomes `messages`.
 */
export const convertPrompts = (
  source: Json | undefined,
  { notes, read }: Omit<Place, 'place'>,
): readonly JsonObject[] => {
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
    const prompt = convertPrompt(entry, { place: `prompts[${index}]`, notes, read })
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

const convertPrompt = (entry: Json, from: Place): JsonObject | null => {
  if (typeof entry === 'string') return fromText(entry, from)
  const { place, notes } = from
  const object = asMapping(entry)
  const text = object?.['raw'] ?? object?.['id']
  if (object === null || typeof text !== 'string') {
    notes.add(place, 'the prompt has no text and was dropped')
    return null
  }
  noteDropped(object, new Set(['raw', 'id', 'label']), place, notes)
  return fromText(text, from)
}

const fromText = (text: string, from: Place): JsonObject | null => {
  const { place, notes } = from
  const path = filePath(text) ?? (looksLikeFile(text) ? text : null)
  if (path === null) {
    const messages = asMessages(parsedList(text))
    if (messages === null) noteChat(text, 'the text', from)
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
  return fromFile(path, from)
}

/** A prompt in a file. A chat in JSON or YAML becomes `messages`; anything else stays in its file. */
const fromFile = (path: string, from: Place): JsonObject => {
  const { place, notes, read } = from
  const reference = { template: `${FILE_PREFIX}${path}` }
  const text = read(path)
  if (text === null) {
    notes.add(
      place,
      `\`${path}\` could not be read, so it is taken as one text: if it is a chat, write it as \`messages\`; if it has parts between lines of \`---\`, write one prompt for each`,
    )
    return reference
  }
  const messages = asMessages(/\.ya?ml$/i.test(path) ? parseData(text) : parsedList(text))
  if (messages !== null) {
    notes.add(place, `the chat in \`${path}\` was written out as \`messages\`: the file is not read any more`)
    return { messages }
  }
  noteChat(text, `\`${path}\``, from)
  // In a text file a line of `---` divides prompts; elsewhere it is part of the text, such as the end of front matter.
  const isDivided = /\.txt$/i.test(path) && /^---\s*$/m.test(text)
  if (/\.(?:jsonl|csv)$/i.test(path) || isDivided)
    notes.add(place, `\`${path}\` holds several prompts, but is taken as one text here: write one prompt for each`)
  return reference
}

/** Notes a text that promptfoo would send as a chat, and that is sent here as one text with its braces. */
const noteChat = (text: string, what: string, { place, notes }: Place): void => {
  if (/^\s*(?:\[\s*\{|(?:---\s+)?-\s)/.test(text) && /\brole["']?\s*:/.test(text))
    notes.add(
      place,
      `${what} looks like a chat but is not a plain list of messages, so it is one text here: write \`messages\``,
    )
}

const parsedList = (text: string): Json | null => {
  if (!text.trimStart().startsWith('[')) return null
  try {
    return JSON.parse(text) as Json
  } catch {
    // A text with a template in place of a JSON value is no JSON: it stays a text.
    return null
  }
}

/** The messages of a chat; null if the data is none. */
const asMessages = (data: Json | null): readonly Json[] | null => {
  const messages = asList(data ?? undefined)
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
}
