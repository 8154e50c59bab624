import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

const upload = async (run: RunDocument): Promise<void> => {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/v1/runs`, { method: 'POST', headers, body: JSON.stringify(run) })
  expect([run.run_id, response.status, await response.text()]).toEqual([run.run_id, 201, expect.anything()])
}

const pin = async (suite: string, run_id: string): Promise<void> => {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const path = `/api/v1/projects/support-desk/suites/${suite}/baseline`
  const response = await fetch(server.url + path, { method: 'PUT', headers, body: JSON.stringify({ run_id }) })
  expect(response.status).toBe(200)
}

const gate = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(['gate', ...args], {
    cwd: folder,
    env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token, ...env },
  })

/** A run with a letter a case: `p`, `f`, `e`. */
const runOf = (
  run_id: string,
  letters: string,
  {
    suite = 'refunds',
    minute = 0,
    branch = 'main',
    repeats = 1,
    cost = 0.001,
    latency = 100,
    tags = [] as string[],
  } = {},
): RunDocument => {
  const status = { p: 'pass', f: 'fail', e: 'error' } as const
  const cases = [...letters].map((letter, index) =>
    engineCase(`t${Math.floor(index / repeats)}`, {
      repeat: index % repeats,
      status: status[letter as keyof typeof status],
      cost_usd: cost,
      latency_ms: latency,
      tags,
    }),
  )
  const finished_at = new Date(Date.UTC(2026, 4, 4, 9, minute)).toISOString()
  return engineRun(run_id, cases, { suite, started_at: finished_at, finished_at, git: { branch, dirty: false } })
}

const server = await startServer()
const folder = mkdtempSync(join(tmpdir(), 'ers-gate-'))
// 412 pairs, of which 12 are worse and 3 better.
await upload(runOf('base', 'p'.repeat(400) + 'f'.repeat(12)))
await upload(runOf('worse', `${'f'.repeat(12)}${'p'.repeat(388)}ppp${'f'.repeat(9)}`, { minute: 1, branch: 'topic' }))
await upload(
  runOf('same', 'p'.repeat(400) + 'f'.repeat(12), { minute: 2, branch: 'topic', cost: 0.0013, latency: 130 }),
)
await upload(runOf('alone', 'ppe', { suite: 'other' }))
// Ten tests of five trials: two tests fail in all trials, so 10 of 50 cases are worse.
await upload(runOf('trials-base', 'p'.repeat(50), { suite: 'trials', repeats: 5 }))
await upload(runOf('trials-head', 'f'.repeat(10) + 'p'.repeat(40), { suite: 'trials', repeats: 5, minute: 1 }))
await pin('refunds', 'base')
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

describe('ers gate', () => {
  it('compares a run with the pinned one, prints the numbers, and ends with 1 if a rule failed', async () => {
    expect(await gate(['worse'])).toEqual({
      code: 1,
      stderr: '',
      stdout: `support-desk/refunds: worse against base
no-regression: 12 worse, 3 better of 412 pairs, p = 0.035: FAIL
`,
    })
    expect(await gate(['same'])).toMatchObject({
      code: 0,
      stdout: `support-desk/refunds: same against base
no-regression: 0 worse, 0 better of 412 pairs, p = 1.000: PASS
`,
    })
    expect((await gate(['worse', '--alpha', '0.01'])).code).toBe(0)
  })

  it('judges all rules, and needs all of them', async () => {
    const rules = [
      'non-inferior:5%',
      'pass-rate:0.95',
      'pass-rate:lower:0.95',
      'score:0.9',
      'errors:0',
      'cost:+30%',
      'latency:+25%',
      'cost:clear:+30%',
      'latency:clear:+29.9%',
    ]
    const { code, stdout } = await gate(['same', ...rules.flatMap((rule) => ['--rule', rule])])
    expect(code).toBe(1)
    // By hand: 400 / 412 = 97.1 %, Wilson 95.0 to 98.3 %; Bonett and Price of 0 and 0 of 412: 1.96 sqrt(2/414/414) = 0.7 points.
    expect(stdout.split('\n').slice(1, -1)).toEqual([
      'non-inferior:5%: 0.0 points over 412 pairs, lower limit −0.7: a drop of 5.0 points is ruled out: PASS',
      'pass-rate:0.95: 97.1% (400 of 412), at least 95.0%: PASS',
      'pass-rate:lower:0.95: 97.1% (400 of 412), lower limit 95.0%, at least 95.0%: FAIL',
      'score:0.9: mean 0.971, at least 0.9: PASS',
      'errors:0: 0 errors (at most 0): PASS',
      'cost:+30%: $0.4120 → $0.5356 over 412 pairs, +30.0% (at most +30%): PASS',
      'latency:+25%: 100 ms → 130 ms over 412 pairs, +30.0% (at most +25%): FAIL',
      'cost:clear:+30%: 1.30 times over 412 pairs, 95% interval 1.30 to 1.30 (not clearly above +30%): PASS',
      'latency:clear:+29.9%: 1.30 times over 412 pairs, 95% interval 1.30 to 1.30 (not clearly above +29.9%): FAIL',
    ])
  })

  it('finds the previous run, a branch, or a named run', async () => {
    const head = async (against: string) => (await gate(['same', '--against', against])).stdout.split('\n')[0]
    expect(await head('previous')).toBe('support-desk/refunds: same against worse')
    expect(await head('branch:main')).toBe('support-desk/refunds: same against base')
    expect(await head('branch:topic')).toBe('support-desk/refunds: same against worse')
    expect(await head('worse')).toBe('support-desk/refunds: same against worse')
  })

  it('uses the clustered interval for a run with repeats, and the groups that are asked for', async () => {
    // The exact test of 10 to 0 would fail (p = 0.002). By hand: the mean of ten tests is -20 points, its error
    // sqrt(10/9 * (2 * 0.8^2 + 8 * 0.2^2)) / 10 = 0.133, t(0.975, 9) = 2.262: -50.2 to 10.2 points.
    expect((await gate(['trials-head', '--against', 'trials-base'])).stdout).toContain(
      'no-regression: 10 worse, 0 better of 50 pairs, grouped by test (10 groups): −20.0 points, 95% interval −50.2 to 10.2, p = 0.168: PASS\n',
    )
    expect((await gate(['worse', '--cluster-by', 'test'])).stdout).toContain(
      'grouped by test (412 groups): −2.2 points, ',
    )
    expect(await gate(['worse', '--cluster-by', 'tag:none'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'cluster_by: no case has a tag that begins with "none"\n',
    })
    expect((await gate(['worse', '--cluster-by', 'file'])).code).toBe(2)
  })

  it('adjusts the p-values of several runs in one call', async () => {
    const { code, stdout } = await gate(['worse', 'same', '--json'])
    const found = JSON.parse(stdout) as { outcome: string; runs: ReadonlyArray<Record<string, unknown>> }
    // By hand: p = 0.0352 of two is q = 0.0703; p = 1 stays.
    expect([code, found]).toMatchObject([
      0,
      {
        outcome: 'holds',
        alpha: 0.05,
        runs: [
          {
            run_id: 'worse',
            baseline_run_id: 'base',
            pairs: 412,
            worse: 12,
            better: 3,
            q_value: expect.closeTo(0.0703125, 12) as number,
          },
          { run_id: 'same', p_value: 1, q_value: 1, rules: [{ rule: 'no-regression', outcome: 'holds' }] },
        ],
      },
    ])
    expect((await gate(['worse', 'same'])).stdout).toContain('p = 0.035, q = 0.070: PASS')
    // A run that is named twice is one.
    expect((await gate(['worse', 'worse'])).code).toBe(1)
  })

  it('says what could not have been seen', async () => {
    const { stdout } = await gate(['trials-head', '--against', 'trials-base'])
    // The share of discordant pairs is 20 %: the reference has 626 pairs for 5 points.
    expect(stdout).toMatch(/note: a drop of 5 points could not be seen with 50 pairs: it needs about 626/)
  })

  it('ends with 2 without a baseline, unless that is allowed; rules of one run are judged all the same', async () => {
    const missing = await gate(['alone'])
    expect(missing).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('no-regression: there is no baseline: not judged') as string,
    })
    expect(missing.stdout).toContain('no baseline: the suite has no pinned run')
    expect(missing.stderr).toContain('--allow-no-baseline')
    expect((await gate(['alone', '--allow-no-baseline'])).code).toBe(0)
    const errors = ['--rule', 'errors:0', '--rule', 'no-regression', '--allow-no-baseline']
    expect(await gate(['alone', ...errors])).toMatchObject({ code: 1 })
    expect((await gate(['alone', '--rule', 'errors:1'])).code).toBe(0)
    const score = await gate(['alone', '--rule', 'score:0.1', '--allow-no-baseline'])
    expect(score.code).toBe(1)
    expect(score.stdout).toContain(
      'score:0.1: mean 0.667, at least 0.1; 1 case ended with an error, so the mean is not known: FAIL',
    )
    expect((await gate(['alone', '--against', 'previous'])).stdout).toContain('no earlier run of the suite is like it')
    expect((await gate(['alone', '--against', 'branch:none'])).stdout).toContain('no other run on the branch none')
  })

  it.each([
    [['unknown'], 'has no run "unknown"'],
    [['..'], 'has no run ".."'],
    [['worse', '--against', 'unknown'], 'has no run "unknown"'],
    [['worse', '--against', 'alone'], 'is of another suite'],
    [['worse', '--against', ''], '--against needs'],
    [['worse', '--rule', 'cost:20%'], '--rule: the rule "cost:20%" needs a percentage'],
    [['worse', '--alpha', '5'], '--alpha must be'],
    [['latest'], 'there is no stored run'],
    [[], "missing required argument 'run'"],
  ])('ends with 2 for %j', async (args, reason) => {
    const { code, stderr, stdout } = await gate(args)
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(reason) as string })
  })

  it('ends with 3 if the service cannot be asked, and with 2 if none is named', async () => {
    expect((await gate(['worse'], { SERVICE_TOKEN: 'unknown' })).code).toBe(3)
    expect((await gate(['worse'], { SERVICE_SERVER_URL: '' })).code).toBe(2)
  })

  it('takes the id of a run from its file, and writes a summary in Markdown', async () => {
    writeFileSync(join(folder, 'run.json'), JSON.stringify(runOf('worse', 'p')))
    expect((await gate(['run.json', '--summary-md', 'gate.md'])).code).toBe(1)
    expect(readFileSync(join(folder, 'gate.md'), 'utf8')).toBe(`### Gate

**Fail**

| Suite | Rule | Numbers | Result |
|---|---|---|---|
| support-desk/refunds | \`no-regression\` | \`12 worse, 3 better of 412 pairs, p = 0.035\` | FAIL |

- support-desk/refunds: worse against base
`)
    const unwritable = await gate(['same', '--summary-md', 'missing/gate.md'])
    expect(unwritable).toMatchObject({ code: 0, stderr: expect.stringContaining('is not written') as string })
  })
})

describe('no-newly-failing', () => {
  beforeAll(async () => {
    // The first case flips in each of six runs on main, the second never.
    for (let minute = 0; minute < 6; minute++)
      await upload(runOf(`flips-${minute}`, minute % 2 === 0 ? 'fpp' : 'ppp', { suite: 'flaky', minute }))
    await upload(runOf('flaky-fails', 'fpp', { suite: 'flaky', minute: 10, branch: 'topic' }))
    await upload(runOf('both-fail', 'fep', { suite: 'flaky', minute: 11, branch: 'topic' }))
  })

  it('leaves out flaky cases', async () => {
    const rule = (text: string, run: string) => gate([run, '--against', 'branch:main', '--rule', text])
    expect(await rule('no-newly-failing', 'flaky-fails')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'no-newly-failing: 0 newly failing, 1 flaky not counted (at most 0): PASS',
      ) as string,
    })
    expect(await rule('no-newly-failing', 'both-fail')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('1 newly failing, 1 flaky not counted (at most 0): FAIL') as string,
    })
    expect((await rule('no-newly-failing:1', 'both-fail')).code).toBe(0)
  })
})

describe('--column', () => {
  const column = (provider_id: string, letters: string) =>
    [...letters].map((letter, i) =>
      engineCase(`t${i}`, {
        status: letter === 'p' ? 'pass' : letter === 'e' ? 'error' : 'fail',
        case_key: `${provider_id}/t${i}`,
        cell: { provider_id, prompt_id: 'p', test_id: `t${i}`, repeat: 0 },
      }),
    )
  const models = (run_id: string, minute: number, columns: Readonly<Record<string, string>>): RunDocument => {
    const cases = Object.entries(columns).flatMap(([provider, letters]) => column(provider, letters))
    const finished_at = new Date(Date.UTC(2026, 4, 4, 9, minute)).toISOString()
    return engineRun(run_id, cases, { suite: 'models', started_at: finished_at, finished_at })
  }

  beforeAll(async () => {
    await upload(models('models-base', 0, { steady: 'pppppppf', other: 'pppppppp' }))
    // One model loses six of eight tests, the other none.
    await upload(models('models-head', 1, { steady: 'pppppppf', other: 'ffffffpp', new: 'ppeppppp' }))
  })
  const judged = (column: string, ...more: readonly string[]) =>
    gate(['models-head', '--against', 'models-base', '--column', column, ...more])

  it('judges one column of a run against the same one of its baseline', async () => {
    const rules = ['no-regression', 'no-newly-failing', 'pass-rate:0.8', 'score:0.8', 'errors:0']
    const given = rules.flatMap((rule) => ['--rule', rule])
    expect(await judged('steady', ...given)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`support-desk/models: models-head (column steady) against models-base
no-regression: 0 worse, 0 better of 8 pairs, p = 1.000: PASS
no-newly-failing: 0 newly failing (at most 0): PASS
pass-rate:0.8: 87.5% (7 of 8), at least 80.0%: PASS
`) as string,
    })
    const { code, stdout } = await judged('other,p', ...given)
    expect(code).toBe(1)
    expect(stdout).toContain('no-regression: 6 worse, 0 better of 8 pairs, p = 0.031: FAIL')
    expect(stdout).toContain('no-newly-failing: 6 newly failing (at most 0): FAIL')
    expect(stdout).toContain('errors:0: 0 errors (at most 0): PASS')
    expect(JSON.parse((await judged('other', '--json')).stdout)).toMatchObject({
      runs: [{ column: 'other', worse: 6 }],
    })
    // Without a column, the run fails too.
    expect((await gate(['models-head', '--against', 'models-base'])).code).toBe(1)
  })

  it('takes a column that the baseline does not have for one without a baseline', async () => {
    const missing = await judged('new', '--rule', 'errors:0', '--rule', 'no-regression')
    expect(missing).toMatchObject({
      code: 2,
      stdout: expect.stringContaining(
        'no baseline: the run that it is compared with has no case in the column',
      ) as string,
    })
    expect(missing.stdout).toContain('errors:0: 1 error (at most 0): FAIL')
    expect((await judged('new', '--allow-no-baseline')).code).toBe(0)
    expect(await judged('unknown')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'column: the run has no case in the column "unknown"; its columns are "steady", "other", "new"\n',
    })
  })
})
