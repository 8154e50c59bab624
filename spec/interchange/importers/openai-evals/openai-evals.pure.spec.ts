import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  importFolder,
  lossesOf,
} from '../../../support/interchange/import-files.ts'
import { digestOf } from '../../../support/documents/parts.ts'
import {
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

const sample = (name: string) => join(SAMPLES, 'openai-evals', name)
const read = (name: string) => readFileSync(sample(name), 'utf8')
const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

it.each([
  ['auto_gpt_test-match.jsonl', '1 / 2 / 0 / 0', linesIn],
  ['hosted-output-items.json', '1 / 0 / 0 / 0', JSON.parse],
])(
  'the importer of OpenAI evals gives the counts of %s, and loses no leaf silently',
  async (name, counts, parsed: (text: string) => unknown) => {
    const results = await importFile(sample(name))
    expect(countsOf(results)).toEqual([counts])
    const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
    // The total is the sum of tokens that are there; `object` names the shape.
    const leaves = leavesOf(parsed(read(name))).filter(
      ({ path }) => !/usage\.total_tokens$|object$|has_more|(first|last)_id$|output\.\*\.role$/.test(path),
    )
    expect(missingLeaves(leaves, documents, lossesOf(results))).toEqual([])
  },
)

describe('a record file of oaieval', () => {
  const spec = {
    completion_fns: ['gpt-4', 'judge'],
    eval_name: 'greet.v0',
    run_id: 'r1',
    created_at: '2024-01-02 03:04:05.5',
    created_by: 'ada',
  }
  const event = (sample_id: string, type: string, data: unknown) => ({
    run_id: 'r1',
    sample_id,
    type,
    data,
    created_at: '2024-01-02 03:05:00+00:00',
  })
  const importLines = async (...lines: unknown[]) => {
    const results = await importBytes('a.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))
    return { results, run: results[0]?.document?.run, cases: results[0]?.document?.cases ?? [] }
  }

  it('is a run', async () => {
    const { results, run } = await importLines({ spec }, event('a', 'match', { correct: true }), {
      final_report: { accuracy: 1 },
    })
    expect(results[0]?.identity).toBe('r1')
    expect(run).toMatchObject({
      suite: 'greet.v0',
      started_at: '2024-01-02T03:04:05.5Z',
      finished_at: '2024-01-02T03:05:00Z',
      origin: { actor: 'ada' },
      config_snapshot: { import: { rest: { final_report: { accuracy: 1 } } } },
    })
    expect(run?.filters).toEqual({})
  })

  it('ends with its last event, and keeps a time that is none', async () => {
    const at = (id: string, created_at: string) => ({ ...event(id, 'match', { correct: true }), created_at })
    const { run } = await importLines(
      { spec: { ...spec, created_at: 'yesterday' } },
      at('a', '2024-01-02 03:05:00.25'),
      at('b', '2024-01-02 03:05:00'),
    )
    expect(run).toMatchObject({
      started_at: '2024-01-02T03:05:00.25Z',
      finished_at: '2024-01-02T03:05:00.25Z',
      config_snapshot: { created_at: 'yesterday' },
    })
  })

  it('without a final report did not end', async () => {
    const { run } = await importLines({ spec }, event('a', 'match', { correct: true }))
    expect(run?.filters).toEqual({ tags: ['status:started'] })
  })

  it('has a case for each sample, however its events are mixed', async () => {
    const { cases } = await importLines(
      { spec },
      event('a', 'sampling', { prompt: [{ role: 'user', content: 'Hi' }], sampled: ['Hello'] }),
      event('b', 'error', { type: 'Timeout', message: 'too slow' }),
      event('a', 'match', { correct: false, expected: 'Bye', picked: null }),
      event('c', 'metrics', { accuracy: 0.25, length: 17, note: 'x' }),
    )
    expect(cases.map(({ cell, status, score }) => [cell.test_id, status, score])).toEqual([
      ['b', 'error', 0],
      ['a', 'fail', 0],
      ['c', 'fail', 0.25],
    ])
    expect(cases[0]).toMatchObject({ error: 'too slow', error_class: 'Timeout', cell: { provider_id: 'gpt-4, judge' } })
    expect(cases[1]).toMatchObject({
      output: 'Hello',
      prompt: { messages: [{ role: 'user', content: 'Hi' }] },
      asserts: [{ kind: 'equals', criteria: { value: 'Bye', name: 'match' } }],
    })
    expect(cases[2]?.asserts.map(({ criteria, weight }) => [(criteria as { name: string }).name, weight])).toEqual([
      ['accuracy', 1],
      ['length', 0],
    ])
  })

  it('has the answer of the model, and not that of the judge', async () => {
    const { cases } = await importLines(
      { spec },
      event('a', 'sampling', { prompt: 'Hi', sampled: 'Hello' }),
      event('a', 'sampling', { prompt: 'Was it polite?', sampled: 'Y' }),
      event('a', 'metrics', { choice: 'Y', score: 1 }),
    )
    expect(cases[0]).toMatchObject({
      output: 'Hello',
      prompt: { text: 'Hi' },
      status: 'pass',
      asserts: [{ kind: 'llm-rubric' }],
    })
    expect(JSON.stringify(cases[0]?.raw)).toContain('Was it polite?')
  })

  it('reports what is of no sample, and is refused without samples', async () => {
    const { results } = await importLines({ spec }, { type: 'note', text: 'x' }, event('a', 'match', { correct: true }))
    expect(lossesOf(results)).toContainEqual(expect.objectContaining({ kind: 'left_out', note: 'of no sample' }))
    expect(countsOf((await importLines({ spec }, { final_report: {} })).results)).toEqual(['refused: holds no cases'])
  })

  it('gives a document for events of any shape', async () => {
    const odd = [null, 1, 'a', [], {}, [{}], { a: [{}] }, true]
    const events = odd.flatMap((value) =>
      ['sampling', 'match', 'metrics', 'error', 'other'].flatMap((type) => [
        event('a', type, value),
        event('b', type, {
          prompt: value,
          sampled: value,
          correct: value,
          expected: value,
          message: value,
          score: value,
        }),
      ]),
    )
    expect((await importLines({ spec }, ...events)).cases).toHaveLength(2)
  })
})

describe('output items of the hosted product', () => {
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'hosted-'))))
  afterAll(() => rmSync(folder, { recursive: true }))

  const item = (id: number, changes: object = {}) => ({
    ...{
      object: 'eval.run.output_item',
      id: `item-${id}`,
      run_id: 'run-1',
      eval_id: 'eval-1',
      created_at: 1_700_000_000 + id,
    },
    ...{ status: 'pass', datasource_item_id: id, datasource_item: { q: id }, results: [], sample: null },
    ...changes,
  })

  it('are one run over several pages, with the objects that describe it', async () => {
    const files = {
      'page-1.json': {
        object: 'list',
        data: [item(1, { results: [{ name: 'judge', type: 'score_model', passed: true, score: 7 }] })],
        has_more: true,
      },
      'page-2.json': { object: 'list', data: [item(2)], has_more: false },
      'run.json': {
        object: 'eval.run',
        id: 'run-1',
        eval_id: 'eval-1',
        name: 'nightly',
        model: 'gpt-5',
        created_at: 1_699_999_999,
        result_counts: { total: 2 },
      },
      'eval.json': {
        object: 'eval',
        id: 'eval-1',
        name: 'Headlines',
        testing_criteria: [
          {
            name: 'judge',
            type: 'score_model',
            range: [0, 10],
            pass_threshold: 5,
            model: 'gpt-5-judge',
            input: [{ role: 'user' }],
          },
        ],
      },
    }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))
    const results = await importFolder(folder)
    expect(countsOf(results)).toEqual(['2 / 0 / 0 / 0'])
    expect(results[0]?.document?.run).toMatchObject({
      suite: 'Headlines',
      started_at: '2023-11-14T22:13:19Z',
      finished_at: '2023-11-14T22:13:22Z',
      config_snapshot: { description: 'nightly', testing_criteria: [{ name: 'judge' }] },
    })
    expect(results[0]?.document?.cases[0]?.cell.provider_id).toBe('gpt-5')
    expect(results[0]?.document?.cases[0]?.asserts[0]?.details).toMatchObject({
      judge: { model: 'gpt-5-judge', template_sha256: expect.any(String) as unknown },
    })
    expect(lossesOf(results).filter(({ kind }) => kind === 'cut')).toEqual([])
  })

  it('may be lines, of several runs', async () => {
    const lines = [item(1), item(2, { run_id: 'run-2', status: 'fail' })].map((line) => JSON.stringify(line)).join('\n')
    const results = await importBytes('items.jsonl', lines)
    expect(countsOf(results)).toEqual(['1 / 0 / 0 / 0', '0 / 1 / 0 / 0'])
    expect(results.map(({ part }) => part)).toEqual(['run-1', 'run-2'])
  })

  it('have the results of criteria, with the range that the evaluation names', async () => {
    const judged = item(1, {
      status: 'fail',
      results: [
        {
          name: 'judge-01234567-89ab-cdef-0123-456789abcdef',
          type: 'score_model',
          passed: false,
          score: 4,
          sample: { a: 1 },
        },
      ],
      sample: {
        input: [{ role: 'user', content: 'Hi' }],
        output: [{ role: 'assistant', content: 'Hello', tool_calls: null }],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cached_tokens: 4 },
        ...{ model: 'gpt-5', finish_reason: 'stop', seed: 1 },
      },
    })
    const [found] = await importBytes('items.json', JSON.stringify([judged, item(2)]))
    expect(found?.document?.cases[0]).toMatchObject({
      output: 'Hello',
      usage: { input_tokens: 6, output_tokens: 2, cache_read_tokens: 4 },
      asserts: [{ kind: 'llm-rubric', status: 'fail', criteria: { name: 'judge' }, details: { sample: { a: 1 } } }],
    })
  })

  it('are errors if the sample failed', async () => {
    const failed = item(1, {
      status: 'fail',
      sample: { error: { code: 'rate_limit', message: 'too many' }, input: [], output: [] },
    })
    const [found] = await importBytes('items.json', JSON.stringify([failed]))
    expect(found?.document?.cases[0]).toMatchObject({ status: 'error', error: 'too many', error_class: 'rate_limit' })
  })

  it('are refused without items', async () => {
    expect(countsOf(await importBytes('a.json', '{"object":"eval.run","id":"run-1"}'))[0]).toMatch(
      /^refused: openai-evals: .* is missing: put it into the same folder$/,
    )
  })
})

describe('the transcripts of OpenAI evals', () => {
  let kept: string
  beforeAll(() => void (kept = mkdtempSync(join(tmpdir(), 'ers-openai-'))))
  afterAll(() => rmSync(kept, { recursive: true }))

  it.each([
    ['auto_gpt_test-match.jsonl', linesIn],
    ['hosted-output-items.json', JSON.parse],
  ])('have each leaf of %s, or the document or the losses have it', async (name, parsed: (text: string) => unknown) => {
    const [result] = await importFile(sample(name), keepingIn(kept))
    // The types of events have other names in a transcript.
    const leaves = leavesOf(parsed(read(name))).filter(
      ({ path }) => !/^\*\.type$|object$|has_more|(first|last)_id$/.test(path),
    )
    const evidence = evidenceOf(result)
    expect(missingLeaves(leaves, [result!.document!.bytes], lossesOf([result!]), partValues(evidence))).toEqual([])
    expect(lossesOf([result!]).filter(({ kind }) => kind === 'left_out')).toEqual(
      lossesOf(await importFile(sample(name))).filter(({ kind }) => kind === 'left_out'),
    )
  })

  it('have the events of a sample in their order', async () => {
    const [result] = await importFile(sample('auto_gpt_test-match.jsonl'), keepingIn(kept))
    const transcripts = transcriptsOf(evidenceOf(result))
    expect(transcripts).toHaveLength(3)
    expect(transcripts[1]!.slice(1)).toMatchObject([
      { type: 'message', role: 'user' },
      { type: 'model', at: '2023-04-17T22:11:17.761693+00:00', input: [[0, 0]], output: [[1, 1]] },
      { type: 'message', role: 'assistant', content: 'George Washington' },
      { type: 'score', name: 'match', passed: true },
    ])
  })

  it('have each message of a chain of calls once, with usage, errors and pictures', async () => {
    const bytes = Buffer.from('89504e470d0a1a0a', 'hex')
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` } }
    const question = { role: 'user', content: [{ type: 'text', text: 'What is it?' }, picture] }
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }
    const asks = { role: 'assistant', content: null, tool_calls: [call] }
    const answer = { role: 'tool', tool_call_id: 'c', content: 'a map' }
    const usage = { prompt_tokens: 9, completion_tokens: 2, cached_tokens: 4 }
    const event = (type: string, data: object) => ({ run_id: 'r', sample_id: 's', type, data })
    const lines = [
      { spec: { run_id: 'r', eval_name: 'e', completion_fns: ['m'], created_at: '2026-01-01 00:00:00' } },
      event('sampling', { prompt: [question], sampled: ['one'], usage }),
      event('sampling', { prompt: [question, asks, answer], sampled: ['two'], model: 'm-1' }),
      event('error', { type: 'Quota', message: 'no quota' }),
      event('metrics', { score: 0.5 }),
    ]
    const source = lines.map((line) => JSON.stringify(line)).join('\n')
    const [result] = await importBytes('e.jsonl', source, keepingIn(kept))
    const [found] = transcriptsOf(evidenceOf(result))
    expect(found!.slice(1).map(({ type }) => type)).toEqual(
      'message model message message message model message error score'.split(' '),
    )
    expect(found![1]).toMatchObject({ content: [{ type: 'text' }, { type: 'image', part: digestOf(bytes) }] })
    expect(found![2]).toMatchObject({ usage: { input_tokens: 5, output_tokens: 2, cache_read_tokens: 4 } })
    expect(found![4]).toMatchObject({ tool_calls: [{ id: 'c', name: 'look', arguments: '{"at":1}' }] })
    expect(found![6]).toMatchObject({
      model: 'm-1',
      input: [
        [0, 0],
        [2, 3],
      ],
      output: [[4, 4]],
    })
    expect(outlineTotals(found!)).toMatchObject({ input_tokens: 9, output_tokens: 2, errors: 1, messages: 5 })
  })
})
