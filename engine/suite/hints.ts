import { ASSERTION_KINDS } from '../../domain/run/document.ts'
import { ASSERTION_FIELDS } from '../assertions/fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { keysOf, type Path } from './issues.ts'
import { PROVIDER_TYPES } from './shape/provider-shape.ts'
import type { Finding } from './shape/shape.ts'
import { hasKey, isList, isMapping } from './values.ts'

/** Parameters of models that are often written next to `model`. */
const PARAMETERS = new Set(
  (
    'temperature top_p top_k max_tokens max_completion_tokens max_output_tokens stop stop_sequences seed n ' +
    'frequency_penalty presence_penalty response_format reasoning_effort reasoning thinking logprobs tool_choice'
  ).split(' '),
)
const KEY_NAMES = /^api[-_]?key$/i
/** Longer values are not repeated in messages. */
const MAX_SHOWN = 40

/**
 * Returns the message of a finding, with what to write instead where a usual mistake is behind it. `checked` is the suite
 * or the test that was checked, `at` the place of the finding in it.
 */
export const withHint = (checked: Json, at: Path, message: string, { kind }: Finding): string => {
  const keys = keysOf(at)
  const key = keys.at(-1)
  if (typeof key === 'string' && kind === 'unknown-key')
    return ofUnknownKey(key, message, valueAt(checked, keys), parentOf(checked, keys))
  const value = valueAt(checked, keys)
  const hint =
    kind === 'missing-key' && keys.at(-2) === 'assert'
      ? typeAsKey(value)
      : key === 'command'
        ? commandAsList(value)
        : key === 'type'
          ? modelInType(value)
          : undefined
  return hint === undefined ? message : `${message}; ${hint}`
}

const valueAt = (suite: Json, keys: ReadonlyArray<string | number>): Json | undefined =>
  keys.reduce<Json | undefined>(
    (value, key) =>
      typeof key === 'number'
        ? isList(value)
          ? value[key]
          : undefined
        : isMapping(value) && hasKey(value, key)
          ? (value as JsonObject)[key]
          : undefined,
    suite,
  )

const parentOf = (suite: Json, keys: ReadonlyArray<string | number>): JsonObject => {
  const parent = valueAt(suite, keys.slice(0, -1))
  return isMapping(parent) ? parent : {}
}

const ofUnknownKey = (key: string, message: string, value: Json | undefined, { type }: JsonObject): string => {
  const isVendor = type === 'anthropic' || type === 'openai' || type === 'embeddings'
  if (KEY_NAMES.test(key))
    return `unknown key \`${key}\`: a suite holds no keys; \`api_key_env\` names the environment variable with the key`
  if (isVendor && PARAMETERS.has(key))
    return `unknown key \`${key}\` in a provider of type \`${type}\`: parameters of the model are written under \`params\`, as in \`params: {${key}: ${shown(value)}}\``
  if ((type === 'is-json' || type === 'not-is-json') && (key === 'value' || key === 'schema'))
    return `${message}; a schema is checked with \`type: ${type.replace('is-json', 'contains-json')}\` and \`schema\``
  if ((type === 'contains-json' || type === 'not-contains-json') && key === 'value')
    return `${message}; the schema is written under \`schema\``
  return message
}

/** A value as it may be written in braces. */
const shown = (value: Json | undefined): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length <= MAX_SHOWN && /^[\w. -]+$/.test(text) ? text : '…'
}

/** `contains: x` stands for `{type: contains, value: x}` in other languages. */
const typeAsKey = (assertion: Json | undefined): string | undefined => {
  if (!isMapping(assertion)) return undefined
  const members: JsonObject = assertion
  for (const type of Object.keys(members)) {
    const kind = ASSERTION_KINDS.find((name) => type === name || type === `not-${name}`)
    if (kind === undefined) continue
    const field = Object.entries(ASSERTION_FIELDS[kind].fields).find(([, { required }]) => required)?.[0]
    return `write \`{type: ${type}${field === undefined ? '' : `, ${field}: ${shown(members[type])}`}}\``
  }
  return undefined
}

const commandAsList = (command: Json | undefined): string | undefined => {
  if (typeof command !== 'string') return undefined
  const words = command.trim().split(/\s+/)
  const example =
    command.length <= MAX_SHOWN && words.every((word) => /^[\w./=@-]+$/.test(word)) ? words : ['node', 'program.mjs']
  return `give the program and its arguments as a list, as in \`[${example.join(', ')}]\``
}

/** The kinds of endpoints that stand between a vendor and its model in other languages. */
const ENDPOINT = /^(?:chat|completion|responses|messages|embeddings?):/

const modelInType = (type: Json | undefined): string | undefined => {
  if (typeof type !== 'string' || type.length > MAX_SHOWN) return undefined
  const vendor = PROVIDER_TYPES.find((name) => type.startsWith(`${name}:`))
  if (vendor === undefined) return undefined
  const rest = type.slice(vendor.length + 1)
  return vendor === 'anthropic' || vendor === 'openai' || vendor === 'embeddings'
    ? `write \`type: ${vendor}\` and \`model: ${rest.replace(ENDPOINT, '')}\``
    : `write \`type: ${vendor}\``
}
