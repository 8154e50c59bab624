import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { randomOf } from '../../../bench/documents.ts'
import { addRubricVersion, labelRun, NOW, uploadJudged } from '../../support/documents/labelled-queue.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import { runErs } from '../../support/servers/run-ers.ts'

// A simulated suite with a biased judge, whose errors are known: it passes 95 % of what people pass, and half of what they fail. With a
// people's rate of 70 % its own is 81.5 %, so a gate of 75 % should fail, and passes by the word of the judge.

const [SEEDS, CASES, LABELS] = [100, 320, 100]
const JUDGE = { sensitivity: 0.95, specificity: 0.5 } as const
const RULES = ['pass-rate:0.75', 'calibrated-pass-rate:lower:0.75'] as const

const spec = await openApp({ now: () => NOW })
const url = await spec.app.listen({ host: '127.0.0.1', port: 0 })
const folder = mkdtempSync(join(tmpdir(), 'ers-biased-'))
afterAll(async () => {
  await spec.close()
  rmSync(folder, { recursive: true })
})
await addRubricVersion(spec, 1, null)

/** Uploads a run of cases of which people pass a share, with labels of half of its verdicts or more, each in a suite of its own. */
const simulate = async (seed: number, rate: number): Promise<string> => {
  const random = randomOf(seed)
  const judged = Array.from({ length: CASES }, () => {
    const human = random() < rate
    return { human, passed: human ? random() < JUDGE.sensitivity : random() >= JUDGE.specificity }
  })
  // Each case is as good as another, so the first ones are a random sample.
  const labelled = (passed: boolean): readonly [passes: number, fails: number] => {
    const sample = judged.filter((each) => each.passed === passed).slice(0, LABELS)
    const passes = sample.filter(({ human }) => human).length
    return [passes, sample.length - passes]
  }
  const passed = judged.filter((each) => each.passed).length
  const [run_id, suite] = [`run-${rate}-${seed}`, `suite-${rate}-${seed}`]
  await uploadJudged(spec, run_id, passed, CASES - passed, { suite })
  await labelRun(spec, run_id, passed, { ofPassed: labelled(true), ofFailed: labelled(false) }, { suite })
  return run_id
}

/** How many of the runs pass each rule, and how many could not be judged by it. */
const gated = async (runs: readonly string[]) => {
  const { stdout, stderr } = await runErs(['gate', ...runs, ...RULES.flatMap((rule) => ['--rule', rule]), '--json'], {
    cwd: folder,
    env: { SERVICE_SERVER_URL: url, SERVICE_TOKEN: TOKENS.read },
  })
  expect(stdout, stderr).not.toBe('')
  const found = JSON.parse(stdout) as { runs: Array<{ rules: Array<{ rule: string; outcome: string }> }> }
  expect(found.runs).toHaveLength(runs.length)
  const count = (rule: number, outcome: string) =>
    found.runs.filter(({ rules }) => rules.some((each) => each.rule === RULES[rule] && each.outcome === outcome)).length
  return { naive: count(0, 'holds'), calibrated: count(1, 'holds'), unknown: count(1, 'not_calibrated') }
}

it('a gate on the rate of a biased judge passes wrongly, and one on the calibrated rate does not', async () => {
  const runs: string[] = []
  for (let seed = 1; seed <= SEEDS; seed++) runs.push(await simulate(seed, 0.7))
  const { naive, calibrated, unknown } = await gated(runs)
  expect(naive).toBeGreaterThanOrEqual(60)
  expect(calibrated).toBeLessThanOrEqual(5)
  // It says no, rather than nothing.
  expect(unknown).toBeLessThanOrEqual(5)
})

it('a gate on the calibrated rate passes what people would pass', async () => {
  const runs: string[] = []
  for (let seed = 1; seed <= 20; seed++) runs.push(await simulate(seed, 0.9))
  expect(await gated(runs)).toMatchObject({ naive: 20, unknown: 0 })
  expect((await gated(runs)).calibrated).toBeGreaterThanOrEqual(18)
})
