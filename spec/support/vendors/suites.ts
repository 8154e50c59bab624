import { createPrograms } from '../../../engine/processes/run-program.ts'
import { redactor } from '../../../engine/providers/redactor.ts'
import { createProviders } from '../../../engine/providers/create-providers.ts'
import type { CallInput, Provider } from '../../../engine/providers/provider.ts'
import type { Ports } from '../../../engine/ports.ts'
import type {
  EmbeddingsProvider,
  ExecProvider,
  HttpProvider,
  ProviderSpec,
  Suite,
  VendorProvider,
} from '../../../engine/suite/suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'
import type { PartsFolder } from '../../../engine/evidence/parts-folder.ts'
import { memoryParts } from '../engine/memory-parts.ts'
import { enginePorts } from './engine-ports.ts'

const COMMON = { fallback: [], fallback_only: false } as const
const REQUEST = { query: {}, headers: {} } as const

export const anthropicSpec = (more: Partial<VendorProvider> = {}): VendorProvider => ({
  ...COMMON,
  id: 'small',
  type: 'anthropic',
  model: 'm-small',
  params: {},
  request: REQUEST,
  ...more,
})

export const openaiSpec = (more: Partial<VendorProvider> = {}): VendorProvider =>
  anthropicSpec({ id: 'chat', type: 'openai', model: 'm-chat', ...more })

export const embeddingsSpec = (more: Partial<EmbeddingsProvider> = {}): EmbeddingsProvider => ({
  ...COMMON,
  id: 'vectors',
  type: 'embeddings',
  model: 'text-embedding-3-small',
  params: {},
  request: REQUEST,
  ...more,
})

export const httpSpec = (more: Partial<HttpProvider> = {}): HttpProvider => ({
  ...COMMON,
  id: 'bot',
  type: 'http',
  url: 'https://bot.test/ask',
  method: 'POST',
  headers: {},
  ...more,
})

export const execSpec = (more: Partial<ExecProvider> = {}): ExecProvider => ({
  ...COMMON,
  id: 'crm-bot',
  type: 'exec',
  command: ['node', 'bot.mjs'],
  env: {},
  timeout_ms: 60_000,
  ...more,
})

export const suiteOf = (providers: readonly ProviderSpec[], more: Partial<Suite> = {}): Suite => ({
  version: 1,
  providers,
  prompts: [],
  tools: [],
  tests: [],
  runner: {
    concurrency: 4,
    retries: { max: 2, initial_ms: 500, max_ms: 30_000, jitter: true, retry_after_max_ms: 120_000 },
    short_circuit: true,
    skip_on_empty_reason: [],
    fallback_on_empty_reason: [],
    refusal_patterns: [],
  },
  cache: { backend: 'disk', store_empty_outputs: 'reproducible', grader: true },
  ...more,
})

export const callInput = (more: Partial<CallInput> = {}): CallInput => ({
  prompt: { text: 'How long can I return order A-77?' },
  vars: {},
  test: { id: 'refund/eligible', tags: ['smoke'] },
  tools: [],
  ...more,
})

/** One provider, built as a run builds it. */
export const providerOf = (
  spec: ProviderSpec,
  {
    env = {},
    ports = enginePorts(env),
    directory = '/',
    parts = memoryParts(),
    secrets = [],
  }: {
    env?: Ports['env']
    ports?: Ports
    directory?: string
    parts?: PartsFolder
    secrets?: ReadonlyArray<readonly [name: string, value: string]>
  } = {},
): Provider => {
  const options = {
    ports,
    templates: createTemplates(ports),
    programs: createPrograms(ports),
    parts,
    redactor: redactor(secrets),
  }
  const provider = createProviders({ suite: suiteOf([spec]), directory }, options).get(spec.id)
  if (provider === undefined) throw new Error(`no provider ${spec.id}`)
  return provider
}
