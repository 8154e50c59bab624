import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openDocument } from '../../../domain/run/document.ts'
import type { JsonObject } from '../../../engine/json.ts'
import { parseFloats } from '../../../engine/numbers.ts'
import { ProgramFailure } from '../../../engine/processes/program.ts'
import type { RunEvent } from '../../../engine/runner/progress.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import type { AssertionSpec, Suite } from '../../../engine/suite/suite.ts'
import { memoryCache } from '../../support/engine/memory-cache.ts'
import { programsInProcess, runInProcess, type Answer, type InProcessRun } from '../../support/engine/run-in-process.ts'
import { loaded, provider, suite, test } from '../../support/engine/suites.ts'
import { httpSpec } from '../../support/vendors/suites.ts'
import { enginePorts, manualClock } from '../../support/vendors/engine-ports.ts'

const contains = (value: string, more: Partial<AssertionSpec> = {}): AssertionSpec => ({
  kind: 'contains',
  weight: 1,
  negate: false,
  fields: { value },
  ...more,
})
const ECHO: Answer = ({ vars }) => ({ output: `You said ${String(vars['q'])}` })
const run = (more: Partial<InProcessRun> & { readonly suite?: Partial<Suite> } = {}) => {
  const { suite: members = {}, ...rest } = more
  return runInProcess({
    loaded: loaded(members),
    tests: [test('a', { vars: { q: 'hi' }, assert: [contains('hi')] })],
    programs: programsInProcess(ECHO),
    ...rest,
  })
}

/** A document without what may differ between two runs of the same suite with the same answers. */
const timeless = ({ run_id: _, started_at: __, finished_at: ___, cases, ...rest }: RunDocument) => ({
  ...rest,
  cases: cases.map(({ wall_ms: ____, latency_ms: _____, ...item }) => item),
})

describe('a run', () => {
  it('sends a float as it is written, and keys it as the number', async () => {
    const sent: string[] = []
    const programs = programsInProcess((_request, call) => {
      sent.push(call.stdin)
      return { output: 'x' }
    })
    const cases = ['1', '1.0', '2'].map(async (number) => {
      const vars = parseFloats(`{"q":${number}}`) as JsonObject
      const { document } = await run({ programs, tests: [test('a', { vars })] })
      return document.cases[0]!
    })
    const [one, float, two] = await Promise.all(cases)
    expect(sent.filter((stdin) => stdin.includes('"vars":{"q":1.0}'))).toHaveLength(1)
    expect(JSON.stringify(float?.vars)).toBe('{"q":1.0}')
    expect([float?.cache_key, float?.prompt_digest]).toEqual([one?.cache_key, one?.prompt_digest])
    expect(float?.cache_key).not.toBe(two?.cache_key)
  })

  it('writes a document that the service accepts', async () => {
    const { document, outcomes, interrupted } = await run()
    expect(document).toMatchObject({
      schema_version: 3,
      run_id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      started_at: '2026-08-01T12:00:00.000Z',
      filters: {},
      summary: { total: 1, passed: 1 },
      cases: [
        {
          cell: { provider_id: 'bot', test_id: 'a', repeat: 0 },
          name: 'a',
          vars: { q: 'hi' },
          status: 'pass',
          output: 'You said hi',
          attempts: 1,
          cached: false,
          cache_key: expect.stringMatching(/^sha256:/) as string,
        },
      ],
    })
    expect(outcomes).toEqual([{ status: 'pass', harness: false }])
    expect(interrupted).toBe(false)
    const opened = openDocument(Buffer.from(JSON.stringify(document)))
    expect(opened.caseAt(0).case_key).toBe(document.cases[0]?.case_key)
  })

  it('records what was asked', async () => {
    const { document } = await run({ selection: { tags: ['none'], filters: ['x'], providers: ['bot'] } })
    expect(document).toMatchObject({
      cases: [],
      filters: { tags: ['none'], filters: ['x'], providers: ['bot'] },
      summary: { total: 0 },
    })
  })

  it('sends nothing a second time', async () => {
    const cache = memoryCache().client
    const programs = programsInProcess(ECHO)
    const tests = ['a', 'b', 'c'].map((id) => test(id, { vars: { q: id } }))
    await run({ cache, programs, tests })
    const { document } = await run({ cache, programs, tests })
    expect(programs.calls()).toBe(3)
    expect(document.summary).toMatchObject({ cache_hits: 3, cache_misses: 0 })
  })

  it('shows its progress in order', async () => {
    const events: RunEvent[] = []
    await run({ onEvent: (event) => void events.push(event) })
    expect(events.map(({ kind }) => kind)).toEqual(['run_started', 'case_started', 'case_finished', 'run_finished'])
  })
})

describe('the same suite with the same answers', () => {
  const words = ['', 'yes', 'no', 'sorry', 'error', 'crash', 'blank']
  const outcome: Answer = ({ vars }) => {
    const word = String(vars['q'])
    if (word === 'crash') throw new ProgramFailure('exit', 'the program ended with exit code 1', '')
    if (word === 'error') return { output: null, error: { message: 'down', class: 'provider_unavailable' } }
    if (word === 'blank') return { output: ' ', stop_reason: 'refusal' }
    return { output: word, usage: { input_tokens: word.length, output_tokens: 1 }, cost_usd: 0.000001 }
  }
  const suites = fc.record({
    repeat: fc.integer({ min: 1, max: 2 }),
    fallback: fc.boolean(),
    skip: fc.subarray(['refusal', 'blank']),
    store: fc.constantFrom('never' as const, 'reproducible' as const, 'always' as const),
    tests: fc.array(
      fc.record({
        q: fc.constantFrom(...words),
        value: fc.constantFrom(...words),
        negate: fc.boolean(),
        expectFail: fc.boolean(),
        salt: fc.constantFrom(undefined, '', 'v2'),
        checked: fc.boolean(),
        only: fc.constantFrom(undefined, ['p'], ['q']),
      }),
      { maxLength: 8 },
    ),
  })

  it('gives the same document but for ids and times, at any concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(
        suites,
        fc.integer({ min: 2, max: 9 }),
        fc.infiniteStream(fc.nat(3)),
        async (given, concurrency, delays) => {
          const tests = given.tests.map(({ q, value, negate, expectFail, salt, checked, only }, index) =>
            test(`t${index}`, {
              vars: { q },
              assert: [
                contains(value, { negate }),
                ...(checked ? [contains('', { kind: 'exec', fields: { command: ['check'] } })] : []),
              ],
              ...(expectFail && { expect_fail: true as const }),
              ...(salt !== undefined && { cache_salt: salt }),
              ...(only && { only_providers: only }),
            }),
          )
          const providers = [
            provider('p', { fallback: given.fallback ? ['q'] : [] }),
            provider('q', { command: ['other'], cache_salt: 'q' }),
          ]
          const runner = { ...suite().runner, skip_on_empty_reason: given.skip }
          const answers: Answer = async (request, call) => {
            for (let wait = delays.next().value as number; wait > 0; wait--) await Promise.resolve()
            if (call.command[0] === 'check') return { pass: request.vars['q'] !== 'no', reason: 'checked' }
            return outcome(request, call)
          }
          const cache = { ...suite().cache, store_empty_outputs: given.store }
          const documentAt = async (cells: number) => {
            const shown: RunDocument['cases'][number][] = []
            const { document } = await run({
              suite: { providers, runner, cache },
              tests,
              programs: programsInProcess(answers),
              selection: { repeat: given.repeat },
              options: { concurrency: cells },
              onEvent: (event) => void (event.kind === 'case_finished' && shown.push(event.case)),
            })
            // One after the other, the first of several equal calls is the one that was really sent.
            if (cells === 1) expect(document.cases).toEqual(shown)
            return timeless(document)
          }
          expect(await documentAt(concurrency)).toEqual(await documentAt(1))
        },
      ),
      { numRuns: 60 },
    )
  })
})

it('equal calls are sent by the first case in the order of the cells, also if another one was faster', async () => {
  // The fallback of the first case asks what the third one asks, which is sent earlier at concurrency 3.
  const providers = [provider('p', { command: ['first'], fallback: ['q'] }), provider('q')]
  const tests = [
    test('a', { vars: { q: 'hi' }, only_providers: ['p', 'q'] }),
    test('b', { vars: { q: 'hi' }, only_providers: ['q'] }),
    test('timed', {
      vars: { q: 'hi' },
      only_providers: ['q'],
      assert: [contains('', { kind: 'latency', fields: { max: 9 } })],
    }),
  ]
  const cachedAt = async (concurrency: number) => {
    const answers: Answer = async (request, call) => {
      if (call.command[0] !== 'first') return ECHO(request, call)
      for (let wait = 0; wait < 50; wait++) await Promise.resolve()
      return { output: null, error: { message: 'down', class: 'provider_unavailable' } }
    }
    const { document } = await run({
      suite: { providers },
      tests,
      programs: programsInProcess(answers),
      options: { concurrency },
    })
    return document.cases.map(({ cell, cached }) => [cell.provider_id, cell.test_id, cached])
  }
  const inOrder = await cachedAt(1)
  expect(inOrder).toEqual([
    ['p', 'a', false],
    ['q', 'a', true],
    ['q', 'b', true],
    ['q', 'timed', false],
  ])
  expect(await cachedAt(4)).toEqual(inOrder)
})

describe('equal checks', () => {
  const CHECK = contains('', { kind: 'exec', fields: { command: ['check'] } })
  const tests = [test('a', { assert: [CHECK] }), test('b', { cache_salt: 'y', assert: [CHECK, CHECK] })]
  /** Whether each assertion of each case is cached, where the first call of the provider is slow. */
  const cachedAt = async (concurrency: number, cache = memoryCache().client) => {
    let asked = 0
    const programs = programsInProcess(async (_request, call) => {
      if (call.command[0] === 'check') return { pass: true }
      for (let wait = asked++ === 0 ? 50 : 0; wait > 0; wait--) await Promise.resolve()
      return { output: 'same' }
    })
    const { document } = await run({ tests, programs, cache, options: { concurrency } })
    return document.cases.map(({ asserts }) => asserts.map(({ cached }) => cached))
  }

  it('are sent by the first assertion in the order of the cells, also if another cell was faster', async () => {
    const inOrder = await cachedAt(1)
    expect(inOrder).toEqual([[false], [true, true]])
    expect(await cachedAt(2)).toEqual(inOrder)
  })

  it('are all cached in a later run', async () => {
    const cache = memoryCache().client
    await cachedAt(2, cache)
    expect(await cachedAt(2, cache)).toEqual([[true], [true, true]])
  })
})

it('an interrupted run has what is done, and resumes from the cache', async () => {
  const cache = memoryCache().client
  const stop = new AbortController()
  const tests = ['a', 'b', 'c', 'd'].map((id) => test(id, { vars: { q: id }, assert: [contains(id)] }))
  const programs = programsInProcess((request, call) => {
    if (request.vars['q'] === 'c') stop.abort(new Error('stopped'))
    return ECHO(request, call)
  })
  const { document, interrupted } = await run({ cache, programs, tests, signal: stop.signal })
  expect(interrupted).toBe(true)
  expect(document.cases.map(({ cell, status }) => [cell.test_id, status])).toEqual([
    ['a', 'pass'],
    ['b', 'pass'],
  ])
  expect(document.summary).toMatchObject({ total: 2, passed: 2 })
  const again = programsInProcess(ECHO)
  const resumed = await run({ cache, programs: again, tests })
  expect(resumed.document.summary).toMatchObject({ total: 4, passed: 4, cache_hits: 2 })
  expect(again.calls()).toBe(2)
})

describe('a case', () => {
  /** What a case records of the call of its provider. */
  const ASKED = {
    request: { transport: 'exec', stdin: { vars: { q: 'hi' } } },
    cache_key: expect.stringMatching(/^sha256:/) as string,
    prompt_digest: expect.stringMatching(/^blake3:/) as string,
    provider_digest: expect.stringMatching(/^blake3:/) as string,
  }
  const only = async (more: Parameters<typeof run>[0]) => {
    const { document, outcomes } = await run(more)
    return { ...document.cases[0], outcome: outcomes[0] }
  }

  it('whose vars do not render has neither vars nor a prompt', async () => {
    const broken = await only({ tests: [test('a', { vars: { q: '{{ missing }}' } })] })
    expect(broken).toMatchObject({
      status: 'error',
      error_class: 'render_failed',
      error: expect.stringMatching(/^rendering vars: /) as string,
      latency_ms: 0,
      asserts: [],
    })
    for (const member of ['vars', 'prompt', 'prompt_digest', 'request', 'cache_key'])
      expect(broken).not.toHaveProperty(member)
  })

  it('whose history is not there names it', async () => {
    expect(await only({ tests: [test('a', { history: 'file://none.yaml' })] })).toMatchObject({
      error_class: 'render_failed',
      error: expect.stringMatching(/^rendering history: .*none\.yaml/) as string,
    })
  })

  it('whose call failed keeps what was asked', async () => {
    const programs = programsInProcess(() => {
      throw new ProgramFailure('exit', 'the program ended with exit code 1', '')
    })
    const failed = await only({ programs })
    expect(failed).toMatchObject({
      status: 'error',
      score: 0,
      error_class: 'exec_failed',
      error: 'provider error: the program ended with exit code 1',
      attempts: 1,
      vars: { q: 'hi' },
      request: { transport: 'exec' },
      cache_key: expect.stringMatching(/^sha256:/) as string,
      prompt_digest: expect.stringMatching(/^blake3:/) as string,
      provider_digest: expect.stringMatching(/^blake3:/) as string,
    })
    expect(failed).not.toHaveProperty('assert_digest')
    expect(failed).not.toHaveProperty('output')
  })

  it('of a test with a latency assertion uses no cache, and is a miss if only the cache may answer', async () => {
    const tests = [test('a', { vars: { q: 'hi' }, assert: [contains('', { kind: 'latency', fields: { max: 1000 } })] })]
    const cache = memoryCache().client
    const programs = programsInProcess(ECHO)
    await run({ tests, cache, programs })
    expect(await only({ tests, cache, programs })).toMatchObject({ cached: false, status: 'pass' })
    expect(programs.calls()).toBe(2)
    expect(await only({ tests, options: { cacheMode: 'only' } })).toMatchObject({
      status: 'error',
      error_class: 'cache_miss',
      ...ASKED,
    })
  })

  it('whose request does not render is a failed call', async () => {
    const providers = [
      {
        id: 'web',
        type: 'http',
        url: 'http://127.0.0.1:1/{{ nothing }}',
        method: 'GET',
        headers: {},
        fallback: [],
        fallback_only: false,
      } as const,
    ]
    expect(await only({ suite: { providers } })).toMatchObject({
      status: 'error',
      error_class: 'render_failed',
      error: expect.stringMatching(/^provider error: rendering the request: /) as string,
      attempts: 1,
    })
  })

  it.each([0, 1])('without an output has none, sent or from the cache (%i calls before)', async (before) => {
    const cache = memoryCache().client
    const programs = programsInProcess(() => ({ output: null, tool_calls: [{ name: 'f' }] }))
    const members = { cache: { ...suite().cache, store_empty_outputs: 'always' as const } }
    for (let n = 0; n < before; n++) await only({ cache, programs, suite: members })
    const answered = await only({ cache, programs, suite: members })
    expect(answered.cached).toBe(before === 1)
    expect(answered).not.toHaveProperty('output')
  })

  it('that the cache alone should answer is a miss with its key', async () => {
    const programs = programsInProcess(ECHO)
    expect(await only({ programs, options: { cacheMode: 'only' } })).toMatchObject({
      error_class: 'cache_miss',
      cache_key: expect.stringMatching(/^sha256:/) as string,
    })
    expect(programs.calls()).toBe(0)
  })

  it('that takes longer than runner.timeout_ms is an error, and its call ends', async () => {
    const clock = manualClock()
    const { promise, resolve } = Promise.withResolvers<void>()
    const programs = {
      run: (_: unknown, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
          resolve()
        }),
    }
    const running = only({
      programs,
      suite: { runner: { ...suite().runner, timeout_ms: 5000 } },
      ports: enginePorts({}, clock),
    })
    await promise
    clock.advance(5000)
    expect(await running).toMatchObject({
      status: 'error',
      error_class: 'provider_timeout',
      error: 'the cell took longer than 5000 ms (runner.timeout_ms)',
      vars: { q: 'hi' },
      ...ASKED,
    })
  })

  it('waits for the rate limit outside of runner.timeout_ms, but calls count', async () => {
    const clock = manualClock()
    const hanging = Promise.withResolvers<void>()
    let finished = 0
    const programs = programsInProcess(ECHO)
    const hang: typeof programs.run = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        hanging.resolve()
      })
    const running = runInProcess({
      loaded: loaded({ runner: { ...suite().runner, timeout_ms: 1000, rate_limit: { rps: 0.2 } } }),
      tests: [test('a', { vars: { q: 'a' } }), test('b', { vars: { q: 'b' } }), test('c', { vars: { q: 'c' } })],
      programs: {
        run: (call, signal) => (call.stdin.includes('"c"') ? hang(call, signal) : programs.run(call, signal)),
      },
      ports: enginePorts({}, clock),
      options: { concurrency: 3 },
      onEvent: ({ kind }) => void (finished += Number(kind === 'case_finished')),
    })
    await expect.poll(() => finished).toBe(1)
    clock.advance(5000)
    await expect.poll(() => finished).toBe(2)
    clock.advance(5000)
    await hanging.promise
    clock.advance(999)
    clock.advance(1)
    const { document } = await running
    expect(document.cases.map(({ error_class: errorClass }) => errorClass)).toEqual([
      undefined,
      undefined,
      'provider_timeout',
    ])
  })

  it('that a fallback answers names it, and keeps the provider of its cell', async () => {
    const providers = [provider('p', { fallback: ['q'] }), provider('q', { command: ['other'], fallback_only: true })]
    const programs = programsInProcess((request, call) =>
      call.command[0] === 'bot' ? { output: '', stop_reason: 'refusal' } : ECHO(request, call),
    )
    expect(await only({ suite: { providers }, programs })).toMatchObject({
      status: 'pass',
      cell: { provider_id: 'p' },
      answered_by_provider_id: 'q',
      fallback_attempts: [{ provider_id: 'p', empty_reason: 'refusal' }],
    })
    expect(await only({ suite: { providers }, programs, options: { withFallback: false } })).toMatchObject({
      status: 'fail',
      empty_reason: 'refusal',
    })
  })

  it('whose text matches a refusal pattern is refused everywhere but in its cache entry', async () => {
    const memory = memoryCache()
    const programs = programsInProcess(() => ({ output: 'I cannot help with that.' }))
    const runner = { ...suite().runner, refusal_patterns: ['^I cannot'], skip_on_empty_reason: ['refusal'] }
    const refused = { suite: { runner, cache: { ...suite().cache, store_empty_outputs: 'always' as const } }, programs }
    expect(await only({ ...refused, cache: memory.client })).toMatchObject({ status: 'skip', empty_reason: 'refusal' })
    expect(await only({ programs, cache: memory.client })).toMatchObject({ cached: true, status: 'fail' })
    expect(await only({ programs, cache: memory.client })).not.toHaveProperty('empty_reason')
  })

  it('sends, keys and records the values of variables that its vars mention', async () => {
    const tests = [test('a', { vars: { q: 'in {{ env.REGION }}' }, assert: [contains('in ')] })]
    const inRegion = (REGION: string) =>
      only({ programs: programsInProcess(ECHO), tests, ports: enginePorts({ REGION }) })
    const [first, second] = [await inRegion('eu-1'), await inRegion('us-2')]
    expect(first).toMatchObject({
      status: 'pass',
      vars: { q: 'in eu-1' },
      request: { stdin: { vars: { q: 'in eu-1' } } },
    })
    expect(second.cache_key).not.toBe(first.cache_key)
  })

  it('leaves raw and request out if asked, or if they are too large', async () => {
    const programs = programsInProcess(() => ({ output: 'hi', metadata: { a: 1 } }))
    expect(await only({ programs })).toMatchObject({ raw: { a: 1 }, request: {} })
    const bare = await only({ programs, options: { withRaw: false } })
    expect(bare).not.toHaveProperty('raw')
    expect(bare).not.toHaveProperty('request')
    const large = programsInProcess(() => ({ output: 'hi', metadata: 'x'.repeat(70_000) }))
    expect(await only({ programs: large })).not.toHaveProperty('raw')
  })

  it('that ends with a bug of the engine has no class', async () => {
    const warnings: string[] = []
    const programs = {
      run: async () => {
        throw new TypeError('a bug')
      },
    }
    const broken = await only({
      programs,
      onEvent: (event) => void (event.kind === 'warning' && warnings.push(event.message)),
    })
    expect(broken).toMatchObject({ status: 'error', error: 'internal error: a bug' })
    expect(broken).not.toHaveProperty('error_class')
    expect(warnings.join()).toContain('a bug')
  })

  it('shows no secret that a program prints', async () => {
    const providers = [provider('bot', { pass_env: ['BOT_TOKEN'] })]
    const programs = programsInProcess((_, call) => ({ output: `token ${call.env['BOT_TOKEN']}`, metadata: call.env }))
    const memory = memoryCache()
    const answered = await only({
      suite: { providers },
      programs,
      cache: memory.client,
      ports: enginePorts({ BOT_TOKEN: 'canary-12345678' }),
    })
    expect(answered.output).toBe('token [redacted BOT_TOKEN]')
    expect(JSON.stringify(answered)).not.toContain('canary')
  })

  it('shows no secret that its suite holds in full', async () => {
    const headers = { authorization: 'Bearer canary-12345678' }
    const { document } = await runInProcess({
      loaded: {
        ...loaded({ providers: [provider('bot'), httpSpec({ id: 'other', headers })] }),
        snapshot: { providers: [{ id: 'other', headers }] },
      },
      tests: [test('a', { vars: { q: 'a' } })],
      programs: programsInProcess(() => ({ output: 'canary-12345678' })),
      selection: { providers: ['bot'] },
    })
    expect(document.config_snapshot).toMatchObject({
      providers: [{ headers: { authorization: '[redacted header authorization]' } }],
    })
    expect(JSON.stringify(document)).not.toContain('canary')
  })

  it.each(['sent', 'cached'])('shows no secret in any part of an answer and of a verdict that is %s', async (how) => {
    const canary = 'canary-12345678'
    const said = `said ${canary}`
    const leak = {
      output: { [canary]: said },
      reasoning: said,
      model: said,
      stop_reason: said,
      empty_reason: said,
      tool_calls: [{ id: said, name: said, arguments: { [canary]: said } }],
      metadata: [said],
    }
    const programs = programsInProcess(({ vars }, { command }) => {
      if (command[0] === 'check') return { pass: true, reason: said, details: { [canary]: [said] } }
      return vars['q'] === 'leak' ? leak : { output: 'fine' }
    })
    const tests = [
      test('a', { vars: { q: 'leak' } }),
      test('b', { vars: { q: 'plain' }, assert: [contains('', { kind: 'exec', fields: { command: ['check'] } })] }),
    ]
    const cache = memoryCache().client
    const events: RunEvent[] = []
    const answer = (env: Readonly<Record<string, string>>) =>
      run({
        programs,
        suite: { cache: { ...suite().cache, store_empty_outputs: 'always' } },
        tests,
        cache,
        ports: enginePorts(env),
        onEvent: (event) => void events.push(event),
      })
    // The entries are older than the knowledge that this is a secret.
    if (how === 'cached') expect((await answer({})).document.cases).toMatchObject([{ reasoning: said }, {}])
    events.length = 0
    const { document } = await answer({ SERVICE_TOKEN: canary })
    const cached = how === 'cached'
    expect(document.cases).toMatchObject([
      { cached, reasoning: 'said [redacted SERVICE_TOKEN]' },
      { cached, asserts: [{ cached, reason: 'said [redacted SERVICE_TOKEN]' }] },
    ])
    expect(JSON.stringify([document, events])).not.toContain('canary')
  })

  it('shows no secret of another part of the run', async () => {
    const programs = programsInProcess(() => ({ output: { said: 'canary-12345678' }, reasoning: 'canary-12345678' }))
    const memory = memoryCache()
    const answered = await only({
      programs,
      cache: memory.client,
      ports: enginePorts({ SERVICE_TOKEN: 'canary-12345678' }),
    })
    expect(answered).toMatchObject({ output: { said: '[redacted SERVICE_TOKEN]' } })
    expect(JSON.stringify([answered, ...[...memory.entries.values()].map(String)])).not.toContain('canary')
  })
})
