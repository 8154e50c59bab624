import type { Ports } from '../ports.ts'
import type { Programs } from '../processes/program.ts'
import type { LoadedSuite, ProviderSpec } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import type { PartsFolder } from '../evidence/parts-folder.ts'
import { embeddingsAsProvider } from './embeddings.ts'
import { createExecProvider } from './exec.ts'
import { createHttpProvider } from './http.ts'
import { readProviderHeaders } from './provider-headers.ts'
import type { Provider } from './provider.ts'
import type { Redactor } from './redactor.ts'
import { createVendorProvider } from './vendor/provider.ts'

export type ProviderOptions = {
  readonly ports: Pick<Ports, 'http' | 'sleep' | 'now' | 'env'>
  readonly templates: Templates
  readonly programs: Programs
  readonly parts: PartsFolder
  /** Of all secrets of the suite. */
  readonly redactor: Redactor
}

/**
 * The providers of a suite by id. Throws `UsageError` for a bad `SERVICE_PROVIDER_HEADERS`. A provider whose `request`
 * does not render has a `problem`.
 */
export const createProviders = (
  { suite, directory }: Pick<LoadedSuite, 'suite' | 'directory'>,
  { ports, templates, programs, parts, redactor }: ProviderOptions,
): ReadonlyMap<string, Provider> => {
  const { env } = ports
  const shared = { env, ports, templates, globalHeaders: readProviderHeaders(env) }
  const create = (spec: ProviderSpec): Provider => {
    switch (spec.type) {
      case 'exec':
        return createExecProvider(spec, { directory, env, programs, parts, redactor })
      case 'http':
        return createHttpProvider(spec, shared)
      case 'embeddings':
        return embeddingsAsProvider(spec)
      case 'anthropic':
      case 'openai':
        return createVendorProvider(spec, shared)
    }
  }
  return new Map(suite.providers.map((spec) => [spec.id, create(spec)]))
}
