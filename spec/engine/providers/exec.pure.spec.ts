import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blake3Bytes, canonicalText } from '../../../engine/cache/canonical.ts'
import type { Json } from '../../../engine/json.ts'
import { readExecResponse } from '../../../engine/providers/exec-response.ts'
import type { CallInput } from '../../../engine/providers/provider.ts'
import type { ExecProvider } from '../../../engine/suite/suite.ts'
import { memoryParts } from '../../support/engine/memory-parts.ts'
import { callInput, execSpec, providerOf } from '../../support/vendors/suites.ts'

const NEVER = new AbortController().signal
const SECRET = 'pass-canary-0123'
const ENV = { PATH: process.env['PATH'], BOT_KEY: SECRET, HOME: '/home/me' }

describe('an exec provider', () => {
  let directory: string
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'exec-'))))
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true })
  })

  const provider = (script: string, more: Partial<ExecProvider> = {}) =>
    providerOf(execSpec({ command: [process.execPath, '-e', script], ...more }), { env: ENV, directory })
  const send = (script: string, more: Partial<ExecProvider> = {}, input: Partial<CallInput> = {}) =>
    provider(script, more).prepare(callInput(input)).send(NEVER)
  const ECHO = `let text = ''; process.stdin.on('data', (d) => text += d).on('end', () => console.log(JSON.stringify({ output: text, metadata: { env: process.env } })))`

  it('keeps no secret of the suite in the files that a program writes', async () => {
    const parts = memoryParts()
    const secrets = [['OTHER', 'other-canary-0123']] as const
    const script = `require('fs').writeFileSync('a.bin', Buffer.concat([Buffer.from([255]), Buffer.from('other-canary-0123')]))
      console.log(JSON.stringify({ output: 'x', attachments: [{ path: 'a.bin' }] }))`
    const bot = providerOf(execSpec({ command: [process.execPath, '-e', script] }), {
      env: ENV,
      directory,
      parts,
      secrets,
    })
    await bot.prepare(callInput({})).send(NEVER)
    expect([...parts.parts.values()].map((bytes) => Buffer.from(bytes).toString('latin1'))).toEqual([
      'ÿ[redacted OTHER]',
    ])
  })

  it('sends exactly this request', async () => {
    const { output } = await send(ECHO, {}, { vars: { order: 'A-77' }, prompt: { text: 'Hi' } })
    expect(output).toBe(
      '{"service":{"protocol":1,"kind":"provider"},"prompt":{"text":"Hi"},"vars":{"order":"A-77"},"params":{},"test":{"id":"refund/eligible","tags":["smoke"]}}',
    )
  })

  it('sends messages and tools, and no prompt where there is none', async () => {
    const messages = [{ role: 'user', content: 'a' }] as const
    const tools = [{ name: 'f', description: 'd', input_schema: { type: 'object' } }, { name: 'g' }]
    const { output } = await send(ECHO, {}, { prompt: { messages }, tools })
    expect(JSON.parse(output as string)).toMatchObject({
      prompt: { messages },
      tools: [
        { name: 'f', description: 'd', input_schema: { type: 'object' } },
        { name: 'g', input_schema: null },
      ],
    })
    const bare = JSON.parse((await send(ECHO, {}, { prompt: null })).output as string) as object
    expect(Object.keys(bare)).toEqual(['service', 'vars', 'params', 'test'])
  })

  it('runs with the declared environment, and with passed variables whose values are recorded nowhere', async () => {
    const { raw, ...rest } = await send(ECHO, { env: { MODE: 'fast' }, pass_env: ['BOT_KEY', 'NONE'] })
    expect(raw).toMatchObject({ env: { MODE: 'fast', SERVICE_PROTOCOL: '1', BOT_KEY: '[redacted BOT_KEY]' } })
    expect((raw as { env: object }).env).not.toHaveProperty('HOME')
    expect(JSON.stringify([raw, rest])).not.toContain(SECRET)
  })

  it('has the canonical request and the fingerprint of the reference', () => {
    const input = callInput({ prompt: { text: 'How long can I return it?' }, vars: { order: 'A-77' } })
    const { canonical, preview } = providerOf(execSpec({ cache_salt: 'v2' })).prepare(input)
    expect(canonicalText(canonical)).toBe(
      '{"args":["bot.mjs"],"command":"node","stdin":{"params":{},"prompt":{"text":"How long can I return it?"},"service":{"kind":"provider","protocol":1},"vars":{"order":"A-77"}},"transport":"exec"}',
    )
    expect(preview).toEqual({
      ...canonical,
      stdin: { ...(canonical?.['stdin'] as object), test: { id: 'refund/eligible', tags: ['smoke'] } },
    })
    const withEnv = providerOf(execSpec({ env: { MODE: 'fast' }, pass_env: ['A'] }))
    const digest = 'blake3:e4a627b60bbccb610089b88d1d1e51f16967198a5f79e3424d73d39dfe3f0ee2'
    expect(withEnv.prepare(input).canonical?.['env_digest']).toBe(digest)
    expect(withEnv.fingerprint['env']).toBe(digest)
    expect(canonicalText(providerOf(execSpec({ cache_salt: 'v2' })).fingerprint)).toBe(
      '{"cache_salt":"v2","command":["node","bot.mjs"],"env":null,"type":"exec"}',
    )
    expect(providerOf(execSpec()).fingerprint['cache_salt']).toBeNull()
    expect(providerOf(execSpec({ command: [] })).prepare(input).canonical).toBeNull()
  })

  it.each([
    ['no start', { command: ['no-such-program'] }, true, /does not start/],
    ['a code', { command: ['sh', '-c', 'echo oops >&2; exit 4'] }, false, /exited with code 4; stderr: oops/],
    ['nothing', { command: ['true'] }, false, /wrote nothing/],
    [
      'a log line',
      { command: ['sh', '-c', 'echo starting; echo {}; echo why >&2'] },
      false,
      /not JSON: starting.*stderr: why/s,
    ],
    ['half of it', { command: ['sh', '-c', `printf '{"output": "a'`] }, false, /not JSON: \{"output": "a/],
    ['no object', { command: ['echo', '[1]'] }, false, /must be a JSON object/],
    [
      'a value that no run document could be read with',
      { command: ['echo', `{"output":${'['.repeat(500)}${']'.repeat(500)}}`] },
      false,
      /nested deeper than 500 levels/,
    ],
    ['no output', { command: ['echo', '{"error":{"message":"x"}}'] }, false, /no `output`/],
  ] as const)('a program with %s', async (_name, more, retriable, message) => {
    await expect(send('', more)).rejects.toMatchObject({
      errorClass: 'exec_failed',
      retriable,
      message: expect.stringMatching(message) as string,
    })
  })

  it('quotes no passed variable', async () => {
    const failed = send('', { command: ['sh', '-c', 'echo $BOT_KEY >&2; exit 1'], pass_env: ['BOT_KEY'] })
    await expect(failed).rejects.toMatchObject({
      message: expect.stringContaining('stderr: [redacted BOT_KEY]') as string,
    })
  })

  it('throws the reason of its signal', async () => {
    const run = new AbortController()
    const reason = new Error('the run ends')
    const done = provider('setInterval(() => {}, 1000)').prepare(callInput()).send(run.signal)
    const failed = expect(done).rejects.toBe(reason)
    run.abort(reason)
    await failed
  })

  it('digests the file of the program', async () => {
    writeFileSync(join(directory, 'bot'), 'one', { mode: 0o755 })
    const digest = blake3Bytes(Buffer.from('one'))
    expect(await providerOf(execSpec({ command: ['./bot'] }), { directory }).programDigest()).toBe(digest)
    expect(
      await providerOf(execSpec({ command: ['bot'] }), {
        directory,
        env: { PATH: `/none:${directory}` },
      }).programDigest(),
    ).toBe(digest)
    expect(
      await providerOf(execSpec({ command: ['none'] }), { directory, env: { PATH: directory } }).programDigest(),
    ).toBeNull()
    expect(await providerOf(execSpec({ command: ['/'] }), { directory }).programDigest()).toBeNull()
  })
})

describe('readExecResponse', () => {
  it('reads all members', () => {
    const response = {
      output: { a: 1 },
      usage: { input_tokens: 1, cache_write_tokens: 3, cache_write_1h_tokens: 1 },
      cost_usd: 0.5,
      metadata: { m: 1 },
      stop_reason: 'odd',
      reasoning: 'why',
      model: 'm',
      tool_calls: [{ name: 'f' }, { id: 'x', arguments: {} }, { id: 'i', name: 'g', arguments: { a: 1 } }],
      unknown: true,
    }
    expect(readExecResponse(response)).toEqual({
      output: { a: 1 },
      usage: { input_tokens: 1, output_tokens: 0, cache_write_tokens: 3, cache_write_1h_tokens: 1 },
      cost_usd: 0.5,
      stop_reason: 'odd',
      reasoning: 'why',
      model: 'm',
      tool_calls: [
        { name: 'f', arguments: null },
        { id: 'i', name: 'g', arguments: { a: 1 } },
      ],
      raw: { m: 1 },
    })
  })

  it('takes null for absent', () => {
    const response = { output: 'a', usage: null, cost_usd: null, error: null, tool_calls: null, empty_reason: null }
    expect(readExecResponse(response)).toEqual({ output: 'a', tool_calls: [] })
  })

  it.each([
    [{ output: '' }, 'blank'],
    [{ output: null, stop_reason: 'max_tokens' }, 'truncated'],
    [{ output: 'text', stop_reason: 'max_tokens' }, undefined],
    [{ output: 'text', empty_reason: 'tool_use_only' }, 'tool_use_only'],
    [{ output: '', empty_reason: '' }, 'blank'],
    [{ output: '', empty_reason: 'own_word' }, 'own_word'],
    [{ output: 0 }, undefined],
    [{ output: false }, undefined],
    [{ output: [] }, 'blank'],
    [{ output: { a: null } }, undefined],
  ])('classifies %j as %s', (response, reason) => {
    expect(readExecResponse(response).empty_reason).toBe(reason)
  })

  const failureOf = (response: Json) => {
    try {
      return readExecResponse(response)
    } catch (error) {
      return error
    }
  }

  it('an error wins over everything else', () => {
    const failure = failureOf({
      output: 'a',
      metadata: { m: 1 },
      error: { message: 'busy', retriable: true, class: 'provider_rate_limit', retry_after_ms: 70 },
    })
    expect(failure).toMatchObject({
      message: 'busy',
      errorClass: 'provider_rate_limit',
      retriable: true,
      retryAfterMs: 70,
      details: { m: 1 },
    })
    expect(
      failureOf({ output: null, error: { message: 'x', details: [1], retry_after_ms: 70 }, metadata: 1 }),
    ).toMatchObject({
      errorClass: 'exec_failed',
      retriable: false,
      retryAfterMs: null,
      details: [1],
    })
  })

  it.each([
    ['', 'exec_failed'],
    ['own_class', 'own_class'],
    ['render_failed', 'exec_failed'],
    ['checker_failed', 'exec_failed'],
    ['grader_missing', 'exec_failed'],
    ['assert_failed', 'exec_failed'],
    ['provider_auth', 'provider_auth'],
  ])('the class %j is %s', (name, errorClass) => {
    expect(failureOf({ output: null, error: { message: 'x', class: name } })).toMatchObject({ errorClass })
  })

  it.each([
    [{ output: 1, usage: [] }, '`usage`'],
    [{ output: 1, usage: { input_tokens: -1 } }, '`input_tokens`'],
    [{ output: 1, cost_usd: '1' }, '`cost_usd`'],
    [{ output: 1, model: 5 }, '`model`'],
    [{ output: 1, tool_calls: {} }, '`tool_calls`'],
    [{ output: 1, error: 'x' }, '`error`'],
    [{ output: 1, error: {} }, '`error.message`'],
  ])('rejects %j and names the member', (response, name) => {
    expect(failureOf(response)).toMatchObject({
      errorClass: 'exec_failed',
      message: expect.stringContaining(name) as string,
    })
  })
})
