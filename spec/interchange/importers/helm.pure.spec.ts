import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SAMPLES, countsOf, importFiles, importFolder, lossesOf } from '../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const [name] = readdirSync(join(SAMPLES, 'helm')) as [string]
const FOLDER = join(SAMPLES, 'helm', name)
const read = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))

type State = Record<string, Record<string, unknown>>

const importStates = (states: readonly object[], stats: readonly object[], options = {}) =>
  importFiles(
    {
      'run_spec.json': JSON.stringify(read('run_spec.json')),
      'scenario_state.json': JSON.stringify({ adapter_spec: {}, request_states: states }),
      'per_instance_stats.json': JSON.stringify(stats),
    },
    options,
  )

const statOf = (instance_id: string, metrics: Record<string, number>, more: object = {}) => ({
  instance_id,
  train_trial_index: 0,
  ...more,
  stats: Object.entries(metrics).map(([metric, mean]) => ({ name: { name: metric, split: 'test' }, count: 1, mean })),
})

const [FIRST] = (read('scenario_state.json') as { request_states: State[] }).request_states as [State]
const state = (id: string, text: string, logprob: number, more: object = {}): object => ({
  ...FIRST,
  instance: { ...FIRST['instance'], id },
  result: { ...FIRST['result'], completions: [{ text, logprob, tokens: [{ text, logprob }] }] },
  ...more,
})

describe('the importer of HELM', () => {
  it('gives the counts of its sample, and loses nothing silently', async () => {
    const imported = await importFolder(FOLDER)
    expect(countsOf(imported)).toEqual(['1 / 9 / 0 / 0'])
    const [result] = imported
    if (!result || !('run' in result)) throw new Error('not imported')
    expect(result.document?.run).toMatchObject({ suite: 'mmlu', started_at: '2025-11-05T15:02:02Z' })
    expect(result.document?.cases[0]).toMatchObject({
      cell: { provider_id: 'openai/gpt2', test_id: 'id147', repeat: 0 },
      output: ' D',
      latency_ms: 680,
      usage: { input_tokens: 333, output_tokens: 1 },
    })
    const { adapter_spec: _, ...states } = read('scenario_state.json') as Record<string, unknown>
    const leaves = [
      ...leavesOf(read('run_spec.json')),
      ...leavesOf(read('scenario.json')),
      ...leavesOf(states),
      ...leavesOf(read('per_instance_stats.json'), 'per_instance_stats'),
      ...leavesOf(read('stats.json'), 'stats'),
    ]
    expect(missingLeaves(leaves, [result.run.bytes], result.run.losses)).toEqual([])
  })

  it('refuses a folder without the states or the scores', async () => {
    const spec = JSON.stringify(read('run_spec.json'))
    expect(countsOf(await importFiles({ 'run_spec.json': spec }))).toEqual([
      'refused: scenario_state.json is not in the same folder',
    ])
    const states = JSON.stringify(read('scenario_state.json'))
    expect(countsOf(await importFiles({ 'run_spec.json': spec, 'scenario_state.json': states }))).toEqual([
      'refused: per_instance_stats.json is not in the same folder: it has the scores',
    ])
  })

  it('takes the likeliest of several requests for one instance', async () => {
    const states = [state('a', 'x', -3), state('a', 'y', -1), state('a', 'z', -2), state('b', 'q', -1)]
    const [result] = await importStates(states, [statOf('a', { exact_match: 1 }), statOf('b', { exact_match: 0 })])
    expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
    expect(result?.document?.cases[0]).toMatchObject({ output: 'y', latency_ms: 2041 })
  })

  it('names a perturbed instance, and counts trials', async () => {
    const perturbation = { name: 'typos' }
    const perturbed = state('a', 'x', -1, { instance: { ...FIRST['instance'], id: 'a', perturbation } })
    const again = state('a', 'x', -1, { train_trial_index: 1 })
    const stats = [
      statOf('a', { exact_match: 1 }),
      statOf('a', { exact_match: 0 }, { perturbation }),
      statOf('a', { exact_match: 0 }, { train_trial_index: 1 }),
    ]
    const [result] = await importStates([state('a', 'x', -1), perturbed, again], stats)
    expect(result?.document?.cases.map(({ cell, status }) => [cell.test_id, cell.repeat, status])).toEqual([
      ['a', 0, 'pass'],
      ['a/typos', 0, 'fail'],
      ['a', 1, 'fail'],
    ])
  })

  it('decides by --scorer where no known metric does', async () => {
    const stats = [statOf('a', { rouge_l: 0.4, num_prompt_tokens: 3 })]
    expect(countsOf(await importStates([state('a', 'x', -1)], stats))).toEqual([
      'refused: no metric is known to decide: choose one with --scorer, of rouge_l',
    ])
    expect(countsOf(await importStates([state('a', 'x', -1)], stats, { scorers: ['rouge_l'] }))).toEqual([
      '0 / 1 / 0 / 0',
    ])
  })

  it('records once that of statistics only the means are in the document', async () => {
    const [stats] = [statOf('a', { exact_match: 0.5 })]
    const several = { ...stats, stats: stats.stats.map((stat) => ({ ...stat, count: 2 })) }
    const results = await importStates([state('a', 'x', -1)], [several])
    const lost = lossesOf(results).filter(({ path }) => path.startsWith('per_instance_stats'))
    expect(lost).toMatchObject([{ count: 1, bytes: JSON.stringify([several]).length }])
  })

  it('gives a failed request as an error', async () => {
    const failed = state('a', '', 0, { result: { success: false, error: 'no answer', completions: [] } })
    const [result] = await importStates([failed], [statOf('a', { exact_match: 0 })], {
      createdAt: '2026-01-01T00:00:00Z',
    })
    expect(result?.document?.cases[0]).toMatchObject({ status: 'error', error: 'no answer' })
  })
})
