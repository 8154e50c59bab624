import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../../engine/json.ts'
import { createPrograms } from '../../../engine/processes/run-program.ts'
import { createProviders } from '../../../engine/providers/create-providers.ts'
import { readProviderHeaders } from '../../../engine/providers/provider-headers.ts'
import { callWithRetries } from '../../../engine/providers/retries.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'
import type { VendorAnswer } from '../../support/vendors/answers.ts'
import { enginePorts } from '../../support/vendors/engine-ports.ts'
import {
  anthropicSpec,
  callInput,
  embeddingsSpec,
  execSpec,
  httpSpec,
  openaiSpec,
  providerOf,
  suiteOf,
} from '../../support/vendors/suites.ts'
import { redactor } from '../../../engine/providers/redactor.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'
import { startVendors, type Vendors } from '../../support/vendors/vendors.ts'

const NEVER = new AbortController().signal

describe('createProviders', () => {
  it('creates all kinds by their ids', () => {
    const ports = enginePorts()
    const specs = [anthropicSpec(), openaiSpec(), httpSpec(), execSpec(), embeddingsSpec()]
    const providers = createProviders(
      { suite: suiteOf(specs), directory: '/' },
      {
        ports,
        templates: createTemplates(ports),
        programs: createPrograms(ports),
        parts: memoryParts(),
        redactor: redactor([]),
      },
    )
    expect([...providers.keys()]).toEqual(specs.map(({ id }) => id))
    expect([...providers.values()].map(({ spec }) => spec)).toEqual(specs)
  })

  it('creates a provider whose request does not render, which fails when it is called', () => {
    const provider = providerOf(openaiSpec({ request: { query: { a: '{{ env.NONE }}' }, headers: {} } }))
    expect(provider.problem).toContain('rendering request')
    expect(() => provider.prepare(callInput())).toThrow(expect.objectContaining({ errorClass: 'render_failed' }))
    expect(providerOf(openaiSpec())).not.toHaveProperty('problem')
  })
})

describe('readProviderHeaders', () => {
  it('reads names and templates; a blank variable is none', () => {
    expect(readProviderHeaders({ SERVICE_PROVIDER_HEADERS: '{"X-A":"{{ env.B }}"}' })).toEqual({ 'X-A': '{{ env.B }}' })
    expect(readProviderHeaders({ SERVICE_PROVIDER_HEADERS: ' ' })).toEqual({})
    expect(readProviderHeaders({})).toEqual({})
  })

  it.each(['[]', '"canary"', '{"a":1}', '{"a":null}', 'canary', '{"a b":"canary"}', 'null'])('refuses %s', (value) => {
    const read = () => readProviderHeaders({ SERVICE_PROVIDER_HEADERS: value })
    expect(read).toThrow(UsageError)
    expect(read).toThrow(/^SERVICE_PROVIDER_HEADERS(?!.*canary)/)
  })
})

/** A secret in every place that may hold one. What the outside repeats comes back in errors, outputs and raw answers. */
describe('no secret', () => {
  const CANARY = 'canary/0123+456'
  const env = {
    PATH: process.env['PATH'],
    ANTHROPIC_API_KEY: CANARY,
    OPENAI_API_KEY: CANARY,
    TOKEN: CANARY,
    SERVICE_PROVIDER_HEADERS: '{"x-global":"{{ env.TOKEN }}"}',
  }
  const forms = [CANARY, encodeURIComponent(CANARY)]
  let vendors: Vendors
  beforeEach(async () => void (vendors = await startVendors()))
  afterEach(() => vendors[Symbol.asyncDispose]())

  const request = () => ({
    query: { t: '{{ env.TOKEN }}' },
    headers: { 'x-t': 'Token {{ env.TOKEN }}' },
    body: { metadata: { t: '{{ env.TOKEN }}' } },
  })
  const specs = () => [
    anthropicSpec({ base_url: vendors.url, request: request() }),
    openaiSpec({ base_url: vendors.url, request: request() }),
    httpSpec({
      url: `${vendors.url}/?t={{ env.TOKEN }}`,
      headers: { a: 'Bearer {{ env.TOKEN }}' },
      body: { t: '{{ env.TOKEN }}' },
    }),
    execSpec({
      command: ['sh', '-c', 'printf \'{"output":{"a":"%s"},"error":{"message":"%s"}}\' x "$TOKEN"'],
      pass_env: ['TOKEN'],
    }),
    execSpec({ command: ['sh', '-c', 'echo "$TOKEN" >&2; exit 1'], pass_env: ['TOKEN'] }),
    execSpec({ command: ['sh', '-c', 'echo "$TOKEN"'], pass_env: ['TOKEN'] }),
  ]

  it.each([200, 401, 429, 500])('is in what a call records, with answers of status %i', async (status) => {
    vendors.answerWith(({ path, headers, body }): VendorAnswer => {
      const repeated = JSON.stringify({ path, headers, body })
      return {
        status,
        body: { content: [{ type: 'text', text: repeated }], choices: [{ message: { content: repeated } }], repeated },
      }
    })
    const retries = { max: 1, initial_ms: 0, max_ms: 0, jitter: false, retry_after_max_ms: 0 }
    for (const spec of specs()) {
      const provider = providerOf(spec, { env })
      const prepared = provider.prepare(callInput())
      const outcome = await callWithRetries(prepared, retries, enginePorts(env), NEVER).catch((error: unknown) => {
        const failure = error as Error & { details?: unknown }
        return { message: failure.message, details: failure.details }
      })
      const recorded = JSON.stringify([provider.fingerprint, provider.address, prepared, outcome])
      for (const form of forms) expect(recorded).not.toContain(form)
      expect(JSON.stringify(outcome)).toContain('[redacted ')
    }
    // It was sent indeed.
    expect(vendors.requests.length).toBeGreaterThanOrEqual(3)
    for (const sent of vendors.requests) expect(JSON.stringify(sent)).toContain(CANARY)
  })
})
