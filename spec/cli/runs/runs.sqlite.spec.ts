import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runErs } from '../../support/servers/run-ers.ts'
import { columnText } from '../../../domain/lists/column.ts'
import { parseRun } from '../../../engine/store/run-file.ts'
import { runStore } from '../../../engine/store/run-store.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'
import { startServer } from '../../support/servers/server.ts'

const [OLD, NEW] = ['01K2ZQ7C8V4T9E6M3B5N1R0WXA', '01K2ZR7C8V4T9E6M3B5N1R0WXA'] as const
const git = { branch: 'main', dirty: false }
const ci = { provider: 'github', run_url: 'https://ci.example/runs/812' }
let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-cli-runs-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the program in the folder of the spec, without a service unless `env` names one. */
const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runErs(args, { cwd: folder, env })
const onServer = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  ers(args, { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token, ...env })

const store = () => runStore({ directory: join(folder, '.service', 'runs'), writer: 'spec', warn: () => {} })
const write = async (...runs: readonly RunDocument[]) => {
  for (const run of runs) await store().write(run)
}
const stored = (id: string): RunDocument =>
  JSON.parse(readFileSync(join(folder, '.service', 'runs', id, 'result.json'), 'utf8')) as RunDocument
const older = (more = {}) =>
  engineRun(OLD, [engineCase('a'), engineCase('b', { status: 'fail' })], { git, ci, ...more })
const newer = (more = {}) =>
  engineRun(NEW, [engineCase('a', { status: 'fail', output: 'other' }), engineCase('b')], { git, ci, ...more })
const server = await startServer()

describe('ers view', () => {
  it('prints the latest run, another one, or single cases', async () => {
    await write(older(), newer())
    const latest = await ers(['view'])
    expect(latest).toMatchObject({ code: 0, stderr: '' })
    expect(latest.stdout).toContain('FAIL     fast-mod… a     0.00\n')
    expect(JSON.parse((await ers(['view', OLD, '--format', 'json'])).stdout)).toEqual(older())
    expect((await ers(['view', OLD, '--case', 'b'])).stdout).toMatch(/^FAIL {2}b +\[/)
    const cases = await ers(['view', OLD, '--case', 'a', '--format', 'json'])
    expect(JSON.parse(cases.stdout)).toEqual([older().cases[0]])
  })

  it('has colours only where they are wanted', async () => {
    await write(older())
    expect((await ers(['view'])).stdout).not.toContain('\x1b')
    expect((await ers(['view'], { CLICOLOR_FORCE: '1' })).stdout).toContain('\x1b[31mFAIL')
    expect((await ers(['view', '--color', 'never'], { CLICOLOR_FORCE: '1' })).stdout).not.toContain('\x1b')
  })

  it('ends with exit code 2 for a wrong run, case, format or option', async () => {
    expect(await ers(['view'])).toMatchObject({ code: 2, stdout: '' })
    await write(older())
    expect(await ers(['view', 'nothing'])).toMatchObject({ code: 2, stderr: expect.stringContaining(OLD) as string })
    expect((await ers(['view', '--case', 'nothing'])).code).toBe(2)
    expect((await ers(['view', '--case', 'a', '--format', 'junit'])).code).toBe(2)
    expect((await ers(['view', '--format', 'html'])).code).toBe(2)
  })
})

describe('ers runs', () => {
  it('lists the stored runs, newest first, and skips a corrupt one with a warning', async () => {
    await write(older(), newer({ suite: 'other' }))
    mkdirSync(join(folder, '.service', 'runs', 'broken'))
    writeFileSync(join(folder, '.service', 'runs', 'broken', 'result.json'), '{')
    const { code, stdout, stderr } = await ers(['runs', '--json'])
    expect(code).toBe(0)
    expect(stderr).toContain('is skipped: invalid JSON')
    expect(JSON.parse(stdout)).toMatchObject([
      { run_id: NEW, suite: 'other', latest: true, git, summary: { total: 2, passed: 1 } },
      { run_id: OLD, suite: 'refunds', latest: false, path: join(folder, '.service', 'runs', OLD, 'result.json') },
    ])
    expect(JSON.parse((await ers(['runs', '--json', '--suite', 'refunds'])).stdout)).toHaveLength(1)
    expect((await ers(['runs', '-n', '1'])).stdout).toMatch(
      new RegExp(
        `^run +suite +finished +passed +branch\n${NEW} \\* +support-desk/other +2026-05-04 09:00 UTC +1/2 +main\n$`,
      ),
    )
  })

  it('marks an interrupted run, which is never the latest one, and warns where it is shared', async () => {
    await write(older())
    await store().writePartial(newer())
    expect(JSON.parse((await ers(['runs', '--json'])).stdout)).toMatchObject([
      { run_id: NEW, latest: false, interrupted: true },
      { run_id: OLD, latest: true },
    ])
    expect((await ers(['runs'])).stdout).toContain('1/2, interrupted')
    // The warning comes before the upload, which this token may not do.
    const shared = await onServer(['share', NEW], { SERVICE_TOKEN: 'unknown' })
    expect(shared.stderr).toContain('interrupted: only its 2 finished cells are uploaded')
  })

  it('needs a service for its runs, and one that answers', async () => {
    expect((await ers(['runs', '--remote'])).code).toBe(2)
    expect((await ers(['runs', '-n', '0'])).code).toBe(2)
    expect((await onServer(['runs', '--remote'], { SERVICE_TOKEN: 'unknown' })).code).toBe(3)
  })
})

describe('ers diff', () => {
  it('ends with exit code 1 if a case is newly failing', async () => {
    await write(older(), newer())
    const { code, stdout, stderr } = await ers(['diff', OLD, NEW])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain('  REGRESS  fast-model  a  score 1.00 → 0.00\n')
    expect(await ers(['diff', OLD, OLD, '--format', 'json'])).toMatchObject({ code: 0 })
    expect((await ers(['diff', OLD, NEW, '--format', 'md'])).stdout).toContain(
      '**Regressions detected** — 1 newly failing',
    )
    expect((await ers(['diff', OLD, 'nothing'])).code).toBe(2)
    expect((await ers(['diff', 'branch:other', NEW])).code).toBe(2)
  })

  it('compares columns, also those of one run', async () => {
    const sample = fileURLToPath(
      new URL('../../data/promptfoo/sample-export/eval-WJi-2025-10-01T20-08-11.json.gz', import.meta.url),
    )
    const { cases } = parseRun(readFileSync(sample))
    const columns = [
      ...new Set(
        cases.map(({ cell }) => columnText({ provider_id: cell.provider_id, prompt_id: cell.prompt_id ?? null })),
      ),
    ]
    expect(columns).toHaveLength(2)
    const [one = '', other = ''] = columns
    const { code, stdout, stderr } = await ers(['diff', sample, sample, '--base-column', one, '--head-column', other])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('0 newly failing, 0 newly passing, 2 still failing')
    expect(stdout).toContain('too few changes for a verdict: 0 worse, 0 better of 2 pairs, p = 1.000, 0.0 points')
    expect(await ers(['diff', sample, sample, '--base-column', 'nothing'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('the run has no case in the column "nothing"; its columns are "') as string,
    })
    expect((await ers(['diff', sample, sample, '--head-column', '%'])).code).toBe(2)
  })

  it('groups the shared cases by a variable or by tag, as the service does', async () => {
    const cases = (failing: readonly number[]) =>
      Array.from({ length: 8 }, (_, n) =>
        engineCase(`case-${n}`, {
          status: failing.includes(n) ? 'fail' : 'pass',
          vars: { city: n < 6 ? 'Lima' : 'Oslo' },
          tags: n % 2 === 0 ? ['even'] : [],
        }),
      )
    await write(
      engineRun('by-old', cases([7]), { suite: 'by' }),
      engineRun('by-new', cases([0, 1, 2]), { suite: 'by' }),
    )
    const { code, stdout } = await ers(['diff', 'by-old', 'by-new', '--by', 'city'])
    expect(code).toBe(1)
    expect(stdout).toContain('by var.city: 2 groups, most lost first, p adjusted for all of them\n')
    expect(stdout).toMatch(/ {2}Lima {2}6 {2}100\.0% → 50\.0% +3 worse, 0 better {2}−50\.0 points, 95% interval /)
    expect((await ers(['diff', 'by-old', 'by-new', '--by', 'tag', '--format', 'md'])).stdout).toContain(
      '| even | 4 | 100.0% → 50.0% |',
    )
    for (const id of ['by-old', 'by-new']) await onServer(['share', id])
    const answer = await fetch(`${server.url}/api/v1/runs/by-old/compare/by-new/groups?by=var.city`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    const { groups, joined_by } = (await answer.json()) as Record<string, unknown>
    const json = (await ers(['diff', 'by-old', 'by-new', '--by', 'var.city', '--format', 'json'])).stdout
    expect((JSON.parse(json) as Record<string, unknown>)['groups']).toEqual({ by: 'var.city', joined_by, groups })
    expect(await ers(['diff', 'by-old', 'by-new', '--by', 'country'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--by: no case that both have has country; they have tag, city') as string,
    })
  })

  it('warns about runs of different suites', async () => {
    await write(older({ suite: 'other' }), newer())
    expect((await ers(['diff', OLD, 'latest'])).stderr).toContain('the runs are of different suites')
  })
})

describe('ers share', () => {
  it('uploads a run once, and stores the address of its page', async () => {
    const run = older({ run_id: 'shared', suite: 'shared' })
    await write(run)
    const url = `${server.url}/runs/shared`
    expect(await onServer(['share', 'shared'])).toEqual({ code: 0, stdout: `View run: ${url}\n`, stderr: '' })
    expect(stored('shared')).toEqual({ ...run, share_url: url })
    // The second upload is the same document: without the address.
    expect(await onServer(['share', 'shared', '--strict'])).toMatchObject({ code: 0, stderr: '' })
    const listed = JSON.parse((await onServer(['runs', '--remote', '--json', '--suite', 'shared'])).stdout) as unknown
    expect(listed).toMatchObject([
      {
        run_id: 'shared',
        suite: 'shared',
        git,
        path: null,
        started_at: '2026-05-04T09:00:00.000Z',
        finished_at: '2026-05-04T09:00:12.300Z',
        summary: { total: 2, passed: 1, failed: 1 },
      },
    ])
  })

  it('warns where the service refuses the run, and fails if it has to succeed', async () => {
    await write(older())
    await onServer(['share'])
    await write(older({ origin: { note: 'another run with this id' } }))
    const refused = await onServer(['share'])
    expect(refused).toMatchObject({ code: 0, stdout: '' })
    expect(refused.stderr).toContain(`has another run under the id ${OLD}`)
    expect((await onServer(['share', '--strict'])).code).toBe(3)
    expect((await onServer(['share', '--strict'], { SERVICE_TOKEN: 'unknown' })).stderr).toContain(
      'check SERVICE_TOKEN',
    )
    expect((await ers(['share'])).code).toBe(2)
    expect((await onServer(['share', 'nothing'])).code).toBe(2)
  })

  it('adds the CI run where the document has none, unless provenance is off', async () => {
    const variables = { GITLAB_CI: 'true', CI_JOB_URL: 'https://ci.example/jobs/1', CI_COMMIT_BRANCH: 'topic' }
    const { ci: _, git: __, ...bare } = newer({ run_id: 'without-ci', suite: 'elsewhere' })
    await write(bare)
    await onServer(['share'], { ...variables, SERVICE_PROVENANCE: 'off' })
    expect(stored('without-ci').ci).toBeUndefined()
    await write({ ...bare, run_id: 'with-ci' })
    await onServer(['share'], variables)
    expect(stored('with-ci')).toMatchObject({ ci: { provider: 'gitlab', run_url: 'https://ci.example/jobs/1' } })
  })
})

describe('ers baseline', () => {
  const suite = (text = 'project: support-desk\nsuite: refunds\n') => {
    writeFileSync(
      join(folder, 'service.yaml'),
      `version: 1\n${text}providers:\n  - id: p\n    type: exec\n    command: [cat]\ntests:\n  - vars: {}\n`,
    )
  }

  it('pins a run, which others are compared with, and clears the pin', async () => {
    suite()
    await write(older(), newer())
    await onServer(['share', OLD])
    expect(await onServer(['baseline', 'show'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no run is pinned') as string,
    })
    expect((await onServer(['diff', 'server:baseline', NEW])).code).toBe(2)

    expect(await onServer(['baseline', 'set', OLD])).toMatchObject({ code: 0, stderr: '' })
    expect(await onServer(['baseline', 'show', folder])).toEqual({ code: 0, stdout: `${OLD}\n`, stderr: '' })
    expect((await onServer(['diff', 'server:baseline', NEW])).code).toBe(1)
    expect((await onServer(['diff', 'server:branch:main', NEW])).stdout).toMatch(/^base composit /)

    const summary = await onServer(['ci-summary', NEW, '--against', 'server:baseline'])
    expect(summary).toMatchObject({ code: 0, stderr: '' })
    expect(summary.stdout).toContain(`Baseline ${OLD} → this run ${NEW}`)

    expect((await onServer(['baseline', 'clear'])).code).toBe(0)
    expect((await onServer(['baseline', 'clear'])).code).toBe(0)
    expect((await onServer(['baseline', 'show'])).stdout).toBe('')
  })

  it('sends an id that is not stored here, and reports a run that the service does not know', async () => {
    suite('project: support-desk\nsuite: sent\n')
    await write(older({ run_id: 'sent', suite: 'sent' }))
    await onServer(['share', 'sent'])
    rmSync(join(folder, '.service'), { recursive: true })
    expect((await onServer(['baseline', 'set', 'sent'])).code).toBe(0)
    const unknown = await onServer(['baseline', 'set', 'unknown'])
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('run not found; upload the run first') as string,
    })
    expect((await onServer(['baseline', 'set', 'a/b'])).code).toBe(2)
  })

  it('rejects wrong options, a suite without names, and a service that fails', async () => {
    suite()
    expect((await onServer(['baseline', 'set'])).code).toBe(2)
    expect((await onServer(['baseline', 'set', OLD, '--branch', 'main'])).code).toBe(2)
    expect(await onServer(['baseline', 'set', '--branch', 'main'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^http\S+ pins runs only, not branches: name a run in place of --branch\n$/,
      ) as string,
    })
    expect((await ers(['baseline', 'show'])).code).toBe(2)
    expect((await onServer(['baseline', 'clear'], { SERVICE_TOKEN: 'unknown' })).code).toBe(3)
    suite('suite: refunds\n')
    expect((await onServer(['baseline', 'show'])).code).toBe(2)
  })
})

describe('ers ci-summary', () => {
  it('writes the summary and appends the outputs', async () => {
    await write(older(), newer())
    writeFileSync(join(folder, 'outputs'), 'earlier=1\n')
    const { code, stdout } = await ers(['ci-summary', 'latest', '--out', 'summary.md', '--against', OLD], {
      GITHUB_OUTPUT: join(folder, 'outputs'),
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    const summary = readFileSync(join(folder, 'summary.md'), 'utf8')
    expect(summary).toContain('**Regressions detected** — 1 newly failing')
    expect(summary).toContain(`[CI run](${ci.run_url})`)
    const outputs = readFileSync(join(folder, 'outputs'), 'utf8')
    expect(outputs).toMatch(/^earlier=1\npassed=1\n/)
    expect(outputs).toContain(`regressed=1\nrun-url=\nci-run-url=${ci.run_url}\n`)
  })

  it('notes a baseline that cannot be used, and the CI run of its own where the document has none', async () => {
    const { ci: _, ...bare } = older()
    await write(bare)
    const { code, stdout } = await ers(['ci-summary', 'latest', '--against', 'nothing'], {
      GITLAB_CI: 'true',
      CI_JOB_URL: 'https://ci.example/jobs/2',
    })
    expect(code).toBe(0)
    expect(stdout).toContain('`No comparison: ')
    expect(stdout).toContain('[CI run](https://ci.example/jobs/2)')
  })

  it('ends with exit code 2 for an unknown run, and 3 for a file that cannot be written', async () => {
    expect((await ers(['ci-summary', 'latest'])).code).toBe(2)
    await write(older())
    expect((await ers(['ci-summary', 'latest', '--out', 'no/such/folder'])).code).toBe(3)
    expect((await ers(['ci-summary', 'latest', '--github-output', 'no/such/folder'])).code).toBe(3)
  })
})

it('ers diff with a service takes the ids of runs that only the service has', async () => {
  await write(older(), newer())
  await onServer(['share', OLD])
  await onServer(['share', NEW])
  rmSync(join(folder, '.service'), { recursive: true })
  const { code, stdout, stderr } = await onServer(['diff', OLD, NEW])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toContain('  REGRESS  fast-model  a  score 1.00 → 0.00\n')
  expect(await onServer(['diff', OLD, 'nothing'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the service has no such run') as string,
  })
  expect(await ers(['diff', OLD, NEW])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('SERVICE_SERVER_URL') as string,
  })
})
