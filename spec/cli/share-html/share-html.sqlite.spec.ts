import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runStore } from '../../../engine/store/run-store.ts'
import { aCase, aDocument, type ADocument } from '../../support/documents/documents.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'
import { judgedRun } from '../../support/documents/labelled-queue.ts'
import { startReverseProxy } from '../../support/servers/reverse-proxy.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { contentsIn, unpackedIn } from '../../support/share/write-page.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'

/** Text that must not be in a file from which it is left out. */
const CANARY = {
  outputs: 'canary-of-outputs',
  vars: 'canary-of-vars',
  prompts: 'canary-of-prompts',
  raw: 'canary-of-raw',
}

const document = (run_id: string, fields: Partial<ADocument> = {}): ADocument =>
  aDocument({
    run_id,
    cases: [
      aCase({
        status: 'fail',
        output: `${CANARY.outputs} ${'o'.repeat(5_000)} the end`,
        vars: { question: CANARY.vars },
        prompt: { text: CANARY.prompts },
        raw: { id: CANARY.raw },
        asserts: [
          { kind: 'contains', status: 'fail', score: 0, weight: 1, reason: `${CANARY.outputs} lacks ${CANARY.vars}` },
        ],
      }),
      aCase({ cell: { test_id: 'other' } }),
    ],
    config_snapshot: { prompts: [CANARY.prompts], tests: [CANARY.vars] },
    ...fields,
  })

let server: RunningServer
let folder: string
const post = async (path: string, body: object): Promise<void> => {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const { status } = await fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect([path, status]).toEqual([path, 201])
}
beforeAll(async () => {
  server = await startServer()
  for (const run of [document('open-run'), document('secret-run', { suite: 'sealed' })]) await post('/runs', run)
  const headers = { authorization: `Bearer ${server.token}` }
  await fetch(`${server.url}/api/v1/sets/chat/suites/sealed/restriction`, { method: 'PUT', headers })
})
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-spec-share-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(['share-html', ...args], { cwd: folder, env: { TMPDIR: folder, ...env } })
const onServer = (...args: readonly string[]) =>
  ers(args, { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token })
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

describe('ers share-html', () => {
  it('writes a run of the service with its hashes, with cut outputs, and the same bytes each time', async () => {
    const first = await onServer('open-run', '-o', 'a.html')
    expect(first).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^wrote a\.html \(\d+\.\d MiB\)\n$/) as unknown,
    })
    expect((await onServer('open-run', '-o', '-')).stdout).toBe(read('a.html'))
    expect(contentsIn(read('a.html'))).toMatchObject({ max_output_bytes: 4096, is_cut: true })
    const data = unpackedIn(read('a.html'))
    const exported = await fetch(`${server.url}/api/v1/runs/open-run`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    const { content_hash } = (await exported.json()) as { content_hash: string }
    expect(contentsIn(read('a.html')).runs).toMatchObject([
      {
        run: { id: 'open-run', content_hash, uploaded_by: null },
        document: {
          sha256: expect.stringMatching(/^[\da-f]{64}$/) as unknown,
          bytes: JSON.stringify(document('open-run')).length,
        },
        blocks: [2],
      },
    ])
    const [long = ''] = (data.get('cases-0-0') ?? '').split('\n')
    expect(long).toContain('[cut: this file has the first 4096 of 5026 bytes]')
    expect(long).not.toContain('the end')
    expect(readdirSync(folder)).toEqual(['a.html'])
  })

  it('has whole outputs with --full', async () => {
    await onServer('open-run', '-o', 'a.html', '--full')
    expect(unpackedIn(read('a.html')).get('cases-0-0')).toContain('the end')
    expect(contentsIn(read('a.html'))).toMatchObject({ max_output_bytes: null, is_cut: false })
  })

  it.each(['outputs', 'vars', 'prompts', 'raw'] as const)('leaves no byte of the %s with --without', async (part) => {
    writeFileSync(join(folder, 'base.json'), JSON.stringify(document('base')))
    expect(await onServer('open-run', '--compare', 'base.json', '-o', 'a.html', '--without', part)).toMatchObject({
      code: 0,
    })
    const texts = [read('a.html'), ...unpackedIn(read('a.html')).values()].join('\n')
    expect(texts).not.toContain(CANARY[part])
    expect(texts).toContain(CANARY[part === 'outputs' ? 'vars' : 'outputs'])
    expect(contentsIn(read('a.html')).without).toEqual([part])
  })

  it('has the comments of the service, without their authors, only with --with comments', async () => {
    const base = `${server.url}/api/v1/runs/talked`
    const run = document('talked')
    await post('/runs', run)
    await post('/runs/talked/comments', { text: 'About the run', case_key: null })
    await post('/runs/talked/comments', { text: 'About a case', case_key: run.cases[1]?.case_key })
    await onServer('talked', '-o', 'a.html', '--with', 'comments')
    const at = expect.any(String) as string
    expect(contentsIn(read('a.html')).runs).toMatchObject([
      {
        run: { comments: 2 },
        comments: [
          { case_key: run.cases[1]?.case_key, text: 'About a case', at },
          { case_key: null, text: 'About the run', at },
        ],
      },
    ])
    await onServer('talked', '-o', 'b.html')
    expect([...unpackedIn(read('b.html')).values()].join('\n')).not.toMatch(/About the run|About a case/)
    // The service makes the same files.
    const headers = { authorization: `Bearer ${server.token}` }
    for (const [file, query] of [
      ['a.html', '?with=comments'],
      ['b.html', ''],
    ] as const) {
      const made = await (await fetch(`${base}/share.html${query}`, { headers })).text()
      expect([...unpackedIn(made)], file).toEqual([...unpackedIn(read(file))])
    }
    expect(await onServer('talked', '-o', 'c.html', '--with', 'comments', '--without', 'vars')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--with and --without exclude each other: comments may quote/) as unknown,
    })
  })

  it('asks for nothing that is not in the file, and leaves out a calibration that the service cannot answer', async () => {
    await post('/runs', judgedRun('judged', 8, 4))
    const proxy = await startReverseProxy()
    try {
      proxy.forwardTo(server.url)
      proxy.refuse(/\/(?:comments|calibration)/)
      const through = (...args: readonly string[]) =>
        ers(args, { SERVICE_SERVER_URL: proxy.url, SERVICE_TOKEN: server.token })
      const busy = await through('judged', '-o', 'a.html')
      expect(busy).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(
          /the calibration of the judge of judged is left out, because the service cannot answer it now: .*not now/,
        ) as unknown,
      })
      expect(proxy.requests).toEqual([
        '/api/v1/runs/judged/in-suite',
        '/api/v1/runs/judged/export',
        '/api/v1/runs/judged/calibration',
      ])
      expect(contentsIn(read('a.html')).runs).toMatchObject([{ calibration: null, comments: [] }])
      // What is refused before anything is written needs neither.
      const before = proxy.requests.length
      expect(await through('secret-run', '-o', 'b.html')).toMatchObject({ code: 2 })
      expect(proxy.requests.slice(before).filter((path) => /comments|calibration/.test(path))).toEqual([])
      // Any other fault is one.
      proxy.refuse(/\/calibration/, 500)
      expect(await through('judged', '-o', 'b.html')).toMatchObject({ code: 3 })
      proxy.refuse(/\/comments/, 500)
      expect(await through('judged', '-o', 'b.html', '--with', 'comments')).toMatchObject({ code: 3 })
    } finally {
      await proxy.close()
    }
  })

  it('compares with a run of this machine, in both directions', async () => {
    writeFileSync(join(folder, 'base.json'), JSON.stringify(document('base', { cases: [aCase()] })))
    expect(await onServer('open-run', '--compare', 'base.json', '-o', 'a.html')).toMatchObject({ code: 0 })
    const { runs, comparisons } = contentsIn(read('a.html'))
    expect(runs.map(({ run }) => run.id)).toEqual(['open-run', 'base'])
    expect(comparisons.map(({ base, head, statistics }) => [base, head, statistics.worse, statistics.better])).toEqual([
      ['base', 'open-run', 1, 0],
      ['open-run', 'base', 0, 1],
    ])
  })

  it('compares two columns, of one run or of two', async () => {
    const models = (run_id: string, status: 'pass' | 'fail') =>
      JSON.stringify(
        document(run_id, {
          cases: ['small', 'large'].map((provider_id) =>
            aCase({ cell: { provider_id, test_id: 'a' }, status: provider_id === 'large' ? 'pass' : status }),
          ),
        }),
      )
    writeFileSync(join(folder, 'one.json'), models('one', 'fail'))
    writeFileSync(join(folder, 'two.json'), models('two', 'pass'))
    const columns = ['--base-column', 'small', '--head-column', 'large']
    expect(await ers(['one.json', '--compare', 'one.json', ...columns, '-o', 'a.html'])).toMatchObject({ code: 0 })
    const inOne = contentsIn(read('a.html'))
    expect(inOne.runs.map(({ run }) => run.id)).toEqual(['one'])
    expect(inOne.comparisons.map(({ statistics: { worse, better } }) => [worse, better])).toEqual([
      [0, 1],
      [1, 0],
    ])
    const args = ['two.json', '--compare', 'one.json', '--base-column', 'small', '--head-column', 'small']
    expect(await ers([...args, '-o', 'b.html'])).toMatchObject({ code: 0 })
    expect(contentsIn(read('b.html')).comparisons).toMatchObject([
      { base: 'one', head: 'two', base_column: 'small', head_column: 'small', statistics: { better: 1 } },
      { base: 'two', head: 'one', statistics: { worse: 1 } },
    ])
  })

  it('needs no service for a stored run, the latest one, or a file', async () => {
    const store = runStore({ directory: join(folder, '.service', 'runs'), writer: 'spec', warn: () => {} })
    const id = '01K2ZQ7C8V4T9E6M3B5N1R0WXA'
    await store.write(engineRun(id, [engineCase('a')]))
    for (const reference of [id, 'latest', join('.service', 'runs', id, 'result.json')]) {
      expect(await ers([reference, '-o', 'a.html'])).toMatchObject({ code: 0 })
      expect(contentsIn(read('a.html')).runs.map(({ run }) => run.id)).toEqual([id])
    }
    // The service does not have it.
    expect(await onServer(id, '-o', 'b.html')).toMatchObject({ code: 0 })
    expect(read('b.html')).toBe(read('a.html'))
  })

  it('asks for --yes before it writes a restricted run', async () => {
    const refused = await onServer('secret-run', '-o', 'a.html')
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^secret-run: the suite is restricted.*--yes/) as unknown,
    })
    expect(await onServer('open-run', '--compare', 'secret-run', '-o', 'a.html')).toMatchObject({ code: 2 })
    expect(existsSync(join(folder, 'a.html'))).toBe(false)
    expect(await onServer('secret-run', '-o', 'a.html', '--yes')).toMatchObject({ code: 0 })
  })

  it.each([
    ['a run that is unknown', ['nowhere', '-o', 'a.html'], 2, 'there is no run "nowhere"'],
    ['a part that is unknown', ['nowhere', '-o', 'a.html', '--without', 'outputs,secrets'], 2, '"secrets" is none of'],
    ['comments as a part', ['nowhere', '-o', 'a.html', '--without', 'comments'], 2, '"comments" is none of'],
    ['an extra that is unknown', ['nowhere', '-o', 'a.html', '--with', 'labels'], 2, '"labels" is none of comments'],
    ['no file', ['nowhere'], 2, '--output'],
    ['a file that is no run', ['no-run.json', '-o', 'a.html'], 2, 'is not a run document'],
    [
      'the run itself as base',
      ['run.json', '--compare', 'run.json', '-o', 'a.html'],
      2,
      '--compare names the run itself',
    ],
    [
      'a column without a run to compare',
      ['run.json', '--base-column', 'model', '-o', 'a.html'],
      2,
      '--base-column and --head-column need --compare',
    ],
    [
      'a column that is unknown',
      ['run.json', '--compare', 'run.json', '--head-column', 'tiny', '-o', 'a.html'],
      2,
      'head_column: the run has no case in the column "tiny"',
    ],
    ['a folder that is missing', ['run.json', '-o', 'missing/a.html'], 3, 'missing/a.html cannot be written'],
  ])('ends with a code and a reason for %s', async (_, args, code, reason) => {
    writeFileSync(join(folder, 'run.json'), JSON.stringify(document('a-run')))
    writeFileSync(join(folder, 'no-run.json'), '{}')
    expect(await ers(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(reason) as unknown })
    expect(readdirSync(folder).sort()).toEqual(['no-run.json', 'run.json'])
  })

  it('ends with exit code 3 if the service cannot be asked', async () => {
    const env = { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: 'wrong' }
    expect(await ers(['open-run', '-o', 'a.html'], env)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('401') as unknown,
    })
  })
})
