import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importBytes, lossesOf } from '../../../support/interchange/import-files.ts'
import {
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-mlflow-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const json = (value: unknown) => JSON.stringify(value)
const span = (id: string, parent: string | null, type: string, attributes: object, more: object = {}) => ({
  ...{ trace_id: 'T', span_id: id, parent_span_id: parent, name: `${type} ${id}` },
  ...{ start_time_unix_nano: 1_795_324_147_000_000 + Number(id) * 1000, end_time_unix_nano: 1_795_324_147_500_000 },
  ...{ events: [] as object[], status: { code: 'STATUS_CODE_OK', message: '' }, links: [] },
  attributes: { 'mlflow.spanType': json(type), ...attributes },
  ...more,
})
const SPANS = [
  span('1', null, 'AGENT', { 'mlflow.spanInputs': json({ question: 'Lima?' }), 'mlflow.spanOutputs': json('Peru') }),
  span('3', '1', 'TOOL', {
    'mlflow.spanInputs': json({ country: 'Peru' }),
    'mlflow.spanOutputs': json({ capital: 'Lima' }),
  }),
  span('2', '1', 'CHAT_MODEL', {
    'mlflow.spanInputs': json({ model: 'large-2', messages: [{ role: 'user', content: 'Lima?' }], temperature: 0.5 }),
    'mlflow.spanOutputs': json({
      id: 'answer',
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Peru' } }],
    }),
    'mlflow.chat.tokenUsage': json({ input_tokens: 50, output_tokens: 7, total_tokens: 57 }),
    'mlflow.llm.cost': json({ input_cost: 0.125, output_cost: 0.125, total_cost: 0.25 }),
  }),
  span(
    '4',
    '1',
    'LLM',
    { 'mlflow.spanInputs': json('say it'), 'mlflow.spanOutputs': json('it') },
    {
      status: { code: 'STATUS_CODE_ERROR', message: 'broke' },
      events: [
        {
          ...{ name: 'exception', time_unix_nano: 1_795_324_147_400_000 },
          attributes: { 'exception.message': 'no', 'exception.type': 'E', 'exception.stacktrace': 'at here' },
        },
        { name: 'note', time_unix_nano: 1_795_324_147_450_000, attributes: { a: 'b' } },
      ],
    },
  ),
]
const TRACES = [
  {
    info: {
      ...{ trace_id: 'tr-1', request_time: '2026-11-22T05:09:07.175Z', state: 'OK' },
      trace_metadata: { 'mlflow.sourceRun': 'R' },
    },
    data: { spans: SPANS },
  },
]
const importTraces = async (options = {}) => (await importBytes('traces.json', json(TRACES), options))[0]!

it('the spans of a trace are its transcript, and none of them is lost', async () => {
  const result = await importTraces(keepingIn(folder))
  const [lines] = transcriptsOf(evidenceOf(result))
  expect(lines!.slice(1).map(({ type, id, parent }) => [type, id, parent])).toEqual([
    ['span', '1', undefined],
    ['message', '2.message-0', '1'],
    ['model', '2', '1'],
    ['message', '2.answer.message-1', '1'],
    ['tool', '3', '1'],
    ['model', '4', '1'],
    ['message', '4.answer.message-2', '1'],
    ['error', '4.event-1', '1'],
    ['log', '4.event-2', '1'],
    ['span_end', '1.end', '1'],
  ])
  expect(lines![3]).toMatchObject({ model: 'large-2', usage: { input_tokens: 50 }, cost_usd: 0.25, ms: 0.498 })
  expect(lines![6]).toMatchObject({ error: { message: 'broke' }, source: { inputs: 'say it' } })
  expect(lines![8]).toMatchObject({ error: { message: 'no', trace: 'at here' } })
  expect(outlineTotals(lines!)).toMatchObject({ input_tokens: 50, output_tokens: 7, missing_parents: 0 })
  expect(lossesOf([result]).filter(({ kind }) => kind === 'left_out')).toEqual([])
})

it('each leaf of a span is in its line or in the case, and the case is that of an import without evidence', async () => {
  const result = await importTraces(keepingIn(folder))
  const parsed = SPANS.map(({ attributes, ...rest }) => ({
    ...rest,
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [key, JSON.parse(String(value)) as unknown]),
    ),
  }))
  expect(missingLeaves(leavesOf(parsed), [result.document!.bytes], [], partValues(evidenceOf(result)))).toEqual([])
  const plain = await importTraces()
  expect(result.document!.cases).toEqual(plain.document!.cases)
  expect(lossesOf([plain])).toContainEqual(expect.objectContaining({ kind: 'left_out', note: 'spans below the root' }))
})
