import type { JsonObject } from '../../json.ts'
import {
  anything,
  boolean,
  byType,
  closed,
  either,
  integer,
  list,
  mapOf,
  mapping,
  named,
  nonNegative,
  choice,
  optional,
  required,
  text,
  type Accepted,
  type Fields,
  type Shape,
} from './shape.ts'

export const PROVIDER_TYPES = ['exec', 'anthropic', 'openai', 'http', 'embeddings'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]

/** Defaults of the timeouts of programs, in milliseconds. */
export const PROGRAM_TIMEOUT_MS = 60_000
export const GRADER_TIMEOUT_MS = 120_000

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

/** Environment variables that are passed on to a program. */
export const passEnv = optional(
  list(text),
  'Names of environment variables that the program gets from the environment of the command. Only the names are recorded.',
  [],
)

const stringOrList = either('a string or a list of strings', [text, list(text, { min: 1 })], (value) =>
  typeof value === 'string' ? text : Array.isArray(value) ? list(text, { min: 1 }) : undefined,
)

const pricing = named(
  'pricing',
  closed('a pricing block', {
    input_per_mtok: optional(nonNegative, 'USD per million input tokens.'),
    output_per_mtok: optional(nonNegative, 'USD per million output tokens.'),
    cache_read_per_mtok: optional(nonNegative, 'USD per million tokens read from the cache of the provider.'),
    cache_write_per_mtok: optional(nonNegative, 'USD per million tokens written to that cache for five minutes.'),
    cache_write_1h_per_mtok: optional(nonNegative, 'USD per million tokens written to that cache for an hour.'),
  }),
)

const request = named(
  'request',
  closed('a request block', {
    auth: optional(
      choice('auth', ['api_key', 'bearer', 'none']),
      'How the credential is sent: in the header of the vendor, as bearer token, or not at all.',
    ),
    path: optional(text, 'Replaces the path behind `base_url`. A template over `env` that starts with a slash.'),
    query: optional(mapOf(text), 'Query parameters: templates over `env`.', {}),
    headers: optional(mapOf(text), 'Headers: templates over `env`. They win over all other headers.', {}),
    body: optional(anything, 'Merged into the request body at the end: mappings key by key, all else is replaced.'),
  }),
)

const vendorFields = {
  model: required(text, 'The model, as the vendor names it.'),
  base_url: optional(text, 'The address of the API, if it is not that of the vendor.'),
  api_key_env: optional(
    stringOrList,
    'The environment variable with the credential, or several: the first that is not blank counts.',
  ),
  params: optional(mapping, 'Added to the request body as they are, for example `temperature`.', {}),
  pricing: optional(pricing, 'Prices in USD per million tokens. They replace those of the built-in table.'),
  request: optional(request, 'How the HTTP request differs from the usual one.'),
  cache_salt: optional(text, 'A text that is part of every cache key: change it to discard cached responses.'),
}

const typeFields = {
  exec: {
    command: required(list(text, { min: 1 }), 'The program and its arguments; no shell.'),
    env: optional(mapOf(text), 'Environment variables of the program.', {}),
    pass_env: passEnv,
    timeout_ms: optional(integer(1), 'When the program is stopped, in milliseconds.', PROGRAM_TIMEOUT_MS),
    cache_salt: optional(
      text,
      'A text that is part of every cache key. `$digest:<glob>` represents the digest of the files that match.',
    ),
  },
  anthropic: vendorFields,
  openai: vendorFields,
  embeddings: vendorFields,
  http: {
    url: required(text, 'The address: a template over the vars, `prompt` and `env`.'),
    method: optional(
      choice('method', [...METHODS, ...METHODS.map((method) => method.toLowerCase() as Lowercase<typeof method>)]),
      'The HTTP method.',
      'POST',
    ),
    headers: optional(mapOf(text), 'Headers: templates.', {}),
    body: optional(anything, 'The JSON body. Texts in it are templates. Without it the request has no body.'),
    output_expr: optional(
      text,
      'An expression over `response` that picks the output. Default: the text of the response.',
    ),
  },
} satisfies Record<ProviderType, Fields>

const TYPE_DESCRIPTION =
  'What answers: a program (`exec`), a vendor API (`anthropic`, `openai`), any HTTP endpoint (`http`), or embeddings for `similar`.'

const typeField = <const T extends ProviderType>(type: T) => ({
  type: required(choice('provider type', [type]), TYPE_DESCRIPTION),
})

const commonFields = {
  id: required(text, 'The name of the provider in results. Unique in the suite.'),
  label: optional(text, 'A name for display.'),
  fallback: optional(
    list(text),
    'Ids of providers that are asked, in order, when this one fails or gives an empty answer.',
    [],
  ),
  fallback_only: optional(boolean, 'Whether this provider only answers as a fallback of others.', false),
}

const providerShape = <const T extends ProviderType, F extends Fields>(type: T, fields: F) =>
  named(
    `provider.${type}`,
    closed(`a provider of type \`${type}\``, { ...commonFields, ...typeField(type), ...fields }),
  )

const judgeShape = (type: ProviderType) =>
  named(
    `graderProvider.${type}`,
    closed(`a grader provider of type \`${type}\``, { ...typeField(type), ...typeFields[type] }),
  )

const exec = providerShape('exec', typeFields.exec)
const anthropic = providerShape('anthropic', vendorFields)
const openai = providerShape('openai', vendorFields)
const http = providerShape('http', typeFields.http)
const embeddings = providerShape('embeddings', vendorFields)

export type AuthoredExec = Accepted<typeof exec>
export type AuthoredVendor = Accepted<typeof anthropic> | Accepted<typeof openai> | Accepted<typeof embeddings>
export type AuthoredHttp = Accepted<typeof http>
export type AuthoredProvider = AuthoredExec | AuthoredVendor | AuthoredHttp

export const provider: Shape<AuthoredProvider> = named(
  'provider',
  byType<AuthoredProvider>(
    'a provider',
    new Map<string, Shape<AuthoredProvider>>([
      ['exec', exec],
      ['anthropic', anthropic],
      ['openai', openai],
      ['http', http],
      ['embeddings', embeddings],
    ]),
    TYPE_DESCRIPTION,
  ),
)

const graderProvider: Shape<JsonObject> = named(
  'graderProvider',
  byType<JsonObject>(
    'a grader provider',
    new Map(PROVIDER_TYPES.map((type) => [type, judgeShape(type) as Shape<JsonObject>] as const)),
    'The API of the judge: `anthropic` or `openai`.',
  ),
)

export const graderBlock = named(
  'grader',
  closed('a grader block', {
    provider: required(graderProvider, 'The model that judges: a provider without `id`.'),
    api_key_env: optional(
      stringOrList,
      'The environment variable with the credential of the judge, or several: the first that is not blank counts.',
    ),
    base_url: optional(text, 'The address of the API, if it is not that of the vendor.'),
    params: optional(mapping, 'Added to the request body as they are.', {}),
    template: optional(text, 'A `file://` reference to the grading prompt, instead of the built-in one.'),
    verdict_mode: optional(
      choice('verdict_mode', ['forced']),
      'How the judge gives its verdict. Only `forced` is accepted.',
      'forced',
    ),
    include_tool_calls: optional(boolean, 'Whether the judge sees the tool calls of the case.', false),
    timeout_ms: optional(
      integer(1),
      'The longest time of a call of a judge or a grading program, in milliseconds. Only used on the grader of the suite.',
      GRADER_TIMEOUT_MS,
    ),
    pricing: optional(pricing, 'Prices in USD per million tokens. They replace those of the built-in table.'),
  }),
)
export type AuthoredGrader = Accepted<typeof graderBlock>
