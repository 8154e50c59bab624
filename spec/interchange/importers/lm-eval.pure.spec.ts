import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  SAMPLES,
  countsOf,
  importFile,
  importFiles,
  importFolder,
  lossesOf,
} from '../../support/interchange/import-files.ts'
import { entriesOf, keepingIn } from '../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const FOLDER = join(SAMPLES, 'lm-eval')
const DATE = '2026-01-21T03-44-18.458309'
const RESULTS = `results_${DATE}.json`
const ROWS = `samples_math_perturbed_full_${DATE}.jsonl`

const results = (changes: object = {}): string =>
  JSON.stringify({
    results: { capitals: { alias: 'capitals', 'acc,none': 0.5, 'acc_stderr,none': 0.1 } },
    configs: {
      capitals: {
        task: 'capitals',
        output_type: 'generate_until',
        metric_list: [
          { metric: 'ter', higher_is_better: false },
          { metric: 'acc', higher_is_better: true },
        ],
      },
    },
    versions: { capitals: 1 },
    'n-shot': { capitals: 0 },
    config: { model: 'dummy' },
    date: 1_750_000_000.5,
    task_hashes: { capitals: 'aa' },
    model_name: 'dummy-model',
    total_evaluation_time_seconds: '12.5',
    ...changes,
  })

const row = (changes: object = {}) => ({
  doc_id: 0,
  doc: { question: 'Of which country is Paris the capital?' },
  target: 'France',
  arguments: { gen_args_0: { arg_0: 'Q: Paris?', arg_1: { until: ['\n'] } } },
  resps: [['It is France.']],
  filtered_resps: ['It is France.'],
  filter: 'none',
  metrics: ['ter', 'acc'],
  doc_hash: 'd0',
  ter: 3,
  acc: 1,
  ...changes,
})

const lines = (...rows: readonly object[]) => rows.map((value) => JSON.stringify(value)).join('\n')

const importRows = (rows: string, changes: object = {}) =>
  importFiles({ [`results_${DATE}.json`]: results(changes), [`samples_capitals_${DATE}.jsonl`]: rows })

describe('the importer of lm-evaluation-harness', () => {
  it('keeps its files only if they are of one task', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-lm-eval-'))
    const originalsWith = async (changes: object, others: readonly string[] = []) => {
      const source = mkdtempSync(join(folder, 'source-'))
      writeFileSync(join(source, 'results.json'), results(changes))
      for (const task of ['capitals', ...others]) writeFileSync(join(source, `samples_${task}.jsonl`), lines(row()))
      const [result] = await importFolder(source, keepingIn(folder, { hasOriginal: true }))
      if (result === undefined || !('run' in result)) throw new Error('not imported')
      return result.run.evidence === null ? 0 : entriesOf(result.run.evidence).length
    }
    try {
      expect(await originalsWith({})).toBe(2)
      expect(await originalsWith({}, ['rivers'])).toBe(0)
      const { configs } = JSON.parse(results()) as { configs: object }
      expect(await originalsWith({ configs: { ...configs, rivers: {} } })).toBe(0)
      expect(await originalsWith({ results: { capitals: {}, rivers: { 'acc,none': 1 } } })).toBe(0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('gives a run for the task with samples, and says that the other one has totals only', async () => {
    const imported = await importFolder(FOLDER)
    expect(countsOf(imported)).toEqual(['0 / 10 / 0 / 0'])
    const [result] = imported
    expect(result?.document?.run.suite).toBe('math_perturbed_full')
    expect(result?.document?.run.started_at).toMatch(/^2026-01-21T02:59:43/)
    expect(result?.document?.run.finished_at).toMatch(/^2026-01-21T03:44:2/)
    const losses = 'run' in result! ? result.run.losses : []
    expect(losses.map(({ path }) => path)).toContain('results.math_rephrased_full')
  })

  it('ends after its duration, or at its start if that is unknown', async () => {
    const endOf = async (total_evaluation_time_seconds: unknown) => {
      const imported = await importRows(lines(row()), { total_evaluation_time_seconds })
      const loss = lossesOf(imported).find(({ path }) => path === 'total_evaluation_time_seconds')
      return [imported[0]?.document?.run.finished_at, loss?.kind]
    }
    expect(await endOf('12.5')).toEqual(['2025-06-15T15:06:53Z', 'changed'])
    expect(await endOf('soon')).toEqual(['2025-06-15T15:06:40.5Z', 'left_out'])
  })

  it('gives totals as cases with --aggregates', async () => {
    const imported = await importFolder(FOLDER, { aggregates: true })
    expect(countsOf(imported)).toEqual(['0 / 10 / 0 / 0', '0 / 0 / 0 / 1'])
    expect(imported[1]?.document?.cases[0]).toMatchObject({ status: 'skip', score: 0.0004 })
  })

  it('loses nothing silently', async () => {
    const [result] = await importFile(join(FOLDER, RESULTS))
    if (!result || !('run' in result)) throw new Error('not imported')
    const rows = readFileSync(join(FOLDER, ROWS), 'utf8').trim().split('\n')
    const leaves = [
      ...leavesOf(JSON.parse(readFileSync(join(FOLDER, RESULTS), 'utf8'))),
      ...rows.flatMap((line) => leavesOf(JSON.parse(line), 'samples.*')),
    ]
    expect(missingLeaves(leaves, [result.run.bytes], result.run.losses)).toEqual([])
  })

  it('refuses results without samples, and samples without results', async () => {
    expect(countsOf(await importFiles({ [RESULTS]: results() }))[0]).toMatch(
      /^refused: holds totals only: .*--aggregates/,
    )
    expect(countsOf(await importFiles({ [ROWS]: lines(row(), row()) }))[0]).toMatch(/the file it belongs to is missing/)
  })

  it('takes the first metric of which more is better, and shows a lower-is-better one without a result', async () => {
    const [result] = await importRows(lines(row(), row({ doc_id: 1, acc: 0 })))
    expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
    expect(result?.document?.cases[0]).toMatchObject({
      cell: { provider_id: 'dummy-model', test_id: '0' },
      output: 'It is France.',
      prompt: { text: 'Q: Paris?' },
      vars: { doc: { question: 'Of which country is Paris the capital?' }, target: 'France' },
      asserts: [
        { status: 'skipped', weight: 0, criteria: { name: 'ter' } },
        { status: 'pass', weight: 1, criteria: { name: 'acc' } },
      ],
    })
  })

  it('folds the filters of one document into one case, of which the first decides', async () => {
    const strict = (id: number, acc: number) => row({ doc_id: id, doc_hash: `d${id}`, filter: 'strict', acc })
    const flexible = (id: number, acc: number) =>
      row({ doc_id: id, doc_hash: `d${id}`, filter: 'flexible', acc, filtered_resps: ['France'] })
    const [result] = await importRows(lines(strict(0, 0), strict(1, 1), flexible(0, 1), flexible(1, 1)))
    expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
    const [first] = result?.document?.cases ?? []
    expect(first?.asserts.map(({ criteria, weight }) => [(criteria as { name: string }).name, weight])).toEqual([
      ['ter,strict', 0],
      ['acc,strict', 1],
      ['ter,flexible', 0],
      ['acc,flexible', 0],
    ])
    expect(first?.raw).toMatchObject({ filtered: [{ filter: 'flexible', output: 'France' }] })
  })

  it('records rows of a further filter whose document the first filter does not have', async () => {
    const named = (id: number, filter: string) => row({ doc_id: id, doc_hash: `d${id}`, filter })
    const results = await importRows(lines(named(0, 'strict'), named(0, 'flexible'), named(1, 'flexible')))
    expect(countsOf(results)).toEqual(['1 / 0 / 0 / 0'])
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ path: 'samples.*', note: 'rows of further filters without one of the first' }),
    )
  })

  it('gives the chosen index of a task by log-likelihood', async () => {
    const configs = {
      capitals: { output_type: 'multiple_choice', metric_list: [{ metric: 'acc', higher_is_better: true }] },
    }
    const pairs = [
      ['-4.5', 'False'],
      ['-1.25', 'True'],
      ['-9', 'False'],
    ]
    const args = {
      gen_args_0: { arg_0: 'Q', arg_1: ' a' },
      gen_args_1: { arg_0: 'Q', arg_1: ' b' },
      gen_args_2: { arg_0: 'Q', arg_1: ' c' },
    }
    const [result] = await importRows(lines(row({ filtered_resps: pairs, resps: pairs, arguments: args })), { configs })
    expect(result?.document?.cases[0]).toMatchObject({
      output: 1,
      prompt: { text: 'Q' },
      raw: { filtered_resps: pairs, arguments: { gen_args_1: { arg_1: ' b' } } },
    })
  })

  it('says that the last line is torn, and refuses a broken one before it', async () => {
    const whole = lines(row(), row({ doc_id: 1 }))
    const [cut] = await importRows(whole.slice(0, -20))
    expect(countsOf([cut!])).toEqual(['1 / 0 / 0 / 0'])
    expect('run' in cut! ? cut.run.losses : []).toContainEqual(
      expect.objectContaining({ kind: 'cut', note: 'cut off after 1 line' }),
    )
    expect(countsOf(await importRows(`{"doc_id": 0, "x\n${whole}`))[0]).toMatch(/^refused: line 1: not valid JSON/)
  })

  it('is one run wherever it is, and another one for another date', async () => {
    const [a] = await importRows(lines(row()))
    const [b] = await importRows(lines(row(), row({ doc_id: 1 })))
    const [c] = await importRows(lines(row()), { date: 1_750_000_001 })
    expect(a?.run_id).toBe(b?.run_id)
    expect(a?.run_id).not.toBe(c?.run_id)
  })

  it('folds filters that rows do not name, in the order of the rows of a document', async () => {
    const unnamed = (id: number, acc: number) =>
      row({ doc_id: id, doc_hash: `d${id}`, filter: undefined, acc, other: acc })
    const rows = lines(unnamed(0, 0), unnamed(1, 1), unnamed(0, 1), unnamed(1, 1))
    const namesOf = async (more?: object) => {
      const [result] = await importRows(rows, more)
      expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
      const [first] = result?.document?.cases ?? []
      expect(first?.raw).toMatchObject({ filtered: [{ other: 1 }] })
      return first?.asserts.map(({ criteria, weight }) => [(criteria as { name: string }).name, weight])
    }
    expect(await namesOf()).toEqual([
      ['ter', 0],
      ['acc', 1],
      ['ter,filter 2', 0],
      ['acc,filter 2', 0],
    ])
    const filter_list = [{ name: 'strict' }, { name: 'flexible' }]
    const metric_list = [{ metric: 'acc', higher_is_better: true }]
    expect(await namesOf({ configs: { capitals: { filter_list, metric_list } } })).toEqual([
      ['ter,strict', 0],
      ['acc,strict', 1],
      ['ter,flexible', 0],
      ['acc,flexible', 0],
    ])
  })

  it('takes rows without any id as tests of their own', async () => {
    const anonymous = (question: string) =>
      row({ doc_id: undefined, doc_hash: undefined, filter: undefined, doc: { question } })
    const [result] = await importRows(lines(anonymous('a'), anonymous('b')))
    expect(result?.document?.cases.map(({ cell }) => cell.repeat)).toEqual([0, 0])
  })

  it('reads samples that are one list, as older versions wrote them', async () => {
    const list = JSON.stringify([row({ doc_id: 0, acc: 1 }), row({ doc_id: 1, acc: 0 })], null, 2)
    for (const name of ['samples_capitals.json', 'samples_capitals.jsonl']) {
      const [result] = await importFiles({ 'results.json': results(), [name]: list })
      expect(countsOf([result!])).toEqual(['1 / 1 / 0 / 0'])
    }
    expect(countsOf(await importFiles({ 'samples_capitals.json': list }))[0]).toMatch(
      /^refused: lm-eval: samples .* of a results_\*\.json: the file it belongs to is missing/,
    )
  })
})
