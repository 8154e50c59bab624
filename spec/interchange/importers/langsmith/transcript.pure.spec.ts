import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { SAMPLES, importBytes, importFolder, lossesOf } from '../../../support/interchange/import-files.ts'
import {
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-langsmith-'))
afterAll(() => rmSync(folder, { recursive: true }))

const samples = join(SAMPLES, 'langsmith')
const [root] = readFileSync(join(samples, 'runs.jsonl'), 'utf8').split('\n')
const run = JSON.parse(root!) as Record<string, unknown>
const step = (id: string, parent: string, more: object) => ({
  ...{ id, parent_run_id: parent, trace_id: run['id'], session_id: run['session_id'], reference_example_id: null },
  ...{ start_time: `2026-03-02T09:00:01.${id}`, end_time: '2026-03-02T09:00:01.500000', name: `step ${id}` },
  ...more,
})
const [asked, said] = [
  { role: 'user', content: 'Which country?' },
  { role: 'assistant', content: 'France' },
]
const STEPS = [
  step('400', '100', { run_type: 'tool', inputs: { city: 'Paris' }, outputs: { found: 'FR' }, error: 'slow' }),
  step('100', run['id'] as string, { run_type: 'chain', dotted_order: 'x.y' }),
  step('200', '100', {
    ...{ run_type: 'llm', inputs: { messages: [asked], temperature: 0.5 }, outputs: { choices: [{ message: said }] } },
    ...{ prompt_tokens: 12, completion_tokens: 3, total_cost: '0.002', prompt_token_details: { cache_read: 4 } },
  }),
  step('500', 'gone', { run_type: 'llm', inputs: { messages: [asked, said] }, prompt_tokens: 5, completion_tokens: 1 }),
]

it('a run of LangSmith with its steps is a transcript, in which each leaf of them is', async () => {
  const rows = [run, ...STEPS]
  const [result] = await importBytes('runs.json', JSON.stringify(rows), keepingIn(folder))
  const evidence = evidenceOf(result)
  const [lines] = transcriptsOf(evidence)
  expect(lines!.slice(1).map(({ type, id }) => [type, id])).toEqual([
    ['span', run['id']],
    ['span', '100'],
    ['message', '200.message-0'],
    ['model', '200'],
    ['message', '200.answer.message-1'],
    ['tool', '400'],
    ['span_end', '100.end'],
    ['model', '500'],
    ['span_end', `${run['id'] as string}.end`],
  ])
  expect(lines![4]).toMatchObject({ parent: '100', input: [[0, 0]], output: [[1, 1]], cost_usd: 0.002 })
  expect(outlineTotals(lines!)).toMatchObject({ input_tokens: 17, output_tokens: 4, errors: 1, missing_parents: 0 })
  // The call of a model is the type of its event.
  const leaves = rows.flatMap((row) => leavesOf(row)).filter(({ value }) => value !== 'llm')
  expect(missingLeaves(leaves, [result!.document!.bytes], lossesOf([result!]), partValues(evidence))).toEqual([])
  expect(lossesOf([result!]).filter(({ path }) => path === '(child runs)')).toEqual([])
})

it('steps that are in each other alone are shown', async () => {
  const rows = [run, step('1', '2', { run_type: 'chain' }), step('2', '1', { run_type: 'chain' })]
  const [result] = await importBytes('runs.json', JSON.stringify(rows), keepingIn(folder))
  const ids = transcriptsOf(evidenceOf(result))[0]!.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([run['id'], '1', '2']))
})

it('a step of a run of no example is recorded', async () => {
  const other = { ...STEPS[1], trace_id: 'another' }
  const [result] = await importBytes('runs.json', JSON.stringify([run, other]), keepingIn(folder))
  expect(lossesOf([result!])).toContainEqual(expect.objectContaining({ path: '(child runs)', count: 1 }))
})

it('each run of the sample has a transcript', async () => {
  const [result] = await importFolder(samples, keepingIn(folder))
  expect(transcriptsOf(evidenceOf(result))).toHaveLength(5)
})
