import Database from 'better-sqlite3'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
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

const sample = (name: string) => join(SAMPLES, 'mlflow', name)
afterAll(() => rmSync(folder, { recursive: true }))

const changed = (name: string, sql: string): string => {
  const path = join(folder, name)
  copyFileSync(stored, path)
  const database = new Database(path)
  database.exec(sql)
  database.close()
  return path
}

type Changes = {
  readonly info?: object
  readonly metadata?: object
  readonly spans?: readonly unknown[]
  readonly attributes?: object
}
const trace = (id: string, { info, metadata, spans, attributes }: Changes = {}) => ({
  info: {
    trace_id: id,
    request_time: '2026-01-02T03:04:05.000Z',
    state: 'OK',
    execution_duration_ms: 1500,
    trace_metadata: { 'mlflow.sourceRun': 'run-1', ...metadata },
    tags: { level: 'easy' },
    assessments: [],
    ...info,
  },
  data: {
    spans: spans ?? [
      {
        span_id: 'a',
        parent_span_id: null,
        attributes: { 'mlflow.spanInputs': `{"q": "${id}"}`, 'mlflow.spanOutputs': '"yes"', ...attributes },
      },
    ],
  },
})
const assessment = (name: string, value: unknown, changes: object = {}) => ({
  ...{ assessment_id: name, assessment_name: name, create_time: '2026-01-02T03:04:06.000Z', valid: true },
  ...{ source: { source_type: 'CODE', source_id: name }, feedback: { value } },
  ...changes,
})

const importTraces = async (...traces: unknown[]) => {
  const results = await importBytes('traces.json', JSON.stringify(traces))
  return { results, cases: results[0]?.document?.cases ?? [], run: results[0]?.document?.run }
}
const folder = mkdtempSync(join(tmpdir(), 'mlflow-'))
const stored = join(folder, 'mlflow.db')
writeFileSync(stored, gunzipSync(readFileSync(sample('mlflow-3.17.db.gz'))))

describe('the importer of MLflow', () => {
  it('gives the counts of the traces, and loses no leaf silently', async () => {
    const results = await importFile(sample('traces.json'))
    expect(countsOf(results)).toEqual(['1 / 0 / 2 / 0'])
    const leaves = leavesOf(JSON.parse(readFileSync(sample('traces.json'), 'utf8'))).filter(
      // JSON.parse rounds the times of spans, and a judge is a kind of assertion.
      ({ path, value }) => !path.includes('unix_nano') && value !== 'LLM_JUDGE',
    )
    const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
    expect(missingLeaves(leaves, documents, lossesOf(results))).toEqual([])
  })

  it('finds the run of the traces in the database, with equal cases', async () => {
    const results = await importFile(stored)
    expect(countsOf(results)).toEqual(['1 / 0 / 2 / 0'])
    expect(results[0]?.document?.run).toMatchObject({
      suite: 'capitals',
      started_at: '2026-11-22T05:09:03.487Z',
      finished_at: '2026-11-22T05:09:08.925Z',
      git: { commit: 'abc1234' },
      config_snapshot: { params: { temperature: '0' }, import: { rest: { metrics: { 'breaks/mean': 1 } } } },
    })
    const json = await importFile(sample('traces.json'), { target: targetWith(results) })
    expect(json.map(({ outcome, run_id }) => [outcome, run_id])).toEqual([['already_there', results[0]?.run_id]])
  })

  it.each([
    { execution_duration_ms: 1500 },
    { execution_duration_ms: undefined, execution_time_ms: 1500 },
    { execution_duration_ms: undefined, execution_duration: '1.5s' },
  ])('ends a run when its last trace ended, for %j', async (info) => {
    const { run, cases } = await importTraces(trace('t-1', { info }))
    expect(cases[0]?.latency_ms).toBe(1500)
    expect(run?.finished_at).toBe('2026-01-02T03:04:06.5Z')
  })

  it('records a text as cut only if it is of a preview', async () => {
    const text = 'x'.repeat(1000)
    const isCut = async (changes: Changes): Promise<boolean> => {
      const { results } = await importTraces(trace('t-1', { ...changes, spans: [] }))
      return lossesOf(results).some(({ kind }) => kind === 'cut')
    }
    expect(await isCut({ metadata: { 'mlflow.traceInputs': text } })).toBe(false)
    expect(await isCut({ info: { request_preview: text } })).toBe(true)
  })

  it('refuses a file whose traces are all of judges', async () => {
    const ofJudge = trace('t-1', { info: { tags: { 'mlflow.trace.sourceScorer': 'judge' } } })
    expect(countsOf((await importTraces(ofJudge)).results)[0]).toContain('all its traces are of judges')
  })

  it('keeps every digit of the times of spans', async () => {
    const results = await importFile(sample('traces.json'))
    expect(Buffer.from(results[0]!.document!.bytes).toString()).toContain('"start_time_unix_nano":1795324147175798365')
  })

  it('knows by assessments and by the run whether it has read a database', async () => {
    const target = { ...targetWith(await importFile(stored)), content: async () => null }
    expect(countsOf(await importFile(changed('same.db', 'VACUUM'), { target }))).toEqual(['already_there'])
    const edited = changed(
      'edited.db',
      "UPDATE assessments SET last_updated_timestamp = 1999999999999 WHERE name = 'judged'",
    )
    expect(countsOf(await importFile(edited, { target }))).toEqual(['1 / 0 / 2 / 0'])
  })

  it('reports an unknown schema, and traces of no run and of judges', async () => {
    const path = changed(
      'reported.db',
      `UPDATE alembic_version SET version_num = 'next';
       DELETE FROM trace_request_metadata WHERE key = 'mlflow.sourceRun' AND request_id LIKE 'tr-d6%';
       INSERT INTO trace_tags (key, value, request_id) SELECT 'mlflow.trace.sourceScorer', 'judged', request_id FROM trace_info WHERE request_id LIKE 'tr-11%'`,
    )
    const results = await importFile(path)
    expect(countsOf(results)).toEqual(['1 / 0 / 0 / 0'])
    expect(lossesOf(results).map(({ note }) => note)).toEqual(
      expect.arrayContaining([
        'a schema that this importer was not tried with',
        '1 trace without mlflow.sourceRun',
        'traces of judges',
      ]),
    )
  })

  it('refuses a view in the place of a table', async () => {
    const path = changed('view.db', 'ALTER TABLE trace_tags RENAME TO t; CREATE VIEW trace_tags AS SELECT * FROM t')
    expect(countsOf(await importFile(path))).toEqual([
      'refused: trace_tags is no table in this database, but a view or a virtual table',
    ])
  })

  it('refuses traces of no evaluation', async () => {
    const { results } = await importTraces(trace('a', { metadata: { 'mlflow.sourceRun': undefined } }))
    expect(countsOf(results)).toEqual(['refused: has 1 trace, but none of an evaluation run (mlflow.sourceRun)'])
  })

  it('has a run for each evaluation run, and counts the traces of none', async () => {
    const traces = [
      trace('a'),
      trace('b', { metadata: { 'mlflow.sourceRun': 'run-2' } }),
      trace('c', { metadata: { 'mlflow.sourceRun': '' } }),
    ]
    const results = await importBytes('traces.jsonl', traces.map((line) => JSON.stringify(line)).join('\n'))
    expect(results.map(({ part, identity }) => [part, identity])).toEqual([
      ['run-1', 'run-1'],
      ['run-2', 'run-2'],
    ])
    expect(lossesOf([results[0]!])).toContainEqual(expect.objectContaining({ note: '1 trace of no evaluation run' }))
  })

  it('reads a trace', async () => {
    const spans = [
      { span_id: 'b', parent_span_id: 'a', attributes: {} },
      {
        span_id: 'a',
        parent_span_id: null,
        attributes: { 'mlflow.spanInputs': '{"q":1}', 'mlflow.spanOutputs': '{"a":2}', 'mlflow.llm.model': '"gpt-5"' },
      },
    ]
    const metadata = {
      'mlflow.trace.tokenUsage':
        '{"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "cache_read_input_tokens": 4}',
      'mlflow.trace.cost': '{"total_cost": 0.5}',
    }
    const { cases, results, run } = await importTraces(trace('a', { spans, metadata }))
    expect(cases[0]).toMatchObject({
      cell: { provider_id: 'gpt-5', test_id: expect.stringMatching(/^input-[0-9a-f]{12}$/) as unknown },
      status: 'skip',
      vars: { q: 1 },
      output: { a: 2 },
      tags: ['level:easy'],
      usage: { input_tokens: 6, output_tokens: 2, cache_read_tokens: 4 },
      cost_usd: 0.5,
      latency_ms: 1500,
    })
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ path: '*.data.spans', note: 'spans below the root' }),
    )
    expect(run?.finished_at).toBe('2026-01-02T03:04:06.5Z')
  })

  it('reads previews where there are no spans, and says where they are cut', async () => {
    const { traces } = {
      traces: [
        trace('a').info,
        { ...trace('b').info, response_preview: 'x'.repeat(1_000), request_preview: '{"q":1}' },
      ],
    }
    const results = await importBytes('search.json', JSON.stringify({ traces }))
    expect(results[0]?.document?.cases[1]).toMatchObject({ output: 'x'.repeat(1_000), vars: { q: 1 } })
    expect(lossesOf(results)).toContainEqual(expect.objectContaining({ kind: 'cut', path: '*.info.response_preview' }))
  })

  it('reads feedback as assertions and expectations as values', async () => {
    const judge = { source: { source_type: 'LLM_JUDGE', source_id: 'gpt' }, rationale: 'because' }
    const { cases, results } = await importTraces(
      trace('a', {
        info: {
          assessments: [
            assessment('b', 'no', judge),
            assessment('a', true),
            assessment('c', 0.75),
            assessment('d', 'a category'),
            assessment('old', false, { valid: false }),
            assessment('e', null, { feedback: { error: { error_code: 'X', error_message: 'broken' } } }),
            assessment('country', null, { feedback: undefined, expectation: { value: 'Peru' } }),
          ],
        },
      }),
    )
    expect(cases[0]?.vars).toEqual({ q: 'a', expected: { country: 'Peru' } })
    expect(
      cases[0]?.asserts.map(({ criteria, kind, status, score, weight }) => [
        (criteria as { name: string }).name,
        kind,
        status,
        score,
        weight,
      ]),
    ).toEqual([
      ['a', 'exec', 'pass', 1, 1],
      ['b', 'llm-rubric', 'fail', 0, 1],
      ['c', 'exec', 'pass', 0.75, 1],
      ['d', 'exec', 'skipped', 0, 0],
      ['e', 'exec', 'error', 0, 1],
    ])
    expect(cases[0]).toMatchObject({ status: 'error', error: 'broken', error_class: 'grader_failed' })
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ note: 'an assessment that another one overrides' }),
    )
  })

  it('gives a document for traces of any shape', async () => {
    const odd = [null, 1, 'a', [], {}, [{}], { a: [{}] }, true]
    const traces = odd.flatMap((value) => [
      ...['request_time', 'state', 'tags', 'assessments', 'execution_duration_ms', 'request_preview'].map((key) =>
        trace('a', { info: { [key]: value } }),
      ),
      ...['mlflow.trace.tokenUsage', 'mlflow.trace.cost', 'mlflow.traceInputs'].map((key) =>
        trace('a', { metadata: { [key]: value } }),
      ),
      ...['mlflow.spanInputs', 'mlflow.spanOutputs', 'mlflow.llm.model'].map((key) =>
        trace('a', { attributes: { [key]: value } }),
      ),
      trace('a', { spans: [value] }),
      trace('a', {
        info: {
          assessments: [
            assessment('a', value),
            { ...assessment('b', 1), feedback: value, source: value, valid: value },
          ],
        },
      }),
    ])
    expect((await importTraces(...traces)).cases).toHaveLength(traces.length)
  })
})
