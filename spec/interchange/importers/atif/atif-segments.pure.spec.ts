import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyOf } from '../../../../interchange/document/evidence/case-parts.ts'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { lineIds } from '../../../../interchange/document/evidence/transcript-members.ts'
import { readTrajectory, segmentsOf } from '../../../../interchange/importers/atif/trajectory.ts'
import { fileInMemory } from '../../../../interchange/read/source-file.ts'
import { writeHarborJob } from '../../../support/interchange/harbor-job.ts'
import { countsOf, importBytes, importFolder, lossesOf } from '../../../support/interchange/import-files.ts'
import { entriesOf, evidenceOf, keepingIn } from '../../../support/interchange/kept-evidence.ts'

let folder: string
let source: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ers-atif-segments-'))
  source = join(folder, 'source')
  mkdirSync(source)
})
afterEach(() => rmSync(folder, { recursive: true }))

const trajectory = (more: object) => ({
  schema_version: 'ATIF-v1.7',
  agent: { name: 'a', version: '1' },
  steps: [{ step_id: 1, source: 'user', message: 'Go on.' }],
  ...more,
})
const write = (name: string, more: object): void =>
  writeFileSync(join(source, name), JSON.stringify(trajectory({ trajectory_id: name, ...more })))
const options = { createdAt: '2026-01-01T00:00:00Z' }

it('joins files as far as they have room in memory, and names those beyond', async () => {
  const file = (name: string, more: object) =>
    fileInMemory(name, Buffer.from(JSON.stringify(trajectory({ ...more, notes: 'x'.repeat(1000) }))))
  const files = [
    file('a.json', { continued_trajectory_ref: 'b.json' }),
    file('b.json', { continued_trajectory_ref: 'c.json' }),
    file('c.json', {}),
  ]
  const joinedWithin = async (maxBytes: number) => {
    const losses = newLosses()
    const siblings = (name: string) => files.find((one) => one.name === name) ?? null
    const joined = await readTrajectory(files[0]!, siblings, losses, maxBytes)
    return [segmentsOf(joined).length, losses.all()]
  }
  expect(await joinedWithin(10_000)).toEqual([3, []])
  expect(await joinedWithin(2000)).toMatchObject([
    2,
    [{ kind: 'cut', path: '(joined trajectories)', bytes: files[2]!.size }],
  ])
})

describe('a trajectory that is continued', () => {
  const step = (message: string, tokens: number, more: object = {}) => ({
    source: 'agent',
    message,
    metrics: { prompt_tokens: tokens, completion_tokens: 1, cost_usd: 0.5 },
    ...more,
  })
  const usageOf = async () => (await importFolder(source, options))[0]!.document!.cases[0]

  it('has the tokens of all its steps, each once', async () => {
    write('a.json', {
      steps: [step('One.', 10)],
      final_metrics: { total_prompt_tokens: 10, total_completion_tokens: 1, total_cost_usd: 0.5 },
      continued_trajectory_ref: 'b.json',
    })
    write('b.json', { steps: [step('One.', 10, { is_copied_context: true }), step('Two.', 32)] })
    expect(await usageOf()).toMatchObject({
      output: 'Two.',
      usage: { input_tokens: 42, output_tokens: 2 },
      cost_usd: 1,
    })
  })

  it('has the last total, if its steps say nothing', async () => {
    const total = (tokens: number) => ({ total_prompt_tokens: tokens, total_completion_tokens: tokens })
    write('a.json', { final_metrics: total(10), continued_trajectory_ref: 'b.json' })
    write('b.json', { final_metrics: total(42) })
    expect(await usageOf()).toMatchObject({ usage: { input_tokens: 42, output_tokens: 42 } })
  })

  it('may have many files', async () => {
    const count = 300
    for (let n = 0; n < count; n++)
      write(`${n}.json`, {
        steps: [{ source: 'agent', message: `answer ${n}` }],
        ...(n + 1 < count && { continued_trajectory_ref: `${n + 1}.json` }),
      })
    const results = await importFolder(source, options)
    expect(countsOf(results)).toEqual(['0 / 0 / 0 / 1'])
    expect(results[0]!.document!.cases[0]!.output).toBe(`answer ${count - 1}`)
  })
})

it('reads a sub-agent once, to which two trajectories refer', async () => {
  const reference = { observation: { results: [{ subagent_trajectory_ref: [{ trajectory_path: 'c.json' }] }] } }
  const asks = [{ source: 'agent', message: 'I ask.', ...reference }]
  write('a.json', { steps: asks, continued_trajectory_ref: 'b.json' })
  write('b.json', { steps: asks })
  write('c.json', {})
  const results = await importFolder(source, options)
  expect(lossesOf(results).filter(({ path }) => path.includes('trajectory_path'))).toEqual([])
})

describe('a reward', () => {
  const statusOf = async (extra: object) => {
    const results = await importBytes('t.json', JSON.stringify(trajectory({ extra })), options)
    const losses = lossesOf(results).flatMap(({ kind, path }) => (kind === 'changed' ? [path] : []))
    return [results[0]!.document!.cases[0]!.status, losses]
  }

  it.each([
    ['a truth value', { reward: true }, 'pass', []],
    ['a number in a text', { rewards: { reward: '0.0' } }, 'fail', []],
    ['none, which is recorded', { rewards: { reward: 'n/a', style: 1 } }, 'pass', ['extra.reward']],
  ])('may be %s', async (_, extra, status, losses) => expect(await statusOf(extra)).toEqual([status, losses]))

  it('of a trial may be a truth value too, and is recorded if it is none', async () => {
    const job = writeHarborJob(join(source, 'job'), trajectory({}))
    const result = { trial_name: 't', task_name: 't', config: {} }
    const rewards = { reward: 'true', odd: 'n/a' }
    mkdirSync(join(job, 'more'))
    writeFileSync(join(job, 'more/result.json'), JSON.stringify({ ...result, verifier_result: { rewards } }))
    const results = await importFolder(job)
    expect(results[0]!.document!.cases.find(({ name }) => name === 't')).toMatchObject({
      status: 'pass',
      raw: { verifier_result: { rewards: { odd: 'n/a' } } },
    })
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ kind: 'changed', path: '(trials).verifier_result.rewards.odd' }),
    )
  })
})

describe('the files of a case', () => {
  const picture = (path: string) => ({ source: 'user', message: [{ type: 'image', source: { path } }] })

  it('are one part, to which many messages refer', async () => {
    writeFileSync(join(source, 'map.png'), 'a picture')
    write('a.json', { steps: Array.from({ length: 50 }, () => picture('map.png')) })
    const parts = join(folder, 'parts')
    mkdirSync(parts)
    const results = await importFolder(source, { ...keepingIn(parts), ...options })
    expect(entriesOf(evidenceOf(results[0])).map(({ name }) => name)).toEqual(['map.png', 'trajectory'])
  })

  it('are not copied, if something else is at their place by then', () => {
    symlinkSync('a.json', join(source, 'link'))
    for (const name of ['link', 'gone', '.', 'x'.repeat(300)]) expect(copyOf(join(source, name), folder)).toBeNull()
  })
})

it('gives many lines with the same id ids of their own', () => {
  const newId = lineIds()
  expect([newId('a'), newId('a~2'), newId('a'), newId('a')]).toEqual(['a', 'a~2', 'a~3', 'a~4'])
  const ids = new Set(Array.from({ length: 100_000 }, () => newId('b')))
  expect(ids.size).toBe(100_000)
})
