import { isMapping } from '../../suite/values.ts'
import { messageOf } from '../../../domain/plain/message-of.ts'
import { byCodePoint } from '../../../domain/text/code-point-order.ts'
import type { Json, JsonObject } from '../../json.ts'
import { TooDeep, parseResponse } from '../../response-json.ts'
import type { Ports } from '../../ports.ts'
import { ProviderFailure } from '../provider.ts'
import { redactor, type Redactor } from '../redactor.ts'
import { renderedSecrets, secretHeaders, secretVariablesIn, writtenSecrets } from '../secret-names.ts'
import type { VendorSpec } from '../../suite/suite.ts'
import type { Templates } from '../../templates/templates.ts'
import { plainAddress, withoutUser } from '../wire/address.ts'
import { headersDigest, joinHeaders, renderHeaders, type Headers } from '../wire/declared-headers.ts'
import { exchange, type WirePorts } from '../wire/exchange.ts'
import { reportedByModel } from '../wire/reported-error.ts'
import { retryAfterMs } from '../wire/retry-after.ts'
import { envScopes, renderJson, renderText, type Rendered } from '../wire/rendering.ts'
import { CredentialMissing, findCredential } from './credentials.ts'
import { FAMILIES, type VendorFamily } from './families.ts'

/** What an endpoint of a vendor API is made of. */
export type VendorEndpointOptions = {
  readonly family: VendorFamily
  readonly spec: VendorSpec
  /** Absent: the usual bound of the API. */
  readonly timeoutMs?: number
  readonly env: Ports['env']
  readonly ports: WirePorts
  /** `SERVICE_PROVIDER_HEADERS`: templates over `env`. Headers of the suite win. */
  readonly globalHeaders: Headers
  readonly templates: Templates
}

/** A call of a vendor API that is ready to be sent. */
export type VendorCall = {
  /** The path with its query, as it is recorded. */
  readonly path: string
  /** The final body, as it is recorded. */
  readonly body: Json
  /** `{transport, method, url, body}` as it is recorded. */
  readonly preview: JsonObject
  /** Null: no header is declared. */
  readonly headersDigest: string | null
  /** The endpoint without credentials and query. */
  readonly address: string
  /**
   * Sends the request once. Returns the parsed body of a 2xx response, without secrets. Throws `ProviderFailure`:
   * `CredentialMissing` before anything is sent, `HttpStatusFailure` for another status, one for a body that reports an
   * error; or the reason of the signal.
   */
  readonly send: (signal: AbortSignal) => Promise<{ readonly payload: Json }>
}

/** An endpoint whose `request` templates are rendered: one for each provider, judge or embeddings block. */
export type VendorEndpoint = {
  readonly address: string
  readonly headersDigest: string | null
  /** `body` is what the API is asked, before `request.body` is merged over it. */
  readonly prepare: (body: JsonObject) => VendorCall
}

/**
 * Renders the `request` of a block once, with the values of the environment and with placeholders. Throws
 * `ProviderFailure` of class `render_failed`.
 */
export const createVendorEndpoint = (options: VendorEndpointOptions): VendorEndpoint => {
  const { family, spec, env, ports } = options
  const api = FAMILIES[family]
  const request = renderRequest(options)
  const base = (spec.base_url ?? api.address).replace(/(?<!\/)\/+$/, '')
  const auth = spec.request.auth ?? api.auth
  const credential = auth === 'none' ? null : findCredential(family, spec, env)
  const credentialHeader = auth === 'api_key' ? 'x-api-key' : 'authorization'
  const declaresCredential = Object.keys(request.headers.sent).some((name) => name.toLowerCase() === credentialHeader)
  const sentHeaders = joinHeaders(
    { 'content-type': 'application/json', ...api.headers },
    credential === null
      ? {}
      : { [credentialHeader]: auth === 'bearer' ? `Bearer ${credential.value}` : credential.value },
    request.headers.sent,
  )
  const redact = redactor(secretsOf(options, request, credential))
  const digest = headersDigest(request.headers.shown)
  const address = plainAddress(`${base}${request.path.shown}`)

  return {
    address,
    headersDigest: digest,
    prepare: (body) => {
      const shownBody = request.body === null ? body : mergeDeep(body, request.body.shown)
      const finalBody = request.body === null ? body : mergeDeep(body, request.body.sent)
      return {
        path: request.path.shown,
        body: shownBody,
        preview: {
          transport: 'http',
          method: 'POST',
          url: withoutUser(`${base}${request.path.shown}`),
          body: shownBody,
        },
        headersDigest: digest,
        address,
        send: async (signal) => {
          if (auth !== 'none' && credential === null && !declaresCredential) throw new CredentialMissing(family, spec)
          const response = await exchange(
            ports,
            {
              method: 'POST',
              url: `${base}${request.path.sent}`,
              headers: Object.entries(sentHeaders),
              body: JSON.stringify(finalBody),
              timeoutMs: options.timeoutMs ?? api.timeoutMs,
              redactor: redact,
            },
            signal,
          )
          const payload = parsePayload(response.text, redact)
          const failure = reportedByModel(payload, retryAfterMs(response.headers['retry-after'] ?? null, ports.now()))
          if (failure !== null) throw failure
          return { payload }
        },
      }
    },
  }
}

type RenderedRequest = {
  readonly path: Rendered<string>
  readonly headers: Rendered<Headers>
  readonly body: Rendered<Json> | null
}

const renderRequest = ({ family, spec, env, globalHeaders, templates }: VendorEndpointOptions): RenderedRequest => {
  const scope = envScopes(env)
  const scopes = { sent: { env: scope.sent }, shown: { env: scope.shown } }
  const { request } = spec
  try {
    const path = renderText(templates, request.path ?? FAMILIES[family].path, scopes)
    if (!path.sent.startsWith('/')) throw renderFailed('request.path: the path must start with `/`')
    const query = Object.entries(request.query)
      .sort(([a], [b]) => byCodePoint(a, b))
      .map(([key, template]) => [key, renderText(templates, template, scopes)] as const)
    return {
      path: {
        sent: withQuery(
          path.sent,
          query.map(([key, { sent }]) => [key, sent]),
        ),
        shown: withQuery(
          path.shown,
          query.map(([key, { shown }]) => [key, shown]),
        ),
      },
      headers: renderHeaders(templates, joinHeaders(globalHeaders, request.headers), scopes),
      // A null would replace the whole body: it counts as no body at all.
      body: request.body === undefined || request.body === null ? null : renderJson(templates, request.body, scopes),
    }
  } catch (error) {
    if (error instanceof ProviderFailure) throw error
    throw renderFailed(`rendering request: ${messageOf(error)}`, error)
  }
}

const renderFailed = (message: string, cause?: unknown): ProviderFailure =>
  new ProviderFailure(message, { errorClass: 'render_failed', cause })

const withQuery = (path: string, query: ReadonlyArray<readonly [key: string, value: string]>): string => {
  if (query.length === 0) return path
  const text = query.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
  return `${path}${path.includes('?') ? '&' : '?'}${text}`
}

/** Percent-encoding that leaves only the unreserved characters of RFC 3986. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Secret variables that the request uses, and every rendered header that contains one. */
const secretsOf = (
  { spec, env, globalHeaders }: VendorEndpointOptions,
  request: RenderedRequest,
  credential: { readonly name: string; readonly value: string } | null,
): ReadonlyMap<string, string> => {
  const { path, query, headers, body } = spec.request
  const declared = joinHeaders(globalHeaders, headers)
  const secrets = new Map(writtenSecrets(declared))
  for (const [name, value] of secretHeaders(declared, request.headers.sent)) secrets.set(`header ${name}`, value)
  for (const name of secretVariablesIn(declared, [path ?? '', query, body ?? null])) {
    const value = env[name]
    if (value !== undefined) secrets.set(name, value)
  }
  if (credential !== null) secrets.set(credential.name, credential.value)
  // Last: a value that is a variable has the name of the variable.
  const parts = [
    ...renderedSecrets(declared, request.headers),
    ...renderedSecrets(JSON.stringify([path, query]), request.path),
    ...(request.body === null ? [] : renderedSecrets(body ?? null, request.body)),
  ]
  for (const [index, value] of parts.entries()) secrets.set(`part ${index + 1} of the request`, value)
  return secrets
}

/** Merges objects by key; any other value replaces. */
const mergeDeep = (base: Json, over: Json): Json => {
  if (!isMapping(base) || !isMapping(over)) return over
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over)) {
    const before = merged.get(key)
    merged.set(key, before === undefined ? value : mergeDeep(before, value))
  }
  return Object.fromEntries(merged)
}

const parsePayload = (text: string, redact: Redactor): Json => {
  try {
    return redact.json(parseResponse(text))
  } catch (error) {
    if (error instanceof TooDeep) throw new ProviderFailure(error.message, { errorClass: 'provider_protocol' })
    throw new ProviderFailure(`the response is not JSON: ${redact.text((error as Error).message)}`, {
      errorClass: 'provider_protocol',
      cause: error,
    })
  }
}
