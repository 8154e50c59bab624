import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digestOf } from '../../../support/documents/parts.ts'
import { importBytes, importFile, lossesOf, type Imported } from '../../../support/interchange/import-files.ts'
import {
  bytesOf,
  entriesOf,
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-promptfoo-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const row = (testIdx: number, more: object = {}) => ({
  ...{ id: `row-${testIdx}`, testIdx, promptIdx: 0, success: true, score: 1, latencyMs: 5, provider: { id: 'p' } },
  ...{ prompt: { raw: 'q', label: 'q' }, vars: { n: testIdx }, testCase: { vars: { n: testIdx } } },
  response: { output: `answer ${testIdx}` },
  gradingResult: { pass: true, score: 1, componentResults: [] },
  ...more,
})
const SPANS: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly parentSpanId?: string }> = [
  {
    ...{ spanId: 'b'.repeat(16), parentSpanId: 'a'.repeat(16), name: 'chat large', startTime: 1772442000200.5 },
    ...{ endTime: 1772442000700, statusCode: 2, statusMessage: 'quota' },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'large',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 4,
      'promptfoo.request.body': 'the body',
    },
  },
  {
    spanId: 'a'.repeat(16),
    name: 'provider',
    startTime: 1772442000000,
    endTime: 1772442001000,
    attributes: { kind: 'root' },
  },
]
const TRACES = [
  {
    ...{ traceId: 't'.repeat(32), evaluationId: 'eval-1', testCaseId: '1-0' },
    ...{ metadata: { testIdx: 1, promptIdx: 0, vars: { n: 1 } }, spans: SPANS },
  },
]
const evaluation = (results: object[], more: object = {}) => ({
  evalId: 'eval-1',
  results: { version: 3, timestamp: '2026-03-02T09:00:00.000Z', prompts: [], results, stats: {} },
  config: {},
  ...more,
})
const importJson = async (value: object, options: Parameters<typeof importBytes>[2] = keepingIn(folder)) =>
  (await importBytes('results.json', JSON.stringify(value), options))[0]!
const left = (result: Imported) => lossesOf([result]).filter(({ kind }) => kind === 'left_out')

it('the spans of a trace are the transcript of the result that it is of', async () => {
  const result = await importJson(evaluation([row(0), row(1)], { traces: TRACES }))
  const evidence = evidenceOf(result)
  const [lines, ...others] = transcriptsOf(evidence)
  expect(others).toEqual([])
  expect(entriesOf(evidence)).toMatchObject([{ role: 'transcript', case_key: result.document!.cases[1]!.case_key }])
  expect(lines).toMatchObject([
    { transcript: 1, source: { format: 'promptfoo', path: 'row-1' }, agent: { model: 'large' } },
    { type: 'span', name: 'provider', at: '2026-03-02T09:00:00Z', ms: 1000 },
    {
      type: 'model',
      model: 'large',
      usage: { input_tokens: 40 },
      error: { message: 'quota' },
      at: '2026-03-02T09:00:00.2005Z',
    },
    { type: 'span_end' },
    { type: 'log', source: { traceId: 't'.repeat(32), metadata: { vars: { n: 1 } } } },
  ])
  expect(outlineTotals(lines!)).toMatchObject({ input_tokens: 40, output_tokens: 4, missing_parents: 0 })
  const leaves = leavesOf(TRACES).filter(({ path }) => !/(?:Time|statusCode)$/.test(path))
  expect(missingLeaves(leaves, [result.document!.bytes], [], partValues(evidence))).toEqual([])
  expect(left(result)).toEqual([])
})

it('traces are left out without evidence, and so is one of no result; cases are the same', async () => {
  const source = evaluation([row(0), row(1)], { traces: [...TRACES, { traceId: 'u', testCaseId: '7-7', spans: [] }] })
  const [kept, plain] = [await importJson(source), await importJson(source, {})]
  expect(left(kept)).toMatchObject([{ path: 'traces.*', count: 1, note: 'a trace of no result' }])
  expect(left(plain)).toMatchObject([{ path: 'traces' }])
  expect(kept.document!.cases).toEqual(plain.document!.cases)
})

it('the turns of a conversation are a transcript', async () => {
  const messages = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'yes?' },
  ]
  const history = [{ prompt: 'try this', output: 'no', score: 3 }]
  const result = await importJson(
    evaluation([row(0, { metadata: { messages } }), row(1, { metadata: { redteamHistory: history } })]),
  )
  expect(transcriptsOf(evidenceOf(result)).map((lines) => lines.slice(1))).toMatchObject([
    [
      { type: 'message', role: 'user', content: 'hello' },
      { type: 'message', role: 'assistant', content: 'yes?' },
    ],
    [
      { type: 'message', role: 'user', content: 'try this' },
      { type: 'message', role: 'assistant', content: 'no', source: { score: 3 } },
    ],
  ])
})

it('a blob is a part if it is in the folder of the file or of --files, and only there', async () => {
  const picture = Buffer.from('a picture')
  const hash = digestOf(picture)
  const uri = `promptfoo://blob/${hash}`
  const config = join(folder, 'config')
  mkdirSync(join(folder, 'source'))
  mkdirSync(join(config, 'blobs', hash.slice(0, 2), hash.slice(2, 4)), { recursive: true })
  writeFileSync(join(config, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash), picture)
  const path = join(folder, 'source', 'results.json')
  writeFileSync(path, JSON.stringify(evaluation([row(0, { response: { output: uri } })])))
  const [missing] = await importFile(path, keepingIn(folder))
  expect(missing!.document!.cases[0]!.output).toBe(uri)
  expect(left(missing!)).toMatchObject([
    {
      path: '(media)',
      note: expect.stringMatching(/^a blob of promptfoo that is in no folder of the import: .*--files/) as string,
    },
  ])
  const [found] = await importFile(path, keepingIn(folder, { files: config }))
  expect(found!.document!.cases[0]!.output).toBe(`part:${hash}`)
  expect(bytesOf(evidenceOf(found), hash)).toEqual(picture)
  expect(left(found!)).toEqual([])
})

it('of a database the rows of the evaluation are its original, and its spans a transcript', async () => {
  const path = join(folder, 'promptfoo.db')
  const database = new Database(path)
  database.exec(`
    CREATE TABLE evals (id TEXT, created_at INTEGER, description TEXT, results TEXT, config TEXT);
    CREATE TABLE eval_results (id TEXT, eval_id TEXT, test_idx INTEGER, prompt_idx INTEGER, test_case TEXT, prompt TEXT,
      provider TEXT, response TEXT, success INTEGER, score REAL, grading_result TEXT, latency_ms INTEGER);
    CREATE TABLE traces (id TEXT, trace_id TEXT, evaluation_id TEXT, test_case_id TEXT, created_at INTEGER, metadata TEXT);
    CREATE TABLE spans (id TEXT, trace_id TEXT, span_id TEXT, parent_span_id TEXT, name TEXT, start_time INTEGER,
      end_time INTEGER, attributes TEXT, status_code INTEGER, status_message TEXT);
  `)
  const insert = (table: string, values: readonly unknown[]) =>
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values)
  const [json, prompt] = [JSON.stringify, JSON.stringify({ raw: 'q', label: 'q' })]
  for (const id of ['eval-1', 'eval-2']) {
    insert('evals', [id, 1772442000000, 'd', '{}', '{}'])
    const response = json({ output: `of ${id}` })
    insert('eval_results', [
      `r-${id}`,
      id,
      0,
      0,
      json({ vars: { n: 0 } }),
      prompt,
      json({ id: 'p' }),
      response,
      1,
      1,
      '{}',
      5,
    ])
  }
  insert('traces', ['1', 'T', 'eval-1', '0-0', 1, json({ testIdx: 0, promptIdx: 0 })])
  for (const { spanId, parentSpanId = null, name, startTime, endTime, attributes } of SPANS)
    insert('spans', [spanId, 'T', spanId, parentSpanId, name, startTime, endTime, json(attributes), 0, null])
  database.close()
  const [first, second] = await importFile(path, keepingIn(folder, { hasOriginal: true }))
  const original = entriesOf(evidenceOf(first)).find(({ role }) => role === 'original')!
  expect(original).toMatchObject({ name: 'eval-1.jsonl' })
  const text = bytesOf(evidenceOf(first), original.sha256).toString()
  expect(text.split('\n').length).toBe(3)
  expect(text).toContain('of eval-1')
  expect(text).not.toContain('eval-2')
  expect(lossesOf([first!, second!]).filter(({ kind }) => kind === 'original_only')).toMatchObject([
    { path: '(the source file)', note: expect.stringContaining('not byte for byte') as string },
    { path: '(the source file)' },
  ])
  expect(transcriptsOf(evidenceOf(first))[0]!.map(({ type }) => type)).toEqual([
    undefined,
    'span',
    'model',
    'span_end',
    'log',
  ])
  expect(entriesOf(evidenceOf(second)).map(({ role }) => role)).toEqual(['original'])
  expect(readFileSync(path).length).toBeGreaterThan(0)
})
