import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { readAction, runAction } from '../support/ci/composite-action.ts'
import { HOSTILE, liveIn } from '../support/ci/rendered.ts'
import { startGithub, type StandInGithub } from '../support/ci/stand-in-github.ts'
import { engineCase, engineRun } from '../support/documents/engine-run.ts'
import { PROGRAM } from '../support/servers/program.ts'
import { startServer } from '../support/servers/server.ts'

const PULL_REQUEST = { pull_request: { number: 7 } }
let github: StandInGithub
let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(async () => {
  github = await startGithub()
  folder = mkdtempSync(join(tmpdir(), 'ers-action-'))
})
afterEach(async () => {
  await github.close()
  rmSync(folder, { recursive: true })
})

const act = (
  inputs: Readonly<Record<string, string>>,
  { event = PULL_REQUEST, env = {} }: { event?: unknown; env?: Readonly<Record<string, string>> } = {},
) =>
  runAction({
    folder,
    inputs: { 'binary-path': PROGRAM, ...inputs },
    event,
    env: { GITHUB_API_URL: github.url, ...env },
  })

const onServer = (inputs: Readonly<Record<string, string>>) => ({
  'server-url': server.url,
  token: server.token,
  ...inputs,
})

const put = (name: string, content: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), content)
}

const SAMPLES = new URL('../interchange/samples/', import.meta.url)
const INSPECT = 'inspect/2026-11-22T05-08-39-00-00_capitals_exatjY97WfVN4TUXF2ajWf.eval'

/** Copies a result file of another tool into the folder of the job. */
const sample = (name: string, source: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  copyFileSync(new URL(source, SAMPLES), join(folder, name))
}

const letters = { p: 'pass', f: 'fail', e: 'error' } as const
const runOf = (run_id: string, text: string, more: Partial<Omit<RunDocument, 'summary'>> = {}): RunDocument =>
  engineRun(
    run_id,
    [...text].map((letter, n) => engineCase(`t${n}`, { status: letters[letter as keyof typeof letters] })),
    { suite: 'imported', ...more },
  )

const pin = async (project: string, suite: string, run_id: string): Promise<void> => {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const address = `${server.url}/api/v1/projects/${project}/suites/${suite}/baseline`
  const { status } = await fetch(address, { method: 'PUT', headers, body: JSON.stringify({ run_id }) })
  expect(status).toBe(200)
}

/** A suite of one test that passes or fails, by a program. */
const suite = (answer: string): void => {
  put('bot.mjs', `console.log(JSON.stringify({ output: ${JSON.stringify(answer)} }))\n`)
  put(
    'service.yaml',
    `version: 1
project: shop
suite: action
providers: [{ id: bot, type: exec, command: [node, bot.mjs], cache_salt: ${JSON.stringify(answer)} }]
prompts: [{ id: ask, template: Hello }]
tests: [{ id: greeting, assert: [{ type: contains, value: good }] }]
`,
  )
}
const server = await startServer()

describe('action.yml', () => {
  const { inputs, outputs, runs } = readAction()
  const values = runs.steps.flatMap(({ env = {}, with: given = {}, if: condition = '' }) => [
    ...Object.values(env),
    ...Object.values(given),
    condition,
  ])

  it('uses every input and describes it, as every output', () => {
    const used = new Set(values.flatMap((value) => [...value.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)))
    expect([...used].sort()).toEqual(Object.keys(inputs).sort())
    for (const part of [...Object.values(inputs), ...Object.values(outputs)])
      expect(part.description).toMatch(/[\w`]\.$/)
    expect(Object.values(inputs).every(({ default: value }) => typeof value === 'string')).toBe(true)
  })

  it('has a shell for every script, and no expression in any', () => {
    for (const { id, run, shell, uses } of runs.steps) {
      expect([id, run === undefined]).toEqual([id, uses !== undefined])
      if (run === undefined) continue
      expect([id, shell]).toEqual([id, 'bash'])
      expect(run).not.toContain('${{')
    }
  })

  it('sets every output in a step, and reads only what an earlier step sets', async () => {
    suite('good')
    const { steps } = await act({})
    const names = [...values, ...Object.values(outputs).map(({ value }) => value)].flatMap((value) => [
      ...value.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g),
    ])
    for (const [, step = '', name = ''] of names) expect(Object.keys(steps[step]?.outputs ?? {})).toContain(name)
  })
})

describe('a suite', () => {
  it('passes: outputs, the summary of the job, and a comment', async () => {
    suite('good')
    const { outputs, isSuccess, summary, log } = await act({})
    expect([isSuccess, outputs]).toMatchObject([
      true,
      { 'exit-code': '0', passed: '1', failed: '0', total: '1', 'pass-rate': '100.0', gate: '', 'run-url': '' },
    ])
    expect(summary).toContain('### ers run — action\n\n**Pass** — 1 passed\n')
    expect(readFileSync(outputs['results-path'] ?? '', 'utf8')).toContain('<testcase classname="bot" name="greeting"')
    expect(readFileSync(outputs['summary-path'] ?? '', 'utf8')).toContain('**Pass** — 1 passed')
    expect(github.comments).toMatchObject([{ body: expect.stringContaining('**Pass** — 1 passed') as string }])
    expect(github.comments[0]?.body).toMatch(/^<!-- ers:service-results -->\n### ers run/)
    expect(log).not.toContain('::error')
  })

  it('fails the job for a failed case, or warns', async () => {
    suite('bad')
    const failed = await act({})
    expect([failed.isSuccess, failed.outputs]).toMatchObject([false, { 'exit-code': '1', failed: '1' }])
    expect(failed.log).toContain('::error::a case failed, or is worse than in the baseline')
    expect(failed.steps['conclude']?.code).toBe(1)
    const warned = await act({ 'fail-on-regression': 'false' })
    expect([warned.isSuccess, warned.outputs['exit-code']]).toEqual([true, '1'])
    expect(warned.log).toContain('::warning::a case failed')
    // The same comment, updated.
    expect(github.comments).toHaveLength(1)
  })

  it('fails for exit codes 2 and 3 whatever the inputs say, with the classes of errors', async () => {
    const missing = await act({ config: 'missing.yaml', 'fail-on-regression': 'false' })
    expect([missing.isSuccess, missing.outputs['exit-code'], missing.steps['conclude']?.code]).toEqual([false, '2', 2])
    expect(missing.summary).toContain('No results')
    suite('good')
    put('bot.mjs', 'process.exit(9)')
    const broken = await act({ 'fail-on-regression': 'false' })
    expect([broken.isSuccess, broken.outputs['exit-code']]).toEqual([false, '3'])
    expect(broken.log).toMatch(/::error::something around the results failed.*error classes: \w+/)
  })

  it('uploads to a service, and lets rules decide in place of each failed case', async () => {
    suite('bad')
    const first = await act(onServer({ rules: 'no-regression\nerrors:0' }))
    expect([first.isSuccess, first.outputs]).toMatchObject([
      true,
      {
        'exit-code': '0',
        failed: '1',
        gate: 'not_judged',
        'run-url': expect.stringContaining(`${server.url}/runs/`) as string,
      },
    ])
    expect(github.comments[0]?.body).toContain('### Gate')
    const rules = await act(onServer({ rules: 'pass-rate:0.5', against: 'server:baseline' }))
    expect([rules.isSuccess, rules.outputs]).toMatchObject([false, { 'exit-code': '1', gate: 'failed' }])
    expect(rules.log).toContain('::error::a rule failed')
    expect((await act({ rules: 'errors:0' })).log).toContain('the input rules needs server-url')
  })

  it('hints at the upload where it failed', async () => {
    suite('good')
    const { isSuccess, outputs, log } = await act(onServer({ token: 'wrong' }))
    expect([isSuccess, outputs['exit-code'], outputs['run-url']]).toEqual([false, '3', ''])
    expect(log).toContain('the upload may have failed')
    const allowed = await act(onServer({ token: 'wrong', 'allow-share-failure': 'true' }))
    expect([allowed.isSuccess, allowed.outputs['exit-code']]).toEqual([true, '0'])
  })

  it('shows no text of a model as a command of the runner', async () => {
    suite('good')
    put(
      'bot.mjs',
      "console.error('::error::from the model'); console.log(JSON.stringify({ output: '::add-mask::good' }))",
    )
    const { log } = await act({})
    const open: string[] = []
    for (const line of log.split('\n')) {
      const [, token] = /^::stop-commands::(\S+)$/.exec(line) ?? []
      if (token !== undefined) open.push(token)
      else if (open.length > 0 && line === `::${open.at(-1)}::`) open.pop()
      else if (line.startsWith('::') && open.length === 0) expect(line).toMatch(/^::(?:notice|warning|error)::/)
    }
    expect(open).toEqual([])
  })
})

describe('results of a tool', () => {
  it('are imported, judged and shown with the page of the service', async () => {
    put('results/base.json', JSON.stringify(runOf('base-run', 'p'.repeat(40))))
    const first = await act(onServer({ results: 'results', from: 'ers' }))
    expect([first.isSuccess, first.outputs]).toMatchObject([
      true,
      { 'exit-code': '0', gate: 'not_judged', passed: '40' },
    ])
    await pin('support-desk', 'imported', 'base-run')

    const hostile = {
      share_url: 'https://evil.example/phish',
      ci: { provider: 'x', run_url: 'https://evil.example/ci' },
    }
    put('results/base.json', JSON.stringify(runOf('head-run', `${'f'.repeat(8)}${'p'.repeat(32)}`, hostile)))
    const { isSuccess, outputs, summary } = await act(
      onServer({ results: 'results/*.json', rules: 'no-regression\nerrors:0' }),
    )
    expect([isSuccess, outputs]).toMatchObject([
      false,
      {
        'exit-code': '1',
        gate: 'failed',
        passed: '32',
        failed: '8',
        total: '40',
        'pass-rate': '80.0',
        regressed: '8',
        'run-url': `${server.url}/runs/head-run`,
      },
    ])
    for (const text of [summary, github.comments[0]?.body ?? '']) {
      // By hand: 2 / 2^8 = 0.0078.
      expect(text).toContain(
        '| support-desk/imported | `no-regression` | `8 worse, 0 better of 40 pairs, p = 0.008` | FAIL |\n| support-desk/imported | `errors:0` | `0 errors (at most 0)` | PASS |',
      )
      expect(text).toContain(`[View run](${server.url}/runs/head-run)`)
      expect(text).not.toContain('evil.example')
    }
    expect(readFileSync(outputs['results-path'] ?? '', 'utf8')).toMatch(
      /^<\?xml [^>]+\?>\n<testsuite name="imported" tests="40" failures="8"/,
    )
  })

  it('are those of promptfoo, JUnit and Inspect, with the branch and the commit of the job', async () => {
    sample('results/promptfoo.json', 'promptfoo/v3-capitals.json')
    sample('results/jest.xml', 'junit/jest-junit.xml')
    sample('results/capitals.eval', INSPECT)
    const inputs = onServer({ results: 'results', project: 'tools', rules: 'errors:11' })
    const env = { GITHUB_HEAD_REF: 'shorter-prompt', GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567' }
    const first = await act(inputs, { env })
    // Counted by hand in the files: 24 + 9 + 1 passed, 16 + 4 failed, 8 + 3 errors, 1 skipped.
    expect([first.isSuccess, first.outputs]).toMatchObject([
      true,
      { 'exit-code': '0', gate: 'holds', passed: '34', failed: '31', errored: '11', total: '66' },
    ])
    expect(github.comments[0]?.body.match(/^### ers run/gm)).toHaveLength(3)

    const headers = { authorization: `Bearer ${server.token}` }
    const list = await fetch(`${server.url}/api/v1/runs?project=tools`, { headers })
    const { runs } = (await list.json()) as { runs: ReadonlyArray<Record<string, unknown>> }
    expect(runs).toHaveLength(3)
    for (const run of runs) expect(run).toMatchObject({ git_branch: 'shorter-prompt', git_commit: env.GITHUB_SHA })

    const again = await act(inputs)
    expect(again.outputs).toEqual(first.outputs)
    expect(again.log).toContain('"already_there":3')
  })

  it('fail the job where the service has a run with other content, or a file is refused', async () => {
    const project = 'tools-changed'
    sample('results/promptfoo.json', 'promptfoo/v3-simple-cli.json')
    expect(await act(onServer({ results: 'results', project }))).toMatchObject({ isSuccess: true })

    const text = readFileSync(join(folder, 'results/promptfoo.json'), 'utf8')
    const changed = text.replaceAll('"success": true', '"success": false')
    expect(changed).not.toBe(text)
    put('results/promptfoo.json', changed)
    sample('results/capitals.csv', 'promptfoo/v3-capitals.csv')
    sample('results/jest.xml', 'junit/jest-junit.xml')
    const { isSuccess, outputs, log } = await act(onServer({ results: 'results/*', project, rules: 'errors:0' }))
    expect([isSuccess, outputs]).toMatchObject([false, { 'exit-code': '2', gate: 'holds' }])
    expect(log).toMatch(/::error::results\/promptfoo\.json: the service has promptfoo-\w+ with other content/)
    expect(log).toContain('::error::results/capitals.csv: refused: promptfoo: a CSV of promptfoo has no assertions')
  })

  it('leave nothing of a model live in the comment', async () => {
    const cases = HOSTILE.map((text, n) =>
      engineCase(`${text}${n}`, {
        status: n % 2 === 0 ? 'fail' : 'error',
        error: text,
        error_class: text,
        output: text,
      }),
    )
    const run = engineRun('hostile', cases, { project: '@octocat', suite: '#1 <img src=x> [l](https://evil.example)' })
    put('hostile.json', JSON.stringify(run))
    await act(onServer({ results: 'hostile.json', rules: 'errors:0' }))
    // The first line is the marker, a comment of HTML.
    const body = (github.comments[0]?.body ?? '').split('\n').slice(1).join('\n')
    expect(body).toContain('### Gate')
    expect(liveIn(body, [`${server.url}/runs/hostile`])).toBeNull()
  })

  it('of several runs are one result', async () => {
    for (const [name, text] of [
      ['one', 'ppf'],
      ['two', 'pe'],
    ] as const)
      put(`several/${name}.json`, JSON.stringify(runOf(`several-${name}`, text, { suite: `several-${name}` })))
    const { outputs, summary } = await act(
      onServer({ results: 'several/one.json\nseveral/two.json', rules: 'errors:1' }),
    )
    expect(outputs).toMatchObject({ 'exit-code': '0', passed: '3', failed: '2', total: '5', 'pass-rate': '60.0' })
    expect(summary.match(/### ers run/g)).toHaveLength(2)
    expect(readFileSync(outputs['results-path'] ?? '', 'utf8')).toMatch(
      /<testsuites>\n<testsuite [^]*<testsuite [^]*<\/testsuites>\n$/,
    )
  })

  it.each([
    ['nothing that matches', { results: 'none/*.json' }, '2', 'matches no file'],
    ['no such path', { results: 'none' }, '2', 'exit code 2'],
    ['a file that is refused', { results: 'bad.json' }, '2', 'bad.json: refused'],
    [
      'a baseline that does not exist',
      { results: 'good.json', 'allow-no-baseline': 'false' },
      '2',
      'no run has a baseline|exit code 2',
    ],
    ['a wrong token', { results: 'good.json', token: 'wrong' }, '2', 'exit code 2'],
    ['no service', { results: 'good.json', 'server-url': '' }, '2', 'the input results needs server-url'],
    [
      'an input that is neither',
      { results: 'good.json', comment: 'yes' },
      '0',
      'the input comment must be true or false',
    ],
  ])('fail the job with %s', async (_, inputs, code, reason) => {
    put('bad.json', '{"run_id": 7}')
    put('good.json', JSON.stringify(runOf('good-run', 'p', { suite: 'never-pinned' })))
    const { isSuccess, outputs, log } = await act(onServer(inputs))
    expect([isSuccess, outputs['exit-code']]).toEqual([false, code])
    expect(log).toMatch(new RegExp(reason))
  })

  it('may be none where that is allowed', async () => {
    const { isSuccess, outputs } = await act(onServer({ results: 'none/*.json', 'allow-empty': 'true' }))
    expect([isSuccess, outputs['exit-code']]).toEqual([true, '0'])
  })
})

describe('the comment', () => {
  const other = (n: number, body = `comment ${n}`) => ({ id: n, body, user: { login: `user-${n}`, type: 'User' } })

  /** The step that comments alone. */
  const comment = (
    inputs: Readonly<Record<string, string>> = {},
    {
      event = PULL_REQUEST,
      summary = '### ers run\n\n**Pass** — 1 passed\n',
    }: { event?: unknown; summary?: string } = {},
  ) => {
    put('made/summary.md', summary)
    const after = {
      'evaluate.summary-path': join(folder, 'made/summary.md'),
      'evaluate.run-url': 'https://results.example/runs/r',
    }
    return runAction({ folder, inputs, event, env: { GITHUB_API_URL: github.url }, only: { step: 'comment', after } })
  }
  const marker = '<!-- ers:service-results -->'

  it('is found on the last of 30 pages, by its marker and its author, and updated', async () => {
    github.comments.push(...Array.from({ length: 2_950 }, (_, n) => other(n)))
    // Another person wrote the marker, and quoted it.
    github.comments.push(other(5_000, `${marker}\nmine`), other(5_001, `> ${marker}`))
    github.comments.push({ id: 6_000, body: `${marker}\nold`, user: { login: 'github-actions[bot]', type: 'Bot' } })
    expect((await comment()).isSuccess).toBe(true)
    expect(github.comments).toHaveLength(2_953)
    expect(github.comments.at(-1)?.body).toContain('**Pass** — 1 passed')
    expect(github.comments.find(({ id }) => id === 5_000)?.body).toBe(`${marker}\nmine`)
    expect(github.requests.filter((request) => request.startsWith('GET /repos'))).toHaveLength(30)
  })

  it('is that of the account where the token has one', async () => {
    github.account = 'ada'
    github.comments.push({ id: 1, body: `${marker}\nof a bot`, user: { login: 'github-actions[bot]', type: 'Bot' } })
    github.comments.push({ id: 2, body: `${marker}\nold`, user: { login: 'ada', type: 'User' } })
    await comment()
    expect(github.comments.map(({ body }) => body.includes('**Pass**'))).toEqual([false, true])
  })

  it('is another one for another artifact', async () => {
    await comment()
    await comment({ 'artifact-name': 'second --> job' })
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual([
      marker,
      '<!-- ers:second%20--%3E%20job -->',
    ])
  })

  it('is not written for a fork (403): a warning, and the summary stays', async () => {
    github.planned['POST'] = [{ status: 403, message: 'Resource not accessible by integration' }]
    const { isSuccess, log } = await comment()
    expect(isSuccess).toBe(true)
    expect(log).toContain(
      '::warning::no comment was written: GitHub answers 403: Resource not accessible by integration. The token of a fork may not comment',
    )
  })

  it('is created again where it was deleted meanwhile (404)', async () => {
    github.comments.push({ id: 1, body: `${marker}\nold`, user: { login: 'github-actions[bot]', type: 'Bot' } })
    github.planned['PATCH'] = [{ status: 404, deletes: true }]
    await comment()
    expect(github.requests.filter((request) => /^(?:PATCH|POST)/.test(request))).toEqual([
      'PATCH /repos/shop/app/issues/comments/1',
      'POST /repos/shop/app/issues/7/comments',
    ])
    expect(github.comments).toMatchObject([{ body: expect.stringContaining('**Pass**') as string }])
    github.planned['GET'] = [{ status: 403 }, { status: 404, message: 'Not Found' }]
    expect((await comment()).log).toContain('::warning::no comment was written: GitHub answers 404: Not Found')
  })

  it('has at most 60,000 characters: diffs are left out first, then rows', async () => {
    const diff = (n: number) =>
      `<details><summary><code>t${n}</code></summary>\n\n\`\`\`diff\n${'+x\n'.repeat(1000)}\`\`\`\n\n</details>\n\n`
    const row = (n: number) => `| \`t${n}\` | bot | ${'r'.repeat(80)} |\n`
    const many = (count: number, part: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => part(n)).join('')
    const table = (rows: number) => `### ers run\n\n| Test | Provider | Reason |\n|---|---|---|\n${many(rows, row)}\n`
    await comment({}, { summary: table(10) + many(30, diff) })
    const first = github.comments[0]?.body ?? ''
    expect(first.length).toBeLessThanOrEqual(60_000)
    expect(first.match(/<details>/g)).toHaveLength(19)
    expect(first.match(/\n<\/details>/g)).toHaveLength(19)
    expect(first).toContain('`t9`')
    expect(first).toContain('\n_Left out: 11 diffs._ [View run](https://results.example/runs/r)\n')

    await comment({}, { summary: table(1_000) + many(1, diff) })
    const second = github.comments[0]?.body ?? ''
    expect(second.length).toBeLessThanOrEqual(60_000)
    expect(second).toContain('|---|---|---|\n| `t0` |')
    expect(second).toMatch(/\n_Left out: 1 diff, \d{3} rows\._ /)
  })

  it('is cut until GitHub takes it (422)', async () => {
    github.planned['POST'] = [{ status: 422 }, { status: 422 }]
    expect((await comment()).isSuccess).toBe(true)
    expect(github.requests.filter((request) => request.startsWith('POST'))).toHaveLength(3)
    expect(github.comments).toHaveLength(1)
    github.planned['PATCH'] = Array.from({ length: 20 }, () => ({ status: 422 }))
    expect((await comment()).log).toContain('GitHub answers 422')
  })

  it('is sent again after 5xx and after 429, as often as GitHub asks', async () => {
    const busy = { status: 502, headers: { 'retry-after': '0' } }
    github.planned['POST'] = [busy, busy]
    github.planned['GET'] = [{ status: 429, headers: { 'retry-after': '0' } }]
    expect((await comment()).isSuccess).toBe(true)
    expect(github.comments).toHaveLength(1)
    github.planned['PATCH'] = [busy, busy, busy, busy]
    const { isSuccess, log } = await comment()
    expect(isSuccess).toBe(true)
    expect(log).toContain('::warning::no comment was written: GitHub answers 502')
  })

  it('is not written twice where the answer was lost', async () => {
    github.losesPost = true
    await comment()
    expect(github.comments).toHaveLength(1)
    expect(github.requests.filter((request) => /^(?:PATCH|POST)/.test(request))).toEqual([
      'POST /repos/shop/app/issues/7/comments',
      'PATCH /repos/shop/app/issues/comments/1000',
    ])
  })

  it('needs a pull request, a right token and the input', async () => {
    expect((await comment({}, { event: { ref: 'refs/heads/main' } })).log).toContain(
      '::notice::this is no pull request',
    )
    expect((await comment({ comment: 'false' })).isSuccess).toBe(true)
    expect(github.requests).toEqual([])
    expect((await comment({ 'github-token': 'wrong' })).log).toContain(
      '::warning::no comment was written: GitHub answers 401',
    )
  })
})

describe('the program', () => {
  it('is that of a path, or an error', async () => {
    const { isSuccess, log } = await act({ 'binary-path': 'missing/ers' })
    expect(isSuccess).toBe(false)
    expect(log).toContain('::error::the input binary-path names no file: missing/ers')
  })

  it('is that of the action, installed where that was not done', async () => {
    suite('good')
    const { steps, isSuccess } = await act({ 'binary-path': '' })
    expect(isSuccess).toBe(true)
    expect(JSON.parse(steps['obtain']?.outputs['command'] ?? '')).toEqual([
      process.execPath,
      expect.stringMatching(/\/cli\/ers\.mjs$/),
    ])
  })

  it('is that of a tag of the repository of the action', async () => {
    // A repository with a program of its own: `npm ci` finds nothing to install there.
    const origin = join(folder, 'origin', 'eval', 'results')
    mkdirSync(join(origin, 'cli'), { recursive: true })
    writeFileSync(join(origin, 'cli', 'ers.mjs'), "console.log('of the tag')\n")
    writeFileSync(join(origin, 'package.json'), '{"name": "results", "version": "1.0.0"}')
    writeFileSync(
      join(origin, 'package-lock.json'),
      '{"name": "results", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "results", "version": "1.0.0"}}}',
    )
    const author = ['-c', 'user.name=spec', '-c', 'user.email=spec@example.org']
    const git = (...args: readonly string[]) => execFileSync('git', [...author, '-C', origin, ...args])
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'Program')
    git('tag', 'v1.0.0')
    const of = (version: string) =>
      runAction({
        folder,
        inputs: { version },
        repository: 'eval/results',
        env: { GITHUB_SERVER_URL: `file://${join(folder, 'origin')}`, GITHUB_API_URL: github.url },
      })
    const { steps } = await of('v1.0.0')
    expect(steps['obtain']?.code).toBe(0)
    const [, program = ''] = JSON.parse(steps['obtain']?.outputs['command'] ?? '') as string[]
    expect(readFileSync(program, 'utf8')).toContain('of the tag')
    expect((await of('v9')).log).toContain('::error::the version v9 cannot be fetched')
    expect((await of('--upload-pack=evil')).log).toContain('::error::the input version is no tag')
  })
})
