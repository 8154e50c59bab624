import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { filesWith } from '../../support/files-with.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { chatAnswer, chatVerdict, errorAnswer, messagesAnswer } from '../../support/vendors/answers.ts'
import { startVendors } from '../../support/vendors/vendors.ts'

const CANARY = 'sk-canary-0123456789'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-cli-vendors-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], env: Readonly<Record<string, string>>) => runErs(args, { cwd: folder, env })

it('a run of vendor APIs retries, grades, prices, caches, and shows its keys nowhere', async () => {
  await using vendors = await startVendors()
  // The API repeats the key in an error and in an answer, as some gateways do.
  vendors.answerWith(({ body }) => {
    if (body.includes('"verdict"')) return chatVerdict({ reasoning: `key ${CANARY}`, pass: true, score: 0.9 })
    return body.includes('refuse me') ? errorAnswer(400, `bad key ${CANARY}`) : messagesAnswer(`30 days, ${CANARY}`)
  })
  vendors.script(errorAnswer(429, 'slow down', '0'))
  writeFileSync(
    join(folder, 'service.yaml'),
    `version: 1
suite: refunds
providers:
  - {id: chat, type: anthropic, model: claude-sonnet-4-5, base_url: "${vendors.url}", api_key_env: CHAT_KEY}
prompts: [{id: ask, template: "{{ q }}"}]
grader: {provider: {type: openai, model: gpt-4o, base_url: "${vendors.url}/v1", api_key_env: CHAT_KEY}}
tests:
  - {id: good, vars: {q: how long}, assert: [{type: icontains, value: 30 days}, {type: llm-rubric, value: names the window}]}
  - {id: refused, vars: {q: refuse me}}
`,
  )
  const args = ['run', '--format', 'json', '-vvv']
  const first = await ers(args, { CHAT_KEY: CANARY })
  const { cases, summary } = JSON.parse(first.stdout) as RunDocument
  expect(first.code).toBe(3)
  expect(cases).toMatchObject([
    {
      status: 'pass',
      output: '30 days, [redacted CHAT_KEY]',
      attempts: 2,
      cost_usd: 0.000081,
      model: 'm-small-1',
      asserts: [{ kind: 'icontains' }, { kind: 'llm-rubric', score: 0.9, reason: 'key [redacted CHAT_KEY]' }],
    },
    {
      status: 'error',
      error_class: 'provider_request',
      error: expect.stringMatching(/^provider error: HTTP 400: .*\[redacted CHAT_KEY\]/) as string,
    },
  ])
  expect(summary).toMatchObject({ retried_cases: 1, cost_usd: 0.000081 })
  const sent = vendors.requests.length

  const second = await ers(args, { CHAT_KEY: CANARY })
  expect(JSON.parse(second.stdout)).toMatchObject({ cases: [{ cached: true, asserts: [{}, { cached: true }] }, {}] })
  // Errors are not cached: the refused call is sent again, and nothing else.
  expect(vendors.requests.length).toBe(sent + 1)
  for (const text of [first.stdout, first.stderr, second.stdout, second.stderr]) expect(text).not.toContain(CANARY)
  expect(filesWith(folder, CANARY)).toEqual([])
  // The runs and the cache are among the files that were read.
  expect(filesWith(folder, '[redacted CHAT_KEY]')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\.service\/cache\//), expect.stringMatching(/^\.service\/runs\//)]),
  )
})

it('a response of status 200 that reports an error is retried, ends with exit code 3, and is not cached', async () => {
  await using vendors = await startVendors()
  vendors.answerWith(({ body, path }) => {
    if (body.includes('overloaded'))
      return { body: { type: 'error', error: { type: 'overloaded_error', message: 'o' } } }
    if (body.includes('ends badly')) return chatAnswer('a part', { finish_reason: 'error' })
    if (path === '/bot') return { body: { error: { message: 'quota' } } }
    return chatAnswer('fine')
  })
  writeFileSync(
    join(folder, 'service.yaml'),
    `version: 1
runner: {retries: {max: 1, initial_ms: 1}}
providers:
  - {id: messages, type: anthropic, model: m, base_url: "${vendors.url}", api_key_env: CHAT_KEY}
  - {id: chat, type: openai, model: m, base_url: "${vendors.url}/v1", api_key_env: CHAT_KEY}
  - {id: bot, type: http, url: "${vendors.url}/bot", body: {q: "{{ prompt }}"}}
prompts: [{id: ask, template: "{{ q }}"}]
defaults: {assert: [{type: not-contains, value: zzz}]}
tests:
  - {id: overloaded, vars: {q: overloaded}, only_providers: [messages, chat]}
  - {id: badly, vars: {q: ends badly}, only_providers: [chat]}
  - {id: quota, vars: {q: any}, only_providers: [bot]}
  - {id: fine, vars: {q: any}, only_providers: [chat]}
`,
  )
  const run = () => ers(['run', '--format', 'json', '--no-progress'], { CHAT_KEY: CANARY })
  const first = await run()
  expect(first.code).toBe(3)
  const failed = { status: 'error', score: 0, error_class: 'provider_unavailable', attempts: 2, cached: false }
  const { cases } = JSON.parse(first.stdout) as RunDocument
  expect(cases).toMatchObject([failed, failed, failed, { status: 'pass', output: 'fine' }, failed])
  expect(vendors.requests).toHaveLength(9)
  const second = JSON.parse((await run()).stdout) as RunDocument
  expect(second.cases.map(({ cached }) => cached)).toEqual([false, false, false, true, false])
  expect(vendors.requests).toHaveLength(17)
})
