import {
  GRADER_TIMEOUT_MS,
  PROGRAM_TIMEOUT_MS,
  type AuthoredExec,
  type AuthoredGrader,
  type AuthoredHttp,
  type AuthoredProvider,
  type AuthoredVendor,
} from '../shape/provider-shape.ts'
import type { ExecProvider, GraderSpec, HttpProvider, ProviderSpec, VendorSpec } from '../suite.ts'

const isExec = (provider: AuthoredProvider): provider is AuthoredExec => provider.type === 'exec'
const isHttp = (provider: AuthoredProvider): provider is AuthoredHttp => provider.type === 'http'

const withoutSlashes = (address: string): string => {
  let end = address.length
  while (end > 0 && address[end - 1] === '/') end--
  return address.slice(0, end)
}

const asList = (names: string | readonly string[]): readonly string[] => (typeof names === 'string' ? [names] : names)

type AuthoredVendorFields = Omit<AuthoredVendor, 'type' | 'id'>

const buildVendor = (authored: AuthoredVendorFields): VendorSpec => {
  const { model, base_url, api_key_env, params = {}, pricing, request = {}, cache_salt } = authored
  return {
    model,
    ...(base_url === undefined ? {} : { base_url: withoutSlashes(base_url) }),
    ...(api_key_env === undefined ? {} : { api_key_env: asList(api_key_env) }),
    params,
    ...(pricing === undefined ? {} : { pricing }),
    request: { ...request, query: request.query ?? {}, headers: request.headers ?? {} },
    ...(cache_salt === undefined ? {} : { cache_salt }),
  }
}

/** Returns an accepted provider with its defaults. A `$digest:` salt stays as it is. */
export const buildProvider = (authored: AuthoredProvider): ProviderSpec => {
  const { id, label, fallback = [], fallback_only = false } = authored
  const base = { id, ...(label === undefined ? {} : { label }), fallback, fallback_only }
  if (isExec(authored)) {
    const { command, env = {}, pass_env, timeout_ms = PROGRAM_TIMEOUT_MS, cache_salt } = authored
    return {
      ...base,
      type: 'exec',
      command,
      env,
      ...(pass_env === undefined ? {} : { pass_env }),
      timeout_ms,
      ...(cache_salt === undefined ? {} : { cache_salt }),
    } satisfies ExecProvider
  }
  if (isHttp(authored)) {
    const { url, method = 'POST', headers = {}, body, output_expr } = authored
    return {
      ...base,
      type: 'http',
      url,
      method: method.toUpperCase() as HttpProvider['method'],
      headers,
      ...(body === undefined ? {} : { body }),
      ...(output_expr === undefined ? {} : { output_expr }),
    } satisfies HttpProvider
  }
  return { ...base, type: authored.type, ...buildVendor(authored) }
}

/** Returns an accepted grader block with its defaults. */
export const buildGrader = (authored: AuthoredGrader): GraderSpec => {
  const { provider, api_key_env, base_url, params = {}, template, include_tool_calls = false } = authored
  const { timeout_ms = GRADER_TIMEOUT_MS, pricing } = authored
  // A judge of another type than a vendor has no model: grading refuses it by its type.
  const judge = { model: '', ...provider } as unknown as AuthoredVendorFields & { readonly type: string }
  return {
    provider: { type: judge.type, ...buildVendor(judge) },
    ...(api_key_env === undefined ? {} : { api_key_env: asList(api_key_env) }),
    ...(base_url === undefined ? {} : { base_url: withoutSlashes(base_url) }),
    params,
    ...(template === undefined ? {} : { template }),
    include_tool_calls,
    timeout_ms,
    ...(pricing === undefined ? {} : { pricing }),
  }
}
