import type { Json, JsonObject } from '../../json.ts'
import { convertCommand } from './commands.ts'
import { httpSettings } from './http.ts'
import { asList, asMapping, filePath, isEmpty, noteDropped, type Notes, type Place } from './notes.ts'
import { parseData } from './yaml.ts'

/** The first word of a provider id may be followed by the API to use, which is no model. */
const APIS: ReadonlySet<string> = new Set(['chat', 'completion', 'responses', 'messages', 'embedding', 'embeddings'])

const DEFAULT_MODELS = { openai: 'gpt-4o', anthropic: 'claude-3-5-sonnet-latest' } as const

/** Settings of a provider that are members of the request of both vendor APIs under the same name. */
const PARAMS = [
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
  'stop_sequences',
  'response_format',
  'reasoning_effort',
  'tool_choice',
] as const

/**
 * Converts the `providers` (or `targets`) of a promptfoo configuration into providers with the ids `p0`, `p1`, …
 * Each form that a provider may have is accepted: a text, an object with `id` and `config`, a mapping from the id to
 * its settings, and a file in YAML or JSON with one of these or a list of them.
 */
export const convertProviders = (source: Json | undefined, from: Omit<Place, 'place'>): readonly JsonObject[] => {
  const list = asList(source) ?? (isEmpty(source) ? [] : [source as Json])
  if (list.length === 0) from.notes.add('providers', 'the configuration has none; a suite needs at least one')
  return list
    .flatMap((entry, index) => readEntries(entry, { ...from, place: `providers[${index}]` }))
    .map(([entry, at], index) => ({ id: `p${index}`, ...convertProvider(entry, index, at) }))
}

/** The providers of an entry: those of the file that it names, or the entry itself. */
const readEntries = (entry: Json, at: Place): ReadonlyArray<readonly [entry: Json, at: Place]> => {
  const path = filePath(entry)
  if (path === null || !/\.(?:ya?ml|json)$/i.test(path)) return [[entry, at]]
  const text = at.read(path)
  const data = text === null ? null : parseData(text)
  if (data === null) {
    at.notes.add(at.place, `the providers in \`${path}\` could not be read; a program of this name takes their place`)
    return [[`exec:${path}`, at]]
  }
  at.notes.add(at.place, `the providers in \`${path}\` were written out: the file is not read any more`)
  const list = asList(data)
  return list === null ? [[data, at]] : list.map((item, index) => [item, { ...at, place: `${at.place}[${index}]` }])
}

const convertProvider = (entry: Json, index: number, at: Place): JsonObject => {
  if (typeof entry === 'string') return fromId(entry, at.place, at.notes)
  const mapping = asMapping(entry)
  if (mapping === null) {
    at.notes.add(at.place, 'is neither a text nor a mapping; a program that is named by its place replaces it')
    return { type: 'exec', command: [`provider-${index}`] }
  }
  const [key = '', ...others] = Object.keys(mapping)
  // A mapping of one id to its settings.
  const settings = others.length === 0 && !['id', 'config', 'label'].includes(key) ? asMapping(mapping[key]) : null
  return fromObject(settings === null ? mapping : { id: key, ...settings }, index, at)
}

const fromObject = (source: JsonObject, index: number, at: Place): JsonObject => {
  const { place, notes } = at
  const id = typeof source['id'] === 'string' ? source['id'] : `provider-${index}`
  const config = asMapping(source['config']) ?? {}
  const url = config['url']
  const base = fromId(/^https?$/.test(id) && typeof url === 'string' ? url : id, place, notes)
  noteDropped(source, new Set(['id', 'config', 'label']), place, notes)
  const label = typeof source['label'] === 'string' ? { label: source['label'] } : {}
  notes.add(place, 'was an object: review its model and params')
  if (base['type'] === 'http') return { ...label, ...base, ...httpSettings(base['url'] as string, config, at) }
  if (base['type'] === 'exec') {
    noteDropped(config, new Set(), `${place}.config`, notes)
    return { ...label, ...base }
  }
  return { ...label, ...base, ...vendorSettings(config, place, notes) }
}

/** The provider that an id such as `openai:chat:gpt-4o` names, without its id in the suite. */
const fromId = (text: string, place: string, notes: Notes): JsonObject => {
  const [vendor, ...rest] = text.split(':')
  if (vendor === 'openai' || vendor === 'anthropic') return fromVendor(vendor, rest, place, notes)
  const command = convertCommand(text, place, notes)
  if (command !== null) return { type: 'exec', command }
  if (/^https?:/.test(text)) return { type: 'http', url: text }
  notes.add(place, `\`${text}\` has no counterpart; a program of this name takes its place`)
  return { type: 'exec', command: [text] }
}

const fromVendor = (
  vendor: 'openai' | 'anthropic',
  rest: readonly string[],
  place: string,
  notes: Notes,
): JsonObject => {
  const api = APIS.has(rest[0] ?? '') ? rest[0] : undefined
  const segments = api === undefined ? rest : rest.slice(1)
  // The name of a fine-tuned model has colons of its own: ft:gpt-4o:organisation::id.
  const model = segments[0] === 'ft' ? segments.join(':') : (segments.at(-1) ?? '')
  if (api === 'responses' || api === 'completion')
    notes.add(place, `the API \`${api}\` is not spoken; the request is one of chat completions`)
  return {
    type: vendor === 'openai' && api?.startsWith('embedding') === true ? 'embeddings' : vendor,
    model: model === '' ? DEFAULT_MODELS[vendor] : model,
  }
}

/** Configured texts may use `{{ env.X }}`, where a suite has `${env:X}`. */
const withEnvironment = (text: string): string => text.replace(/\{\{\s*env\.(\w+)\s*\}\}/g, '$${env:$1}')

const vendorSettings = (config: JsonObject, place: string, notes: Notes): JsonObject => {
  const params = Object.fromEntries(PARAMS.flatMap((name) => (name in config ? [[name, config[name]!]] : [])))
  const baseUrl = config['apiBaseUrl'] ?? config['basePath']
  const keyVariable = config['apiKeyEnvar']
  noteDropped(config, new Set([...PARAMS, 'apiBaseUrl', 'basePath', 'apiKeyEnvar', 'apiKey']), `${place}.config`, notes)
  if ('apiKey' in config)
    notes.add(`${place}.config`, '`apiKey` was dropped: name the variable that holds it in `api_key_env`')
  return {
    ...(typeof baseUrl === 'string' ? { base_url: withEnvironment(baseUrl) } : {}),
    ...(typeof keyVariable === 'string' ? { api_key_env: keyVariable } : {}),
    ...(Object.keys(params).length > 0 ? { params } : {}),
  }
}

/**
 * The grader that a provider of promptfoo becomes; null, with a note, if it is not of a vendor that can judge.
 */
export const convertGrader = (source: Json | undefined, place: string, notes: Notes): JsonObject | null => {
  if (isEmpty(source)) return null
  const object = asMapping(source)
  const text = typeof source === 'string' ? source : object?.['text'] === undefined ? object?.['id'] : object['text']
  if (typeof text !== 'string' || !/^(?:openai|anthropic)(?::|$)/.test(text)) {
    notes.add(place, 'the grader was dropped: only openai and anthropic models judge')
    return null
  }
  const provider = fromId(text, place, notes)
  const config = asMapping(object?.['config'])
  const settings = config === null ? {} : vendorSettings(config, place, notes)
  return { provider: { ...provider, ...settings } }
}
