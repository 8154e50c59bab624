import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { addRubricVersion, LABELLED_AT, labelRun, NOW, uploadJudged } from '../../support/documents/labelled-queue.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import { runErs } from '../../support/servers/run-ers.ts'

const DAY = 86_400_000
let now = NOW
const spec = await openApp({ now: () => now })
const url = await spec.app.listen({ host: '127.0.0.1', port: 0 })
const folder = mkdtempSync(join(tmpdir(), 'ers-calibrated-'))
afterAll(async () => {
  await spec.close()
  rmSync(folder, { recursive: true })
})
const env = { SERVICE_SERVER_URL: url, SERVICE_TOKEN: TOKENS.read }
const ers = (...args: readonly string[]) => runErs([...args], { cwd: folder, env })
const gate = (rules: readonly string[], ...more: readonly string[]) =>
  ers('gate', 'labelled', ...rules.flatMap((rule) => ['--rule', rule]), ...more)

// The judge passes 70 %; people would pass 68.8 % (60.8 to 75.3), and agree with it by an AC1 of about 0.75.
await uploadJudged(spec, 'labelled', 350, 150)
await uploadJudged(spec, 'not-labelled', 350, 150, { suite: 'other' })
await uploadJudged(spec, 'later', 380, 120, { hour: 10 })
await addRubricVersion(spec, 1, null)
await labelRun(spec, 'labelled', 350, { ofPassed: [45, 5], ofFailed: [10, 40] })

describe('ers gate, about a judge', () => {
  it('compares the estimate, or its lower limit', async () => {
    expect(await gate(['calibrated-pass-rate:0.65', 'judge-agreement:0.6@llm-rubric'])).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^chat\/tone: labelled\ncalibrated-pass-rate:0\.65: 68\.8% \(60\.8% to 75\.3%\) by 100 labels, at least 65\.0%: PASS\njudge-agreement:0\.6@llm-rubric: AC1 0\.7\d \(0\.\d\d to 0\.\d\d\) by 100 labels, at least 0\.60: PASS\n$/,
      ) as string,
    })
    expect((await gate(['calibrated-pass-rate:lower:0.65'])).code).toBe(1)
    expect((await gate(['judge-agreement:kappa:lower:0.9'])).code).toBe(1)
  })

  it('passes or fails nothing by labels that are too old: it ends with 2 and says how old, or notes it where that is allowed', async () => {
    now = LABELLED_AT + 112 * DAY
    const line =
      'calibrated-pass-rate:0.7: cannot be judged: the calibration is stale (newest label 112 days old; rubric allows 90)'
    expect(await gate(['calibrated-pass-rate:0.7'])).toEqual({
      code: 2,
      stdout: `chat/tone: labelled\n${line}\n`,
      stderr: 'a judge has no good calibration: label more cases, or give --allow-uncalibrated\n',
    })
    expect(await gate(['calibrated-pass-rate:0.7'], '--allow-uncalibrated')).toEqual({
      ...{ code: 0, stderr: '', stdout: `chat/tone: labelled\nnote: ${line}\n` },
    })
    // The other rules are judged first, and a failure is the graver end.
    for (const allowed of [[], ['--allow-uncalibrated']])
      expect((await gate(['calibrated-pass-rate:0.7', 'pass-rate:0.9'], ...allowed)).code).toBe(1)
    expect((await gate(['calibrated-pass-rate:0.7', 'pass-rate:0.6'])).code).toBe(2)
    now = NOW
  })

  it('says that there are no labels, and refuses a metric that no judge decided, and a column', async () => {
    const none = await ers('gate', 'not-labelled', '--rule', 'judge-agreement:0.5')
    expect([none.code, none.stdout]).toEqual([
      2,
      'chat/other: not-labelled\njudge-agreement:0.5: cannot be judged: there is no calibration (no case was labelled by people)\n',
    ])
    const unknown = await gate(['judge-agreement:0.5@none'])
    expect([unknown.code, unknown.stdout]).toEqual([2, ''])
    expect(unknown.stderr).toContain('metric: no judge of the run decided "none"; its metrics are "llm-rubric"')
    const column = await gate(['judge-agreement:0.5'], '--column', 'model')
    expect([column.code, column.stderr]).toEqual([2, expect.stringContaining('--column: ')])
  })

  it('is in the JSON and in the summary', async () => {
    const { code, stdout } = await ers('gate', 'not-labelled', '--rule', 'calibrated-pass-rate:0', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      2,
      { outcome: 'not_calibrated', runs: [{ rules: [{ outcome: 'not_calibrated' }] }] },
    ])
  })
})

describe('ers calibration', () => {
  it('prints what labels say about the judge of a run', async () => {
    const { code, stdout, stderr } = await ers('calibration', 'labelled')
    expect([code, stderr, stdout.split('\n').slice(0, 2)]).toEqual([
      0,
      '',
      [
        'metric llm-rubric: good',
        'The judge passes 70.0%; people would pass about 68.8% (60.8% to 75.3%), by 100 labels in this run.',
      ],
    ])
    expect(stdout).toMatch(/^judge and people: AC1 0\.7\d \(0\.\d\d to 0\.\d\d\), kappa 0\.6\d/m)
    expect(stdout).toMatch(/^people among themselves: AC1 0\.\d\d \(.*\) over 100 cases$/m)
    expect(stdout).toMatch(/^next queue, for ±5\.0 points: \d+ more labels of cases that the judge passed, \d+ of/m)
    expect(JSON.parse((await ers('calibration', 'labelled', '--json', '--as-of', '3')).stdout)).toMatchObject({
      ...{ state: 'none', as_of: 3 },
    })
  })
  it('corrects the difference to another run, and refuses what is not known', async () => {
    const { stdout } = await ers('calibration', 'later', '--against', 'labelled')
    expect(stdout).toMatch(
      /^Judge alone: 6\.0 points better .* Corrected for its errors: .* by 100 labels of 2 people\.\n$/,
    )
    expect(await ers('calibration', 'unknown')).toMatchObject({ code: 2, stdout: '' })
  })
})
