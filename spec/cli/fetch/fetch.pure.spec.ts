import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { progressText } from '../../../cli/fetch/fetch.ts'
import { CANARY, SERVICES } from '../../support/fetch/services.ts'
import { startStandIn } from '../../support/fetch/stand-in.ts'
import { runErs } from '../../support/servers/run-ers.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-fetch-cli-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runErs(args, { cwd: folder, env })

describe('ers fetch', () => {
  it('fetches through a proxy what ers import reads, and shows the key nowhere', async () => {
    const { answer, env } = SERVICES['langsmith']!
    const usual = answer()
    // The first answer shows the key, as a debugging proxy may.
    await using proxy = await startStandIn((request, count) =>
      count === 1 ? { status: 503, text: JSON.stringify({ detail: CANARY }) } : usual(request),
    )
    const args = ['fetch', 'langsmith', '--url', 'http://service.invalid', '--out', 'fetched']
    const fetched = await ers(args, { ...env, HTTP_PROXY: proxy.url })
    expect(fetched).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^fetched 1 experiment of LangSmith, failed 0 \(13 pages, /) as string,
      stderr: expect.stringMatching(
        /^http:\/\/service\.invalid answers 503 \*\*\* at \/sessions; trying again in/,
      ) as string,
    })
    const { stdout, stderr } = await ers(['import', 'fetched', '--data-dir', 'state'])
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^imported 1, already there 0, refused 0, failed 0 \(langsmith 1\)/) as string,
      stderr: '',
    })
    for (const entry of readdirSync(join(folder, 'fetched'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect(readFileSync(join(entry.parentPath, entry.name), 'utf8')).not.toContain(CANARY)
    expect(fetched.stdout + fetched.stderr).not.toContain(CANARY)
  })

  it('exits with 2 and names the variable if the key is missing or refused', async () => {
    const args = ['fetch', 'openai', '--out', 'fetched', '--url']
    expect(await ers([...args, 'http://127.0.0.1:9'])).toMatchObject({
      code: 2,
      stderr: 'OPENAI_API_KEY is not set: it is the key of the service\n',
    })
    await using service = await startStandIn(() => ({ status: 401, json: { error: { message: 'Incorrect API key' } } }))
    expect(await ers([...args, service.url], { OPENAI_API_KEY: CANARY })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `${service.url} refuses the key: 401 Incorrect API key at /evals (check OPENAI_API_KEY)\n`,
    })
    expect(await ers(['fetch', 'phoenix', '--out', 'other', '--url', service.url])).toMatchObject({
      code: 2,
      stderr: `${service.url} needs a key: 401 Incorrect API key at /v1/datasets (set PHOENIX_API_KEY)\n`,
    })
  })

  it('exits with 1 if an experiment failed, and escapes what the service wrote', async () => {
    await using service = await startStandIn(({ path }) =>
      path === '/sessions'
        ? { json: [{ id: 'a', reference_dataset_id: null }] }
        : { status: 400, json: { detail: 'no \u001b[2J runs' } },
    )
    expect(
      await ers(['fetch', 'langsmith', '--url', service.url, '--out', 'o'], { LANGSMITH_API_KEY: CANARY }),
    ).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fetched 0 experiments of LangSmith, failed 1 /) as string,
      stderr: 'a: failed 400 no \\u001b[2J runs at /runs/query\n',
    })
  })

  it('exits with 130 when it is interrupted, and continues later', async () => {
    const { answer, env } = SERVICES['braintrust']!
    const usual = answer()
    let interrupt = () => {}
    let isHanging = true
    await using service = await startStandIn(async (request) => {
      if (request.body?.['cursor'] === 'c4' && isHanging) {
        interrupt()
        // Answered only after the program has ended.
        await new Promise<void>((resolve) => void (interrupt = resolve))
      }
      return usual(request)
    })
    const args = ['fetch', 'braintrust', '--url', service.url, '--out', 'o', '--json']
    const { code } = await runErs(args, {
      cwd: folder,
      env,
      started: (child) => void (interrupt = () => void child.kill('SIGINT')),
    })
    expect(code).toBe(130)
    isHanging = false
    interrupt()
    const again = await ers(args, env)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(again.stdout)).toMatchObject({ experiments: 1, failed: 0 })
  })
})

it('the progress of a fetch counts experiments with and without cases', () =>
  expect(progressText({ experiments: 3, empty: 1, failed: 0, pages: 17, bytes: 5_300_000 }, 12.7)).toBe(
    '4 experiments, 17 pages, 5.3 MB, 12 s',
  ))
