import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PlanDetail } from '../../../queries/plans/plans.ts'
import type { RunDetail } from '../../../queries/runs/run-detail.ts'
import { runStore } from '../../../engine/store/run-store.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-cli-plan-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(args, { cwd: folder, env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token, ...env } })
const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content)
const get = async <T>(path: string): Promise<T> =>
  (await (
    await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${server.token}` } })
  ).json()) as T
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const OF_SUITE = ['--project', 'chat', '--suite', 'smoke'] as const
const register = async (...options: readonly string[]): Promise<string> => {
  write('plan.md', 'Nine of ten.\r\n')
  const { code, stdout, stderr } = await ers(['plan', 'register', 'plan.md', ...options])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout.trim()
}
const server = await startServer()

describe('ers plan', () => {
  it('registers the text of a file for a suite, and prints the id', async () => {
    const id = await register(...OF_SUITE, '--pass-rate', '>= 0.9', '--cases', '40', '--config-digest', 'sha256:c')
    expect(await get<PlanDetail>(`/plans/${id}`)).toMatchObject({
      project: 'chat',
      suite: 'smoke',
      text: 'Nine of ten.\r\n',
      plan_sha256: sha256('Nine of ten.\r\n'),
      metric: 'pass_rate',
      comparator: '>=',
      threshold: 0.9,
      case_count: 40,
      config_digest: 'sha256:c',
    })
  })

  it('takes the suite from its file', async () => {
    write(
      'service.yaml',
      'version: 1\nproject: support-desk\nsuite: refunds\nproviders:\n  - id: p\n    type: exec\n    command: [cat]\ntests:\n  - vars: {}\n',
    )
    expect(await get(`/plans/${await register()}`)).toMatchObject({ project: 'support-desk', suite: 'refunds' })
  })

  it('registers a digest, and reveals the text once', async () => {
    const id = await register(...OF_SUITE, '--digest-only')
    expect(await get(`/plans/${id}`)).toMatchObject({ text: null, plan_sha256: sha256('Nine of ten.\r\n') })
    write('other.md', 'Nine of ten.\n')
    expect(await ers(['plan', 'reveal', id, 'other.md'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the plan has ${sha256('Nine of ten.\r\n')}`) as string,
    })
    expect((await ers(['plan', 'reveal', id, 'plan.md'])).code).toBe(0)
    expect(await get(`/plans/${id}`)).toMatchObject({ text: 'Nine of ten.\r\n' })
    expect(await ers(['plan', 'reveal', id, 'plan.md'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('known already') as string,
    })
  })

  it('lists plans, and withdraws one', async () => {
    const set = ['--project', 'listed', '--suite', 's'] as const
    const [first, second] = [await register(...set), await register(...set, '--digest-only', '--pass-rate', '>0.5')]
    expect((await ers(['plan', 'withdraw', first])).code).toBe(0)
    const { stdout } = await ers(['plan', 'list', '--project', 'listed'])
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${second}  listed/s  .*  0 runs  pass rate > 0.5  text not revealed$`)),
      expect.stringMatching(new RegExp(`^${first}  listed/s  .*  0 runs  withdrawn at `)),
      '',
    ])
    const json = JSON.parse((await ers(['plan', 'list', ...set, '--json'])).stdout) as PlanDetail[]
    expect(json.map(({ id }) => id)).toEqual([second, first])
  })

  it.each(['--server', '--server-url'])('takes the address of the service with %s', async (option) => {
    const id = await register('--project', option, '--suite', 's')
    const { code, stdout } = await ers(['plan', 'list', '--project', option, option, server.url], {
      SERVICE_SERVER_URL: 'http://127.0.0.1:1',
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(id) as string })
  })

  it.each([
    ['a file that is not there', ['register', 'none.md', ...OF_SUITE], 'none.md cannot be read'],
    ['a file that is no text', ['register', 'bytes', ...OF_SUITE], 'bytes is not text in UTF-8'],
    ['a project alone', ['register', 'plan.md', '--project', 'chat'], 'give --project and --suite, or neither'],
    ['another bar', ['register', 'plan.md', ...OF_SUITE, '--pass-rate', '90%'], 'such as ">=0.9"'],
    ['an unknown plan', ['withdraw', 'none'], 'plan not found'],
    ['an unknown plan', ['reveal', 'none', 'plan.md'], 'plan not found'],
  ])('ends with exit code 2 for %s', async (_, args, message) => {
    write('plan.md', 'text')
    write('bytes', Buffer.of(0xff))
    expect(await ers(['plan', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message) as string,
    })
  })

  it('ends with exit code 3 if the service rejects the token', async () =>
    expect(await ers(['plan', 'list'], { SERVICE_TOKEN: 'unknown' })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('check SERVICE_TOKEN') as string,
    }))
})

describe('the option --plan', () => {
  const ID = '01K2ZQ7C8V4T9E6M3B5N1R0WXA'
  const planOf = async (id: string) => (await get<RunDetail>(`/runs/${id}`)).plan

  it('of ers import names the plan of all runs, also in a state directory', async () => {
    const plan = await register(...OF_SUITE)
    write('run.json', JSON.stringify(aDocument({ run_id: 'imported' })))
    expect((await ers(['import', 'run.json', '--plan', 'none'])).stdout).toContain('refused 1')
    expect((await ers(['import', 'run.json', '--plan', plan])).stdout).toContain('imported 1')
    expect(await planOf('imported')).toMatchObject({ id: plan, attempt: 1 })
    const direct = await ers(['import', 'run.json', '--plan', 'none', '--data-dir', join(folder, 'data')])
    expect(direct.stderr).toContain('plan not found in this suite')
  })

  it('of ers share names the plan of the run', async () => {
    const run = engineRun(ID, [engineCase('a')])
    await runStore({ directory: join(folder, '.service', 'runs'), writer: 'spec', warn: () => {} }).write(run)
    const plan = await register('--project', run.project ?? '', '--suite', run.suite ?? '')
    expect((await ers(['share', '--plan', 'none', '--strict'])).stderr).toContain('plan not found in this suite')
    expect((await ers(['share', '--plan', plan, '--strict'])).code).toBe(0)
    expect(await planOf(ID)).toMatchObject({ id: plan, attempt: 1 })
  })

  it('of ers run needs --share', async () =>
    expect(await ers(['run', '--plan', 'x'])).toMatchObject({ code: 2, stderr: '--plan needs --share\n' }))
})
