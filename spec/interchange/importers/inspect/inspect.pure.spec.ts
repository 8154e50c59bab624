import { hash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scorerJudges } from '../../../../interchange/importers/inspect/judges.ts'
import type { NormalCase } from '../../../../domain/run/document.ts'
import { SAMPLES, countsOf, importBytes, importFile, targetWith } from '../../../support/interchange/import-files.ts'
import type { Imported } from '../../../support/interchange/import-files.ts'
import { makeZip, type MadeMember } from '../../../support/interchange/make-zip.ts'
import { missingLeaves } from '../../../support/interchange/leaves.ts'
import { leavesInLog } from '../../../support/interchange/inspect-logs.ts'

const sample = (name: string) => join(SAMPLES, 'inspect', name)
const CAPITALS = '2026-11-22T05-08-39-00-00_capitals_exatjY97WfVN4TUXF2ajWf.eval'
const CAPITALS_JSON = '2026-11-22T05-08-43-00-00_capitals_VJ57dJowd77c7nNLGQY4AW.json'

describe('the importer of Inspect', () => {
  it.each([
    [CAPITALS, '9 / 0 / 3 / 0'],
    [CAPITALS_JSON, '2 / 4 / 0 / 0'],
    ['cut-off_capitals.eval', '6 / 1 / 1 / 0'],
    ['chunked_capitals.eval', '9 / 0 / 3 / 0'],
    ['log_formats.json', '0 / 1 / 0 / 0'],
    ['log_formats.eval', '0 / 1 / 0 / 0'],
    ['log_streaming.eval', '3 / 1 / 0 / 0'],
    ['log_images_tc.json', '0 / 1 / 0 / 0'],
    ['theory-of-mind.eval', '83 / 17 / 0 / 0'],
    ['2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval', '0 / 0 / 0 / 10'],
    ['2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval', '8 / 2 / 0 / 0'],
    ['2025-05-12T20-27-36-04-00_browser.json', '1 / 0 / 0 / 0'],
    ['2025-05-12T20-28-13-04-00_popularity.json', '2 / 1 / 0 / 0'],
    ['2025-05-12T20-28-26-04-00_security-guide.json', '3 / 0 / 0 / 0'],
    ['data_pubmedqa_gpt4o_mini.json', '2 / 0 / 0 / 0'],
  ])('gives the counts of %s', async (name, counts) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([counts])
  })

  it.each([
    ['log_version_3.txt', 'refused: inspect: the log has version 4; up to 2 can be read'],
    ['log_invalid.txt', 'refused: JSON of an unknown tool, with the keys version'],
    ['header-only.json', 'refused: holds no samples, but totals: --aggregates imports them as cases'],
    ['log_with_nan.txt', 'refused: holds no samples, but totals: --aggregates imports them as cases'],
  ])('refuses %s', async (name, reason) => {
    expect(countsOf(await importFile(sample(name)))).toEqual([reason])
  })
})

it.each(readdirSync(join(SAMPLES, 'inspect')))(
  'what is in a log is in the document or among the losses: %s',
  async (name) => {
    const path = sample(name)
    const imported = await importFile(path)
    for (const result of imported) {
      if (!('run' in result)) continue
      // Success is the absence of a tag.
      const leaves = (await leavesInLog(path)).filter(({ path: at, value }) => at !== 'status' || value !== 'success')
      expect(leaves.length).toBeGreaterThan(50)
      expect(missingLeaves(leaves, [result.run.bytes], result.run.losses)).toEqual([])
    }
  },
)

const header = (changes: Record<string, unknown> = {}) => ({
  version: 2,
  status: 'success',
  eval: {
    eval_id: 'E1',
    run_id: 'R1',
    task_id: 'T1',
    created: '2026-01-01T00:00:00+00:00',
    task: 'geo/capitals',
    model: 'mock/model',
    packages: { inspect_ai: '0.3.1' },
    revision: { type: 'git', origin: 'o', commit: 'abc1234', dirty: true },
  },
  stats: { started_at: '2026-01-01T00:00:01+00:00', completed_at: '2026-01-01T00:00:09+00:00' },
  ...changes,
})

const answer = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more })

const aSample = (changes: Record<string, unknown> = {}) => ({
  id: 'paris',
  epoch: 1,
  input: 'Paris?',
  target: 'France',
  messages: [{ role: 'user', content: 'Paris?' }, answer('France')],
  output: { model: 'mock', choices: [{ message: answer('France'), stop_reason: 'stop' }] },
  scores: { includes: { value: 'C' } },
  ...changes,
})

const asJson = (samples: readonly object[], changes: Record<string, unknown> = {}) =>
  importBytes('log.json', JSON.stringify({ ...header(changes), samples }), { from: 'inspect' })

const asZip = (samples: readonly object[], more: readonly MadeMember[] = []) =>
  importBytes(
    'log.eval',
    makeZip([
      ...samples.map((value, n) => ({
        name: `samples/s${n}_epoch_1.json`,
        content: JSON.stringify(value),
        method: 93,
      })),
      ...more,
      { name: 'header.json', content: JSON.stringify(header()), method: 8 },
    ]),
  )

const onlyCase = async (imported: Promise<readonly Imported[]>): Promise<NormalCase> => {
  const [result] = await imported
  if (result?.outcome === 'refused') throw new Error(result.reason)
  return result!.document!.cases[0]!
}

const lossesOf = (imported: readonly Imported[]) =>
  imported.flatMap((result) => ('run' in result ? result.run.losses : []))

describe('a log of Inspect', () => {
  it('is one run, whole, cut off or in chunks: the other forms have changed or are already there', async () => {
    const whole = await importFile(sample(CAPITALS))
    const cut = await importFile(sample('cut-off_capitals.eval'))
    expect(cut[0]?.run_id).toBe(whole[0]?.run_id)
    expect(cut[0]?.document?.run.filters.tags).toContain('status:started')
    expect(lossesOf(cut)).toContainEqual(
      expect.objectContaining({ kind: 'cut', note: 'the log is cut off after 8 samples: it has no header' }),
    )
    const again = (target: readonly Imported[], name: string) =>
      importFile(sample(name), { target: targetWith(target) }).then(([result]) => result?.outcome)
    expect(await again(cut, CAPITALS)).toBe('changed')
    expect(await again(whole, 'cut-off_capitals.eval')).toBe('changed')
    expect(await again(whole, 'chunked_capitals.eval')).toBe('already_there')
    expect(await again(await importFile(sample('log_formats.json')), 'log_formats.eval')).toBe('already_there')
  })

  it('is judged by another scorer with --scorer, and unknown ones are refused by name', async () => {
    expect(countsOf(await importFile(sample(CAPITALS), { scorers: ['aspects.style'] }))).toEqual(['6 / 3 / 3 / 0'])
    expect(countsOf(await importFile(sample(CAPITALS), { scorers: ['x'] }))[0]).toMatch(
      /no assertion is named x; there are aspects.facts, aspects.style, includes/,
    )
  })

  it('has the totals of a header without samples with --aggregates', async () => {
    const [result] = await importFile(sample('header-only.json'), { aggregates: true })
    expect(countsOf([result!])).toEqual(['0 / 0 / 0 / 2'])
    expect(result?.document?.cases[0]?.cell.test_id).toMatch(/accuracy$/)
  })

  it('has its times, its revision and its version', async () => {
    const [result] = await asJson([aSample()], { tags: ['edited'], invalidated: true, status: 'error' })
    expect(result?.document?.run).toMatchObject({
      suite: 'capitals',
      started_at: '2026-01-01T00:00:01Z',
      finished_at: '2026-01-01T00:00:09Z',
      git: { commit: 'abc1234', dirty: true },
      origin: { version: '0.3.1' },
      filters: { tags: ['edited', 'invalidated', 'status:error'] },
    })
  })

  it('ends with its last sample if it was cancelled', async () => {
    const samples = ['2026-01-01T00:00:05+00:00', '2026-01-01T00:00:03+00:00'].map((completed_at, epoch) =>
      aSample({ completed_at, epoch: epoch + 1 }),
    )
    const stats = { started_at: '2026-01-01T00:00:01+00:00', completed_at: '' }
    const [result] = await asJson(samples, { status: 'cancelled', stats })
    expect(result?.document?.run.finished_at).toBe('2026-01-01T00:00:05Z')
  })
})

describe('a sample of Inspect', () => {
  it.each([
    ['C', 'pass', 1],
    ['P', 'pass', 0.5],
    ['I', 'fail', 0],
    ['N', 'fail', 0],
    [true, 'pass', 1],
    [false, 'fail', 0],
    [0.75, 'pass', 0.75],
    [0.25, 'fail', 0.25],
    ['yes', 'pass', 1],
    ['0.5', 'pass', 0.5],
    ['north', 'skip', 0],
    [null, 'skip', 0],
  ])('with the score %s is a %s', async (value, status, score) => {
    expect(await onlyCase(asJson([aSample({ scores: { s: { value } } })]))).toMatchObject({ status, score })
  })

  it.each([[{}], [[]]])('with the score %j was not evaluated, and keeps its explanation', async (value) => {
    const item = await onlyCase(asJson([aSample({ scores: { s: { value, explanation: 'no answer' } } })]))
    expect(item).toMatchObject({ status: 'skip', asserts: [{ status: 'skipped', reason: 'no answer' }] })
  })

  it('reads NaN as not evaluated', async () => {
    const text = JSON.stringify({ ...header(), samples: [aSample({ scores: { s: { value: 'NAN' } } })] })
    const imported = await importBytes('log.json', text.replace('"NAN"', 'NaN'))
    expect(imported[0]?.document?.cases[0]).toMatchObject({ status: 'skip', asserts: [{ status: 'skipped' }] })
    expect(lossesOf(imported)).toContainEqual(expect.objectContaining({ kind: 'changed', example: 'NaN' }))
  })

  it('has the headline score or else the first one as the deciding one', async () => {
    const scores = { a: { value: { x: 1, y: 0 } }, b: { value: 'I' } }
    const headline = { scorer: 'a', score: 'x' }
    const weights = (item: NormalCase) => item.asserts.map(({ weight }) => weight)
    expect(weights(await onlyCase(asJson([aSample({ scores })], { results: { headline } })))).toEqual([1, 0, 0])
    expect(weights(await onlyCase(asJson([aSample({ scores })])))).toEqual([1, 1, 0])
    const results = { scores: [{ name: 'b', scorer: 'b' }] }
    expect(weights(await onlyCase(asJson([aSample({ scores })], { results })))).toEqual([0, 0, 1])
  })

  it.each([
    ['model_graded_qa', 'llm-rubric'],
    ['model_graded_fact1', 'llm-rubric'],
    ['match', 'equals'],
    ['choice', 'equals'],
    ['includes', 'contains'],
    ['pkg/pattern2', 'regex'],
    ['matchmaker', 'exec'],
  ])('has the scorer %s as %s', async (name, kind) => {
    const item = await onlyCase(
      asJson([aSample({ scores: { [name]: { value: 'C', answer: 'x', explanation: 'why' } } })]),
    )
    expect(item.asserts[0]).toMatchObject({ kind, reason: 'why', details: { answer: 'x' }, criteria: { name } })
  })

  it('has the usage of the models without that of graders, whose cost is on the deciding assertion', async () => {
    const usage = (input: number, cost: number) => ({
      input_tokens: input,
      output_tokens: 1,
      total_tokens: input + 1,
      total_cost: cost,
    })
    const changes = {
      model_usage: { mock: usage(100, 0.5), judge: usage(30, 0.25) },
      role_usage: { grader: usage(30, 0.25) },
    }
    expect(await onlyCase(asJson([aSample(changes)]))).toMatchObject({
      usage: { input_tokens: 100, output_tokens: 1 },
      cost_usd: 0.5,
      asserts: [{ cost_usd: 0.25 }],
    })
    // Without scores, no assertion can have the cost of grading.
    const ungraded = await onlyCase(asJson([aSample({ ...changes, scores: undefined })]))
    expect([ungraded.asserts, ungraded.cost_usd]).toEqual([[], 0.75])
  })

  it('takes cache reads out of the input where the input includes them', async () => {
    const usage = (total: number) => ({
      mock: { input_tokens: 100, output_tokens: 10, total_tokens: total, input_tokens_cache_read: 60 },
    })
    const of = async (total: number) => (await onlyCase(asJson([aSample({ model_usage: usage(total) })]))).usage
    expect(await of(110)).toEqual({ input_tokens: 40, output_tokens: 10, cache_read_tokens: 60 })
    expect(await of(170)).toEqual({ input_tokens: 100, output_tokens: 10, cache_read_tokens: 60 })
  })

  it('has the time of its model calls if it has no working time', async () => {
    const events = [0.5, 0.25].map((time) => ({ event: 'model', output: { time } }))
    expect((await onlyCase(asJson([aSample({ events })]))).latency_ms).toBe(750)
    expect((await onlyCase(asJson([aSample({ events, working_time: 2, total_time: 3 })]))).latency_ms).toBe(2000)
    expect((await onlyCase(asZip([aSample({ events })]))).latency_ms).toBe(750)
  })

  it('has an error with its trace, its limit, and its attempts', async () => {
    const item = await onlyCase(
      asJson([
        aSample({
          error: { message: 'broken', traceback: 'at line 1', traceback_ansi: 'x' },
          limit: { type: 'token', limit: 5 },
          error_retries: [{ message: 'first' }],
        }),
      ]),
    )
    expect(item).toMatchObject({
      status: 'error',
      error: 'broken',
      error_details: { trace: 'at line 1' },
      tags: ['limit:token'],
      attempts: 2,
    })
  })

  it('has its conversation up to the last answer, with the calls of all turns', async () => {
    const call = { id: 'c1', function: 'search', arguments: { q: 'Paris' } }
    const messages = [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: 'Paris?' },
      answer('', { tool_calls: [call] }),
      { role: 'tool', content: 'In France', tool_call_id: 'c1', function: 'search' },
      answer([
        { type: 'reasoning', reasoning: 'hm' },
        { type: 'text', text: 'France' },
      ]),
    ]
    const output = { choices: [{ message: messages.at(-1), stop_reason: 'stop' }] }
    const item = await onlyCase(asJson([aSample({ messages, output })]))
    expect(item).toMatchObject({
      output: 'France',
      reasoning: 'hm',
      stop_reason: 'stop',
      tool_calls: [{ id: 'c1', name: 'search', arguments: { q: 'Paris' } }],
      prompt: {
        messages: [{ role: 'system' }, { role: 'user' }, { role: 'assistant' }, { role: 'tool', tool_call_id: 'c1' }],
      },
    })
  })

  it('has a note in the place of an image', async () => {
    const content = [{ type: 'image', image: `data:image/png;base64,${'A'.repeat(100)}` }]
    const imported = await asJson([aSample({ messages: [{ role: 'user', content }, answer('France')] })])
    expect(imported[0]?.document?.cases[0]?.prompt).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: '[image left out]' }] }],
    })
    expect(lossesOf(imported)).toContainEqual(
      expect.objectContaining({ kind: 'left_out', path: 'samples.*.messages.*.content.*.image', bytes: 124 }),
    )
  })

  it('has attachments in the place of their references, but not those of more than 1 MiB', async () => {
    const attachments = { aa: 'a long text', bb: randomBytes(512 * 1024 + 1).toString('hex'), cc: 'of an event' }
    const messages = [
      { role: 'user', content: 'attachment://aa' },
      { role: 'user', content: 'attachment://bb' },
      { role: 'user', content: 'attachment://dd' },
      answer('France'),
    ]
    for (const imported of [
      await asJson([aSample({ messages, attachments })]),
      await asZip([aSample({ messages, attachments })]),
    ]) {
      const { prompt } = imported[0]!.document!.cases[0]!
      expect(prompt).toMatchObject({
        messages: [{ content: 'a long text' }, { content: 'attachment://bb' }, { content: 'attachment://dd' }],
      })
      expect(
        lossesOf(imported)
          .filter(({ path }) => path === 'samples.*.attachments')
          .map(({ bytes }) => bytes),
      ).toEqual([1024 * 1024 + 4, 13])
    }
  })

  it('of more than 16 MiB is read without its events and its store', async () => {
    const data = randomBytes(50_000).toString('hex')
    const events = Array.from({ length: 180 }, (_, n) => ({ event: 'info', data: `${n}${data}` }))
    const imported = await asZip([
      aSample({
        events,
        store: { a: 'b' },
        attachments: { aa: 'long' },
        messages: [{ role: 'user', content: 'attachment://aa' }, answer('France')],
      }),
    ])
    expect(imported[0]?.document?.cases[0]).toMatchObject({
      status: 'pass',
      prompt: { messages: [{ content: 'long' }] },
    })
    const bytes = Object.fromEntries(lossesOf(imported).map(({ path, bytes: size }) => [path, size]))
    expect(bytes['samples.*.events']).toBe(Buffer.byteLength(JSON.stringify(events)))
    expect(bytes['samples.*.store']).toBe(9)
  })

  it('in chunks records messages that no chunk has, and keeps those after them', async () => {
    const { messages: _, ...shell } = aSample({ message_refs: [[0, 3]] })
    const imported = await asZip(
      [],
      [
        { name: 'samples/paris_epoch_1/sample.json', content: JSON.stringify(shell) },
        {
          name: 'samples/paris_epoch_1/messages/0.json',
          content: JSON.stringify([{ role: 'user', content: 'first' }]),
        },
        { name: 'samples/paris_epoch_1/messages/2.json', content: JSON.stringify([answer('France')]) },
      ],
    )
    expect(imported[0]?.document?.cases[0]).toMatchObject({
      prompt: { messages: [{ content: 'first' }] },
      output: 'France',
    })
    expect(lossesOf(imported)).toContainEqual(expect.objectContaining({ kind: 'cut', note: '1 message in no chunk' }))
  })

  const inChunks = (refs: readonly (readonly number[])[], members: Readonly<Record<string, unknown>>) => {
    const { messages: _, ...shell } = aSample({ message_refs: refs })
    const all = { 'samples/paris_epoch_1/sample.json': shell, ...members }
    return asZip(
      [],
      Object.entries(all).map(([name, value]) => ({ name, content: JSON.stringify(value), method: 8 })),
    )
  }

  it('in chunks takes the messages of each range, in order, also again', async () => {
    const turn = (n: number) => ({ role: 'user', content: `turn ${n}` })
    const ranges = [
      [4, 6],
      [0, 2],
      [1, 2],
    ]
    const imported = await inChunks(ranges, {
      'samples/paris_epoch_1/messages/0.json': [0, 1, 2].map(turn),
      'samples/paris_epoch_1/messages/3.json': [turn(3), turn(4), turn(5), turn(6)],
      'samples/paris_epoch_1/messages/6.json': [turn(6)],
    })
    const { prompt } = imported[0]!.document!.cases[0]!
    expect(prompt).toMatchObject({ messages: [4, 5, 0, 1, 1].map(turn) })
    const losses = lossesOf(imported).filter(({ path }) => path === 'samples.*.messages')
    // The last chunk, and three messages of the others.
    expect(losses).toMatchObject([{ note: 'in events alone', count: 4 }])
  })

  it('in chunks is refused with more than 64 MiB of messages, also if these are copies of one', async () => {
    const long = { role: 'user', content: 'x'.repeat(1024 * 1024) }
    const ranges = Array.from({ length: 65 }, () => [0, 1])
    expect(countsOf(await inChunks(ranges, { 'samples/paris_epoch_1/messages/0.json': [long] }))).toEqual([
      'refused: the messages of a sample are larger than 67108864 bytes',
    ])
  })

  it('in chunks records every member that is not read', async () => {
    const imported = await inChunks([[0, 1]], {
      'samples/paris_epoch_1/messages/0.json': [{ role: 'user', content: 'first' }],
      'samples/paris_epoch_1/messages/notes.json': [],
      'samples/paris_epoch_1/later/0.json': [],
      'samples/other.json': {},
      'samples/rome_epoch_1.json': aSample({ id: 'rome' }),
      'samples/rome_epoch_1/sample.json': {},
    })
    const losses = lossesOf(imported).filter(({ kind, path }) => kind === 'left_out' && path.startsWith('samples'))
    expect(losses.map(({ path }) => path).sort()).toEqual([
      'samples.*.later',
      'samples.*.messages',
      'samples/other.json',
      'samples/rome_epoch_1/sample.json',
    ])
  })

  it('in chunks has its attachments by number', async () => {
    const prefix = 'samples/a/b_epoch_2'
    const { messages: _, ...shell } = aSample({ id: 'a/b', epoch: 2, message_refs: [[1, 3]] })
    const item = await onlyCase(
      asZip(
        [],
        [
          { name: `${prefix}/sample.json`, content: JSON.stringify(shell) },
          { name: `${prefix}/messages/0.json`, content: JSON.stringify([{ role: 'user', content: 'not here' }]) },
          {
            name: `${prefix}/messages/1.json`,
            content: JSON.stringify([{ role: 'user', content: 'attachment://1' }, answer('France')]),
          },
          { name: `${prefix}/attachments/0.json`, content: JSON.stringify(['zero']) },
          { name: `${prefix}/attachments/1.json`, content: JSON.stringify(['one']) },
        ],
      ),
    )
    expect(item).toMatchObject({
      cell: { test_id: 'a/b', repeat: 1 },
      prompt: { messages: [{ role: 'user', content: 'one' }] },
    })
  })

  it.each([
    ['null', null],
    ['a list', []],
    ['numbers', 5],
    ['texts', 'x'],
    ['objects', { value: { deep: [1] } }],
    ['lists of objects', [{ content: 5, role: 7, function: {}, type: [] }]],
  ])('is read with %s in every place', async (_, hostile) => {
    for (const key of [
      ...Object.keys(aSample()),
      'error',
      'limit',
      'model_usage',
      'role_usage',
      'metadata',
      'attachments',
      'error_retries',
      'events',
      'score',
      'choices',
      'files',
    ]) {
      const imported = await asJson([aSample({ [key]: hostile })])
      expect(countsOf(imported)[0], key).not.toMatch(/^refused/)
    }
    for (const key of ['results', 'stats', 'plan', 'tags', 'error', 'metadata'])
      expect(countsOf(await asJson([aSample()], { [key]: hostile }))[0], key).not.toMatch(/^refused/)
  })
})

describe('the judge of a scorer', () => {
  const log = (evaluation: object) => scorerJudges({ eval: { model: 'openai/tested', ...evaluation } })

  it('is the model of its options, else that with the role of a grader, else the model under test', () => {
    const scorers = [{ name: 'inspect_ai/model_graded_qa', options: { model: 'openai/judge', template: 'Grade' } }]
    const roles = { grader: { model: 'openai/role', config: {} } }
    expect(log({ scorers, model_roles: roles })('model_graded_qa')).toEqual({
      model: 'openai/judge',
      template_sha256: hash('sha256', 'Grade', 'hex'),
    })
    expect(log({ scorers, model_roles: roles })('model_graded_fact')).toEqual({ model: 'openai/role' })
    expect(log({ scorers: null })('model_graded_fact')).toEqual({ model: 'openai/tested' })
  })
  it('may be several models that vote, and is found for a scorer with a number', () => {
    const scorers = [{ name: 'model_graded_qa', options: { model: ['a', { model: 'b' }] } }]
    expect(log({ scorers })('model_graded_qa1')).toEqual({ model: 'a, b' })
  })
  it('is none for other scorers, unless their options name it', () => {
    const options = { grader_model: { model: 'google/judge', config: {} }, grader_template: 'Grade' }
    expect(log({ scorers: [{ name: 'simpleqa_scorer', options }] })('simpleqa_scorer')).toMatchObject({
      model: 'google/judge',
      template_sha256: expect.any(String) as unknown,
    })
    expect(log({ scorers: [{ name: 'includes', options: {} }] })('includes')).toBe(null)
  })
  it('is in the assertions of a log', async () => {
    const [imported] = await importFile(sample('2025-05-12T20-28-26-04-00_security-guide.json'))
    expect(imported?.document?.cases[0]?.asserts[0]?.details).toMatchObject({ judge: { model: 'openai/gpt-4o-mini' } })
  })
})
