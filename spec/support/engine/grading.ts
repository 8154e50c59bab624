import { cachedCalls } from '../../../engine/cache/cached-calls.ts'
import { createCallCache } from '../../../engine/cache/create-call-cache.ts'
import { memoryParts } from './memory-parts.ts'
import { createGrader } from '../../../engine/grading/create-grader.ts'
import type { GraderOptions } from '../../../engine/grading/grader-options.ts'
import type { GradedCase } from '../../../engine/grading/grader.ts'
import { createPrograms } from '../../../engine/processes/run-program.ts'
import { redactor } from '../../../engine/providers/redactor.ts'
import type { AssertionSpec, EmbeddingsProvider, GraderSpec } from '../../../engine/suite/suite.ts'
import type { JsonObject } from '../../../engine/json.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'
import { enginePorts } from '../vendors/engine-ports.ts'
import { memoryCache } from './memory-cache.ts'

/** The credentials of the vendors in the environment of a spec. */
export const KEYS = { ANTHROPIC_API_KEY: 'key-of-anthropic', OPENAI_API_KEY: 'key-of-openai' }

/** A grader block of a vendor at an address. */
export const graderSpec = (type: string, base_url: string, more: Partial<GraderSpec> = {}): GraderSpec => ({
  provider: { type, model: 'm-judge', base_url, params: {}, request: { query: {}, headers: {} } },
  params: {},
  include_tool_calls: false,
  timeout_ms: 120_000,
  ...more,
})

export const embeddingsSpec = (base_url: string, more: Partial<EmbeddingsProvider> = {}): EmbeddingsProvider => ({
  type: 'embeddings',
  id: 'embed',
  fallback: [],
  fallback_only: false,
  model: 'text-embedding-3-small',
  base_url,
  params: {},
  request: { query: {}, headers: {} },
  ...more,
})

export const assertionOf = (
  kind: AssertionSpec['kind'],
  fields: JsonObject,
  more: Partial<AssertionSpec> = {},
): AssertionSpec => ({ kind, weight: 1, negate: false, fields, ...more })

export const CASE: GradedCase = {
  output: 'Yes, 30 days.',
  tool_calls: [],
  vars: { order: 'A-77' },
  env: { TENANT: 'acme-tenant' },
  test: { id: 'refund/eligible', tags: ['smoke'] },
  provider_id: 'crm-bot',
  repeat: 0,
}

/** A grader over a cache in memory. Each `grader()` belongs to a new run on the same cache. */
export const gradingSetUp = (options: Partial<GraderOptions> = {}) => {
  const memory = memoryCache()
  const warnings: string[] = []
  const ports = enginePorts()
  const newRun = (more: Partial<GraderOptions> = {}) =>
    createGrader({
      directory: import.meta.dirname,
      calls: cachedCalls(
        createCallCache({ client: memory.client, now: ports.now, version: '0.1.0', parts: memoryParts() }),
        (message) => void warnings.push(message),
      ),
      mode: 'normal',
      usesCache: true,
      ports,
      env: KEYS,
      globalHeaders: {},
      templates: createTemplates({ now: ports.now, env: {} }),
      programs: createPrograms(ports),
      redactor: redactor(new Map()),
      readFile: (reference) => Promise.reject(new Error(`${reference} does not exist`)),
      ...options,
      ...more,
    })
  const { signal } = new AbortController()
  return {
    memory,
    warnings,
    newRun,
    grade: (assertion: AssertionSpec, subject: Partial<GradedCase> = {}, more: Partial<GraderOptions> = {}) =>
      newRun(more).grade(assertion, { ...CASE, ...subject }, signal),
    /** The only entry of the cache, parsed. */
    entry: (): unknown => memory.jsonOf([...memory.entries.keys()][0] ?? ''),
  }
}
