import type { Json, JsonObject } from '../../json.ts'
import { asList, asMapping, filePath, isEmpty, isProgram, isScalar, noteDropped, type Place } from './notes.ts'
import { asExpression, hasTemplate } from './template-text.ts'
import { parseData } from './yaml.ts'

/** What the HTTP provider of a suite has in place of the same settings of promptfoo. */
const CONVERTED: ReadonlySet<string> = new Set([
  'url',
  'method',
  'headers',
  'body',
  'queryParams',
  'transformResponse',
  'responseParser',
])

/** A path in the answer: `json.choices[0].text`. */
const PATH = /^json(?:\.\w+|\[(?:\d+|'[^']*'|"[^"]*")\])*$/

/** What may be before a path: the head of a function of one expression. */
const FUNCTION = /^\(\s*json\b[^()]*\)\s*=>\s*(?=json\b|text$)/

/**
 * The settings of an HTTP provider, without its type. Promptfoo sends a GET without a method, a text as body unless the
 * headers say JSON, and takes the JSON of an answer as its output.
 */
export const httpSettings = (url: string, config: JsonObject, at: Place): JsonObject => {
  const inside = { ...at, place: `${at.place}.config` }
  const headers = headersOf(config['headers'], { ...inside, place: `${inside.place}.headers` })
  const method = typeof config['method'] === 'string' ? config['method'] : undefined
  if (method === undefined && !isEmpty(config['body']))
    inside.notes.add(
      inside.place,
      'without a `method` the request is a POST here, and a GET without its body in promptfoo',
    )
  noteDropped(config, CONVERTED, inside.place, inside.notes)
  if (isEmpty(config['validateStatus']))
    inside.notes.add('', 'an HTTP answer whose status is not 2xx is an error here, and is judged in promptfoo')
  const body = method?.toUpperCase() === 'GET' ? undefined : convertBody(config['body'], headers, inside)
  return {
    url: withQuery(url, config['queryParams'], inside),
    ...(method === undefined ? {} : { method }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(body === undefined ? {} : { body }),
    ...convertTransform(config['transformResponse'] ?? config['responseParser'], inside),
  }
}

const headersOf = (source: Json | undefined, { place, notes }: Place): Readonly<Record<string, string>> => {
  const mapping = asMapping(source)
  if (mapping === null && !isEmpty(source)) notes.add(place, 'is no mapping and was dropped')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(mapping ?? {})) {
    if (isScalar(value)) headers[name] = String(value)
    else notes.add(`${place}.${name}`, 'is no text and was dropped')
  }
  return headers
}

/** The body as data, because a suite sends JSON. A text is parsed if the headers say that it is JSON. */
const convertBody = (
  source: Json | undefined,
  headers: Readonly<Record<string, string>>,
  at: Place,
): Json | undefined => {
  const body = readBody(source, at)
  if (body === undefined) return undefined
  if (typeof body !== 'string') return structured(body, at)
  const isJson = Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.includes('application/json'),
  )
  const data = isJson ? parsedBody(body.replace(/\{\{-?\s*prompt\s*\|\s*dump\s*-?\}\}/g, '"{{ prompt }}"')) : undefined
  if (data !== undefined) return structured(data, at)
  at.notes.add(
    at.place,
    isJson
      ? 'the body is JSON only once it is rendered: it is sent as one text here; write it as a mapping'
      : 'the body is sent as a text in JSON here, and unchanged in promptfoo',
  )
  return body
}

/** The body, with the text of its file if it names one. */
const readBody = (source: Json | undefined, { place, notes, read }: Place): Json | undefined => {
  const path = filePath(source)
  if (path === null) return isEmpty(source) ? undefined : source
  const text = isProgram(path) ? null : read(path)
  if (text === null) notes.add(place, `the body in \`${path}\` could not be read and was dropped`)
  else notes.add(place, `the body in \`${path}\` was written out: the file is not read any more`)
  return text === null ? undefined : /\.(?:json|ya?ml)$/i.test(path) ? (parseData(text) ?? text) : text
}

/**
 * A body that is data. If one of its texts is a list or a mapping in JSON once it is rendered, promptfoo sends that list or
 * mapping.
 */
const structured = (body: Json, at: Place): Json => {
  if (typeof body === 'string') {
    const data = /^\s*[{[]/.test(body) ? parsedBody(body) : undefined
    if (data !== undefined && !hasTemplate(body)) return data
    if (hasTemplate(body) && /^\s*[{[]/.test(body))
      at.notes.add(
        at.place,
        'if a text in the body renders to a JSON list or mapping, promptfoo sends that list or mapping; here it is sent as a text',
      )
    return body
  }
  const members = asMapping(body)
  if (members !== null)
    return Object.fromEntries(Object.entries(members).map(([key, member]) => [key, structured(member, at)]))
  return asList(body)?.map((item) => structured(item, at)) ?? body
}

const parsedBody = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    // A text with a template in place of a JSON value is no JSON: it stays a text.
    return undefined
  }
}

/** The URL with the parameters of a query, each encoded when it is rendered. */
const withQuery = (url: string, source: Json | undefined, { place, notes }: Place): string => {
  const query: string[] = []
  for (const [name, value] of Object.entries(asMapping(source) ?? {})) {
    const text = isScalar(value) ? String(value) : null
    const expression = text === null ? null : hasTemplate(text) ? asExpression(text) : undefined
    if (expression === null)
      notes.add(`${place}.queryParams.${name}`, 'is no text, or a template with statements, and was dropped')
    else
      query.push(
        `${encodeURIComponent(name)}=${expression === undefined ? encodeURIComponent(text!) : `{{ ${expression} | urlencode }}`}`,
      )
  }
  return query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`
}

/** What of an answer is the output: by default its JSON, if that is neither null, 0, false nor an empty text. */
const convertTransform = (source: Json | undefined, { place, notes }: Place): JsonObject => {
  if (isEmpty(source)) return { output_expr: 'response.json or response.text' }
  const path = typeof source === 'string' ? source.trim().replace(FUNCTION, '') : ''
  if (path === 'text') return { output_expr: 'response.text' }
  if (PATH.test(path)) return { output_expr: `response.${path}` }
  notes.add(place, 'the transformation of the response was dropped: write an `output_expr`')
  return {}
}
