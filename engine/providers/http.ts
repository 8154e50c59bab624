import { messageOf } from '../../domain/plain/message-of.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Ports } from '../ports.ts'
import { TooDeep, isTooDeep, parseResponse } from '../response-json.ts'
import type { HttpProvider } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import { blake3Digest } from '../cache/canonical.ts'
import { classifyEmpty, isBlank } from './empty-reason.ts'
import {
  ProviderFailure,
  type CallInput,
  type PreparedCall,
  type Provider,
  type ProviderResponse,
  type RenderedPrompt,
} from './provider.ts'
import { present } from './read-json.ts'
import { redactor, type Redactor } from './redactor.ts'
import { renderedSecrets, secretHeaders, secretVariablesIn, writtenSecrets } from './secret-names.ts'
import { plainAddress } from './wire/address.ts'
import { headersDigest, joinHeaders, renderHeaders, type Headers } from './wire/declared-headers.ts'
import { exchange, type WirePorts, type WireResponse } from './wire/exchange.ts'
import { reportedError } from './wire/reported-error.ts'
import { retryAfterMs } from './wire/retry-after.ts'
import { envScopes, renderJson, renderText, type Rendered, type Scopes } from './wire/rendering.ts'
import { turnText } from './vendor/turns.ts'

const TIMEOUT_MS = 120_000

export type HttpOptions = {
  readonly env: Ports['env']
  readonly ports: WirePorts
  readonly globalHeaders: Headers
  readonly templates: Templates
}

type RenderedHttp = {
  readonly url: Rendered<string>
  readonly headers: Rendered<Headers>
  readonly body: Rendered<Json> | null
}

/** A provider that is any HTTP endpoint: its request is made of templates, its output of an expression. */
export const createHttpProvider = (spec: HttpProvider, options: HttpOptions): Provider => {
  const declared = joinHeaders(options.globalHeaders, spec.headers)
  const secrets = new Map(writtenSecrets(declared))
  for (const name of secretVariablesIn(declared, [spec.url, spec.body ?? null])) {
    const value = options.env[name]
    if (value !== undefined) secrets.set(name, value)
  }
  const redact = redactor(secrets)

  return {
    spec,
    fingerprint: {
      type: 'http',
      url: spec.url,
      method: spec.method,
      body: spec.body ?? null,
      output_expr: spec.output_expr ?? null,
      ...(Object.keys(spec.headers).length === 0 ? {} : { headers: blake3Digest(spec.headers) }),
    },
    address: plainAddress(spec.url),
    programDigest: () => Promise.resolve(null),
    prepare: (input): PreparedCall => {
      const { url, headers, body } = renderRequest(spec, declared, input, options)
      const digest = headersDigest(headers.shown)
      const request = { transport: 'http', method: spec.method, url: url.shown }
      return {
        preview: { ...request, body: body === null ? null : body.shown },
        canonical: {
          ...request,
          ...(body === null ? {} : { body: body.shown }),
          ...(digest === null ? {} : { headers_digest: digest }),
          ...(spec.output_expr === undefined ? {} : { output_expr: spec.output_expr }),
        },
        send: async (signal) => {
          const callRedactor = withRendered(redact, secrets, spec, declared, { url, headers, body })
          const response = await exchange(
            options.ports,
            {
              method: spec.method,
              url: url.sent,
              headers: Object.entries(
                joinHeaders(body === null ? {} : { 'content-type': 'application/json' }, headers.sent),
              ),
              body: body === null ? null : JSON.stringify(body.sent),
              timeoutMs: TIMEOUT_MS,
              redactor: callRedactor,
            },
            signal,
          )
          return readResponse(spec, options, response, callRedactor)
        },
      }
    },
  }
}

const renderRequest = (
  spec: HttpProvider,
  declared: Headers,
  input: CallInput,
  { env, templates }: HttpOptions,
): RenderedHttp => {
  const scopes = templateScopes(input, envScopes(env))
  try {
    return {
      url: renderText(templates, spec.url, scopes),
      headers: renderHeaders(templates, declared, scopes),
      body: spec.body === undefined || spec.body === null ? null : renderJson(templates, spec.body, scopes),
    }
  } catch (error) {
    throw new ProviderFailure(`rendering the request: ${messageOf(error)}`, {
      errorClass: 'render_failed',
      cause: error,
    })
  }
}

/** The names in scope: all vars, `env`, `prompt` and, where no var has that name, `messages`. */
const templateScopes = (input: CallInput, env: Rendered<JsonObject>): Scopes => {
  const scope = ({ vars, prompt }: Pick<CallInput, 'vars' | 'prompt'>, environment: JsonObject): JsonObject => ({
    ...(prompt === null ? {} : { messages: promptMessages(prompt) }),
    ...vars,
    env: environment,
    ...(prompt === null ? {} : { prompt: promptText(prompt) }),
  })
  return { sent: scope(input, env.sent), shown: scope(input, env.shown) }
}

const promptMessages = (prompt: RenderedPrompt): Json =>
  'text' in prompt ? [{ role: 'user', content: prompt.text }] : prompt.messages

const promptText = (prompt: RenderedPrompt): string =>
  'text' in prompt ? prompt.text : prompt.messages.map((turn) => `${turn.role}: ${turnText(turn)}`).join('\n')

/** Parts of a request that hold a secret variable in another form, such as upper case, are secrets too. */
const withRendered = (
  redact: Redactor,
  secrets: ReadonlyMap<string, string>,
  spec: HttpProvider,
  declared: Headers,
  { url, headers, body }: RenderedHttp,
): Redactor => {
  if (secrets.size === 0) return redact
  const plain = new Set(secrets.values())
  const parts: Array<readonly [place: string, value: string]> = [
    ...secretHeaders(declared, headers.sent).map(([name, value]) => [`header ${name}`, value] as const),
    ...[
      ...renderedSecrets(declared, headers).map((value) => ['header', value] as const),
      ...renderedSecrets(spec.url, url).map((value) => ['url', value] as const),
      ...(body === null ? [] : renderedSecrets(spec.body ?? null, body).map((value) => ['body', value] as const)),
    ]
      .filter(([, value]) => !plain.has(value))
      .map(([place, value], index) => [`part ${index + 1} of the ${place}`, value] as const),
  ]
  return parts.length === 0 ? redact : redactor(new Map([...secrets, ...parts]))
}

const readResponse = (
  spec: HttpProvider,
  { templates, ports }: Pick<HttpOptions, 'templates' | 'ports'>,
  response: WireResponse,
  redact: Redactor,
): ProviderResponse => {
  const text = redact.text(response.text)
  // Once more after parsing: the escapes of JSON may have hidden a secret.
  const json = redact.json(parsed(text))
  const failure = readsErrors(spec)
    ? null
    : reportedError(json ?? null, retryAfterMs(response.headers['retry-after'] ?? null, ports.now()))
  if (failure !== null) throw failure
  const output =
    spec.output_expr === undefined
      ? text
      : evaluate(spec.output_expr, templates, {
          response: { status: response.status, headers: redact.json(response.headers), text, json: json ?? null },
        })
  const bodyReason = isBlank(text) ? 'empty_body' : 'output_expr_empty'
  return present<ProviderResponse>({
    output,
    tool_calls: [],
    empty_reason: classifyEmpty(output, [bodyReason]),
    raw: json,
  })
}

/** Whether an expression handles the errors of a response itself: then a response with an error is an answer. */
const readsErrors = ({ output_expr }: HttpProvider): boolean => /\berrors?\b/.test(output_expr ?? '')

const evaluate = (expression: string, templates: Templates, context: JsonObject): Json => {
  try {
    const output = templates.evaluate(expression, context) ?? null
    if (isTooDeep(output)) throw new TooDeep('the output')
    return output
  } catch (error) {
    throw new ProviderFailure(`output_expr: ${messageOf(error)}`, {
      errorClass: 'provider_protocol',
      cause: error,
    })
  }
}

const parsed = (text: string): Json | undefined => {
  try {
    return parseResponse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if (error instanceof TooDeep) throw new ProviderFailure(error.message, { errorClass: 'provider_protocol' })
    throw error
  }
}
