import Database from 'better-sqlite3'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  lossesOf,
  targetWith,
} from '../../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

const sample = (name: string) => join(SAMPLES, 'deepeval', name)
afterAll(() => rmSync(folder, { recursive: true }))

const run = (testCases: readonly unknown[], changes: object = {}) => ({
  ...{
    testCases,
    conversationalTestCases: [],
    metricsScores: [],
    identifier: 'nightly',
    hyperparameters: { model: 'gpt-5' },
  },
  ...changes,
})
const importRun = async (content: unknown) => {
  const results = await importBytes('test_run_20260102_030405.json', JSON.stringify(content))
  return { results, cases: results[0]?.document?.cases ?? [], run: results[0]?.document?.run }
}
const metric = (name: string, changes: object = {}) => ({
  name,
  threshold: 0.5,
  success: true,
  score: 1,
  reason: 'r',
  ...changes,
})
const folder = mkdtempSync(join(tmpdir(), 'deepeval-'))

describe('the importer of DeepEval', () => {
  it.each([
    ['test_run_20261122_045649.json', '1 / 1 / 1 / 0'],
    ['test_run_sample.json', '0 / 1 / 0 / 0'],
  ])('gives the counts of %s, and loses no leaf silently', async (name, counts) => {
    const results = await importFile(sample(name))
    expect(countsOf(results)).toEqual([counts])
    const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
    expect(
      missingLeaves(leavesOf(JSON.parse(readFileSync(sample(name), 'utf8'))), documents, lossesOf(results)),
    ).toEqual([])
  })

  it('takes the time from the name of the file, in the zone of the option', async () => {
    const [found] = await importFile(sample('test_run_20261122_045649.json'), { timeZone: 'Asia/Tokyo' })
    expect(found?.document?.run.finished_at).toBe('2026-11-21T19:56:49Z')
    expect('run' in found! && found.run.clock).toBe('name')
  })

  it('reads the run in the file of the latest run, and refuses a link', async () => {
    expect(
      countsOf((await importRun({ testRunData: run([{ name: 'a', input: 'q', success: true }]) })).results),
    ).toEqual(['1 / 0 / 0 / 0'])
    expect(countsOf((await importRun({ testRunLink: 'https://app.example' })).results)).toEqual([
      'refused: deepeval: a link to a run, which holds no test cases',
    ])
    expect(countsOf((await importRun(run([]))).results)).toEqual(['refused: holds no cases'])
  })

  it.each([
    [{ identifier: 'a', testFile: 'b', datasetAlias: 'c' }, 'a'],
    [{ identifier: null, testFile: 'b', datasetAlias: 'c' }, 'b'],
    [{ identifier: null, testFile: null, datasetAlias: 'c' }, 'c'],
    [{ identifier: null }, 'eval'],
  ])('names the suite: %j', async (changes, suite) => {
    const { run: found } = await importRun(run([{ name: 'a', input: 'q', success: true }], changes))
    expect(found?.suite).toBe(suite)
  })

  it('names tests without a name by their inputs', async () => {
    const { cases } = await importRun(
      run(['test_case_0', 'test_case_1', 'mine'].map((name) => ({ name, input: 'q', success: true }))),
    )
    expect(cases.map(({ cell, name }) => [cell.test_id, cell.repeat, name])).toEqual([
      [expect.stringMatching(/^input-[0-9a-f]{12}$/), 0, 'test_case_0'],
      [cases[0]?.cell.test_id, 1, 'test_case_1'],
      ['mine', 0, undefined],
    ])
  })

  it('reads metrics as assertions', async () => {
    const metricsData = [
      metric('judge', { evaluationModel: 'gpt-5', evaluationCost: 0.25, inputTokenCount: 9 }),
      metric('Exact Match', { success: false, score: 0 }),
      metric('unstable', { success: false, score: 0, flaky: true }),
    ]
    const { cases } = await importRun(run([{ name: 'a', input: 'q', success: false, metricsData }]))
    expect(cases[0]).toMatchObject({
      status: 'fail',
      score: 0.5,
      asserts: [
        {
          kind: 'llm-rubric',
          weight: 1,
          cost_usd: 0.25,
          details: { inputTokenCount: 9 },
          criteria: { name: 'judge', model: 'gpt-5' },
        },
        { kind: 'equals', status: 'fail', weight: 1 },
        { kind: 'exec', status: 'fail', weight: 0, details: { flaky: true } },
      ],
    })
    const broken = [metric('judge', { success: false, score: null, error: 'ValueError: no answer' })]
    const { cases: errors } = await importRun(run([{ name: 'a', input: 'q', success: false, metricsData: broken }]))
    expect(errors[0]).toMatchObject({ status: 'error', error: 'ValueError: no answer', error_class: 'grader_failed' })
  })

  it('reads a conversation as turns', async () => {
    const turns = [
      { role: 'user', content: 'Hi', order: 0 },
      { role: 'assistant', content: 'Hello', order: 1 },
    ]
    const { cases, results } = await importRun(
      run([], { conversationalTestCases: [{ name: 'talk', success: true, turns, scenario: 's' }] }),
    )
    expect(cases[0]).toMatchObject({
      cell: { provider_id: 'gpt-5', test_id: 'talk' },
      prompt: {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
        ],
      },
      output: 'Hello',
      vars: { scenario: 's' },
    })
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ path: 'conversationalTestCases.*.turns.*.order' }),
    )
  })

  it('records the spans of traces as left out', async () => {
    expect(lossesOf(await importFile(sample('test_run_sample.json')))).toContainEqual(
      expect.objectContaining({ kind: 'left_out', path: 'testCases.*.trace' }),
    )
  })

  it('gives a document for cases of any shape', async () => {
    const odd = [null, 1, 'a', [], {}, [{}], { a: [{}] }, true, -1, 1e300]
    const keys = [
      'name',
      'input',
      'actualOutput',
      'success',
      'metricsData',
      'toolsCalled',
      'turns',
      'tags',
      'completionTime',
      'tokenCost',
      'trace',
      'inputTokenCount',
    ]
    const cases = keys.flatMap((key) => odd.map((value) => ({ name: 'a', input: 'q', success: true, [key]: value })))
    const metrics = ['name', 'score', 'success', 'error', 'threshold', 'evaluationCost', 'reason', 'flaky'].flatMap(
      (key) => odd.map((value) => ({ name: 'a', metricsData: [{ ...metric('m'), [key]: value }] })),
    )
    expect((await importRun(run([...cases, ...metrics]))).cases).toHaveLength(cases.length + metrics.length)
  })
})

describe('the database of DeepEval', () => {
  const databaseWith = (name: string, rows: ReadonlyArray<readonly [string, string, string | null]>): string => {
    const path = join(folder, name)
    const database = new Database(path)
    database.exec(`
      CREATE TABLE test_runs (id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, identifier TEXT,
        confident_test_run_id TEXT, payload_json TEXT NOT NULL);
      CREATE TABLE metric_data (id INTEGER PRIMARY KEY, name TEXT NOT NULL)`)
    for (const row of rows)
      database
        .prepare('INSERT INTO test_runs (created_at, payload_json, confident_test_run_id) VALUES (?, ?, ?)')
        .run(...row)
    database.close()
    return path
  }
  const payload = (name: string) => JSON.stringify(run([{ name, input: 'q', success: true }], { identifier: name }))

  it('has a run for each test run, with its time', async () => {
    const path = databaseWith('a.db', [
      ['2026-01-02T03:04:05+00:00', payload('first'), null],
      ['2026-01-02T04:04:05+00:00', payload('second'), 'remote-1'],
      ['2026-01-02T05:04:05+00:00', '{"testCases": [', null],
    ])
    const results = await importFile(path)
    expect(countsOf(results)).toEqual([
      '1 / 0 / 0 / 0',
      '1 / 0 / 0 / 0',
      expect.stringMatching(/^refused: not valid JSON/),
    ])
    expect(results.map(({ part }) => part)).toEqual(['1', '2', '3'])
    expect(results[0]?.document?.run).toMatchObject({ suite: 'first', finished_at: '2026-01-02T03:04:05Z' })
    expect(results[1]?.identity).toBe('remote-1')
  })

  it('is the run of its JSON, and of the file of the latest run', async () => {
    const stored = await importFile(databaseWith('d.db', [['2026-01-02T03:04:05Z', payload('one'), null]]))
    const plain = JSON.parse(payload('one')) as object
    for (const content of [plain, { testRunData: plain }, { ...plain, datasetId: null }]) {
      const results = await importBytes('test_run_20260102_030405.json', JSON.stringify(content), {
        target: targetWith(stored),
      })
      expect(countsOf(results)).toEqual(['already_there'])
    }
  })

  it('is the run of its JSON with the lists of cases in any order', async () => {
    const item = { name: 'a', input: 'q', success: true }
    const { testCases, ...others } = run([item], { conversationalTestCases: [{ ...item, name: 'talk' }] })
    const text = JSON.stringify({ ...others, testCases })
    const stored = await importFile(databaseWith('e.db', [['2026-01-02T03:04:05Z', text, null]]))
    expect(stored[0]?.document?.cases.map(({ cell }) => cell.test_id)).toEqual(['talk', 'a'])
    const again = await importBytes('test_run_20260102_030405.json', text, { target: targetWith(stored) })
    expect(countsOf(again)).toEqual(['already_there'])
  })

  it('is known in a copy in which the runs have other numbers', async () => {
    const first = await importFile(databaseWith('b.db', [['2026-01-02T03:04:05Z', payload('one'), null]]))
    const copy = databaseWith('c.db', [
      ['2026-01-01T00:00:00Z', payload('two'), null],
      ['2026-01-02T03:04:05Z', payload('one'), null],
    ])
    expect(countsOf(await importFile(copy, { target: targetWith(first) }))).toEqual(['1 / 0 / 0 / 0', 'already_there'])
  })
})
