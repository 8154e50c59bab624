import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blake3Digest } from '../../../../engine/cache/canonical.ts'
import type { Ports } from '../../../../engine/ports.ts'
import type { VendorFamily } from '../../../../engine/providers/vendor/families.ts'
import { createVendorEndpoint, type VendorCall } from '../../../../engine/providers/vendor/transport.ts'
import type { RequestSpec, VendorSpec } from '../../../../engine/suite/suite.ts'
import { createTemplates } from '../../../../engine/templates/templates.ts'
import { enginePorts } from '../../../support/vendors/engine-ports.ts'
import { headerOf, startVendors, type SentRequest, type Vendors } from '../../../support/vendors/vendors.ts'

const NEVER = new AbortController().signal
const ENV = {
  ANTHROPIC_API_KEY: 'sk-ant-canary-1',
  OPENAI_API_KEY: 'sk-canary-2222',
  TENANT: 'tenant-canary-3',
  SHORT: 'eu',
}

describe('createVendorEndpoint', () => {
  let vendors: Vendors
  beforeEach(async () => void (vendors = await startVendors()))
  afterEach(() => vendors[Symbol.asyncDispose]())

  type Options = {
    readonly family?: VendorFamily
    readonly spec?: Partial<VendorSpec>
    readonly request?: Partial<RequestSpec>
    readonly env?: Ports['env']
    readonly globalHeaders?: Readonly<Record<string, string>>
    readonly body?: { readonly [key: string]: string }
  }
  const prepare = ({
    family = 'anthropic',
    spec = {},
    request = {},
    env = ENV,
    globalHeaders = {},
    body = { model: 'm' },
  }: Options): VendorCall => {
    const ports = enginePorts(env)
    return createVendorEndpoint({
      family,
      spec: { model: 'm', base_url: vendors.url, params: {}, request: { query: {}, headers: {}, ...request }, ...spec },
      env,
      ports,
      globalHeaders,
      templates: createTemplates(ports),
    }).prepare(body)
  }
  const sent = async (options: Options): Promise<SentRequest> => {
    await prepare(options).send(NEVER)
    const request = vendors.requests.at(-1)
    if (request === undefined) throw new Error('nothing was sent')
    return request
  }
  beforeEach(() => {
    vendors.answerWith(() => ({ body: '{}' }))
  })

  it.each([
    ['anthropic', '/v1/messages', 'x-api-key', 'sk-ant-canary-1'],
    ['openai', '/chat/completions', 'authorization', 'Bearer sk-canary-2222'],
    ['embeddings', '/embeddings', 'authorization', 'Bearer sk-canary-2222'],
  ] as const)('%s: path and credential', async (family, path, header, value) => {
    const request = await sent({ family })
    expect(request.path).toBe(path)
    expect(headerOf(request, header)).toBe(value)
    expect(headerOf(request, 'anthropic-version')).toBe(family === 'anthropic' ? '2023-06-01' : undefined)
    expect(prepare({ family }).headersDigest).toBeNull()
  })

  it.each([
    ['anthropic', 'bearer', undefined, 'Bearer sk-ant-canary-1'],
    ['openai', 'api_key', 'sk-canary-2222', undefined],
    ['anthropic', 'none', undefined, undefined],
    ['openai', 'none', undefined, undefined],
  ] as const)('%s with auth %s', async (family, auth, key, authorization) => {
    const request = await sent({ family, request: { auth } })
    expect(headerOf(request, 'x-api-key')).toBe(key)
    expect(headerOf(request, 'authorization')).toBe(authorization)
  })

  it('uses the first variable of api_key_env that is not blank, without blanks around it', async () => {
    const env = { A: '', B: ' \n', C: '\tthe-key-of-c \r\n', D: 'd' }
    const request = await sent({ spec: { api_key_env: ['X', 'A', 'B', 'C', 'D'] }, env })
    expect(headerOf(request, 'x-api-key')).toBe('the-key-of-c')
  })

  it('removes slashes at the end of base_url and keeps its path', async () => {
    const spec = { base_url: `${vendors.url}/gateway/v2//` }
    expect((await sent({ spec })).path).toBe('/gateway/v2/v1/messages')
    expect(prepare({ spec }).path).toBe('/v1/messages')
    expect(prepare({ spec }).address).toBe(`${vendors.url}/gateway/v2/v1/messages`)
  })

  it('replaces the path, and appends the query sorted and percent-encoded', async () => {
    const query = { z: "a b&c=d/ü~-._!'()*", a: '{{ env.SHORT }}', é: '' }
    const { path } = await sent({ request: { path: '/x/{{ env.SHORT }}', query } })
    expect(path).toBe('/x/eu?a=eu&z=a%20b%26c%3Dd%2F%C3%BC~-._%21%27%28%29%2A&%C3%A9=')
    expect((await sent({ request: { path: '/x?b=1', query: { a: '2' } } })).path).toBe('/x?b=1&a=2')
    expect(prepare({ request: { path: '/x?b=1', query: { a: '2' } } }).path).toBe('/x?b=1&a=2')
  })

  it('declared headers win over the credential and over those of the family, in any case', async () => {
    const request = await sent({
      request: { headers: { 'X-Api-Key': 'mine', 'Anthropic-Version': '2030-01-01', 'content-type': 'application/x' } },
    })
    expect(request.headers.filter(([name]) => name.toLowerCase() === 'x-api-key')).toEqual([['X-Api-Key', 'mine']])
    expect(headerOf(request, 'anthropic-version')).toBe('2030-01-01')
    expect(headerOf(request, 'content-type')).toBe('application/x')
  })

  it('a declared credential header needs no credential', async () => {
    const request = await sent({ family: 'openai', env: {}, request: { headers: { authorization: 'Basic x' } } })
    expect(headerOf(request, 'authorization')).toBe('Basic x')
  })

  it('headers of the suite win over SERVICE_PROVIDER_HEADERS; both are in the digest', async () => {
    const options: Options = {
      globalHeaders: { 'x-one': 'global {{ env.TENANT }}', 'X-Two': 'global' },
      request: { headers: { 'x-two': 'suite {{ env.SHORT }}' } },
    }
    const request = await sent(options)
    expect(headerOf(request, 'x-one')).toBe('global tenant-canary-3')
    expect(headerOf(request, 'x-two')).toBe('suite eu')
    expect(prepare(options).headersDigest).toBe(
      blake3Digest({ 'x-one': 'global ${env:TENANT}', 'x-two': 'suite ${env:SHORT}' }),
    )
  })

  it('sends values of the environment, and records placeholders', async () => {
    const options: Options = {
      request: {
        path: '/{{ env.TENANT }}/x',
        query: { t: '{{ env.TENANT }}' },
        body: { metadata: { user: '{{ env.TENANT }}', n: 1 } },
      },
    }
    const request = await sent(options)
    expect(request.path).toBe('/tenant-canary-3/x?t=tenant-canary-3')
    expect(request.body).toBe('{"model":"m","metadata":{"user":"tenant-canary-3","n":1}}')
    const call = prepare(options)
    expect(call.path).toBe('/${env:TENANT}/x?t=%24%7Benv%3ATENANT%7D')
    expect(call.body).toEqual({ model: 'm', metadata: { user: '${env:TENANT}', n: 1 } })
    expect(call.preview).toEqual({
      transport: 'http',
      method: 'POST',
      url: `${vendors.url}/\${env:TENANT}/x?t=%24%7Benv%3ATENANT%7D`,
      body: call.body,
    })
    expect(JSON.stringify(call)).not.toContain('canary')
  })

  it('merges request.body over the body: objects by key, all other values replaced', async () => {
    const options: Options = {
      body: { model: 'm', keep: 'k' },
      request: { body: { model: 'other', messages: [{ role: 'user', content: '{{ 1 + 1 }}' }], nested: { a: null } } },
    }
    expect((await sent(options)).body).toBe(
      '{"model":"other","keep":"k","messages":[{"role":"user","content":"2"}],"nested":{"a":null}}',
    )
  })

  it('sends the whole body where request.body is null', async () => {
    const options: Options = { request: { body: null } }
    expect((await sent(options)).body).toBe('{"model":"m"}')
    expect(prepare(options).body).toEqual({ model: 'm' })
  })

  it.each([['anthropic'], ['openai'], ['embeddings']] as const)(
    '%s: a body that reports an error is a failure, without secrets',
    async (family) => {
      vendors.script({
        headers: { 'retry-after': '3' },
        body: { error: { code: 429, message: `no ${ENV.OPENAI_API_KEY} ${ENV.ANTHROPIC_API_KEY}` } },
      })
      await expect(prepare({ family }).send(NEVER)).rejects.toMatchObject({
        errorClass: 'provider_rate_limit',
        retriable: true,
        retryAfterMs: 3000,
        message: expect.stringContaining('[redacted ') as string,
        details: { code: 429, message: expect.stringContaining('[redacted ') as string },
      })
    },
  )

  it('refuses a response that no run document could be read with', async () => {
    vendors.answerWith(() => ({ body: `${'['.repeat(501)}${']'.repeat(501)}` }))
    await expect(prepare({}).send(NEVER)).rejects.toMatchObject({
      errorClass: 'provider_protocol',
      message: 'the response is nested deeper than 500 levels',
    })
  })

  it('merges a member that is called __proto__ like every other member', async () => {
    const body = JSON.parse('{"__proto__":{"polluted":true}}') as { [key: string]: string }
    expect((await sent({ body, request: { body: { a: 1 } } })).body).toBe('{"__proto__":{"polluted":true},"a":1}')
    expect({}).not.toHaveProperty('polluted')
  })

  it('rejects what does not render, and a path that would change the host', () => {
    for (const request of [{ headers: { a: '{{ env.NONE }}' } }, { body: { a: ['{{'] } }, { path: '.evil.test/' }])
      expect(() => prepare({ request })).toThrow(expect.objectContaining({ errorClass: 'render_failed' }))
  })

  it('removes its secrets from what the vendor repeats', async () => {
    const options: Options = {
      request: { headers: { 'x-token': 'Token {{ env.TENANT | b64encode }}' }, query: { t: '{{ env.TENANT }}' } },
    }
    const base64 = Buffer.from(ENV.TENANT).toString('base64')
    const repeated = { a: ENV.ANTHROPIC_API_KEY, b: `Token ${base64}`, c: ENV.TENANT, d: ENV.SHORT }
    vendors.answerWith(() => ({ body: repeated }))
    expect((await prepare(options).send(NEVER)).payload).toEqual({
      a: '[redacted ANTHROPIC_API_KEY]',
      b: '[redacted header x-token]',
      c: '[redacted TENANT]',
      d: 'eu',
    })
    vendors.answerWith(() => ({ status: 500, body: repeated }))
    await expect(prepare(options).send(NEVER)).rejects.toThrow(
      'HTTP 500: {"a":"[redacted ANTHROPIC_API_KEY]","b":"[redacted header x-token]","c":"[redacted TENANT]","d":"eu"}',
    )
  })

  it('removes secrets that a template wrote in another form', async () => {
    const env = { ...ENV, MY_KEY: 'my-canary-key' }
    const options: Options = {
      env,
      request: {
        body: { list: ['id={{ env.MY_KEY | upper }};', '{{ env.MY_KEY }}'] },
        query: { t: '{{ env.MY_KEY | title }}' },
      },
    }
    vendors.answerWith(() => ({ body: { a: 'MY-CANARY-KEY', b: 'My-Canary-Key', c: env.MY_KEY } }))
    const { payload } = await prepare(options).send(NEVER)
    expect(JSON.stringify(payload).toLowerCase()).not.toContain('canary')
    expect(payload).toMatchObject({ c: '[redacted MY_KEY]' })
  })

  it('records no user and password of base_url, and sends nothing with them', async () => {
    const call = prepare({ spec: { base_url: 'https://user:pass-canary@gate.test/v1' } })
    expect(call.address).toBe('https://gate.test/v1/v1/messages')
    expect(JSON.stringify(call)).not.toContain('canary')
    await expect(call.send(NEVER)).rejects.toMatchObject({
      errorClass: 'provider_request',
      message: expect.not.stringContaining('canary') as string,
    })
  })
})
