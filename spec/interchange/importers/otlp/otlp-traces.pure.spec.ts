import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../../../domain/run/readers.ts'
import type { Moment, Span } from '../../../../interchange/importers/otlp/records.ts'
import { orderedSpans } from '../../../../interchange/importers/otlp/trace.ts'
import { otlpTranscript } from '../../../../interchange/importers/otlp/transcript.ts'
import { importBytes, lossesOf } from '../../../support/interchange/import-files.ts'
import { evidenceOf, keepingIn, transcriptsOf } from '../../../support/interchange/kept-evidence.ts'
import { attributes, evaluation, logs, span, traces, TRACE } from '../../../support/interchange/otlp-spans.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-otlp-traces-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Imports lines of a file, with the transcripts. */
const importLines = async (...lines: object[]) => {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  const [result] = await importBytes('t.jsonl', text, keepingIn(folder))
  return {
    cases: result!.document!.cases,
    losses: lossesOf([result!]).filter(({ kind }) => kind !== 'assumed'),
    events: transcriptsOf(evidenceOf(result)).flatMap((lines) => lines.slice(1)),
  }
}

const message = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })
const at = (seconds: number) => `17724420${String(seconds).padStart(2, '0')}000000000`
const call = (operation: string, more: object) => ({
  attributes: attributes({ 'gen_ai.operation.name': operation, ...more }),
})
const chat = (question: string, answer: string, model = 'm') =>
  call('chat', {
    'gen_ai.request.model': model,
    'gen_ai.input.messages': [message('user', question)],
    'gen_ai.output.messages': [message('assistant', answer)],
  })

describe('the result of an evaluation', () => {
  it.each([
    ['a word that only describes', [evaluation('toxicity', { label: 'no' })], 'skip', undefined],
    ['another one', [evaluation('hallucination', { label: 'yes' })], 'skip', undefined],
    ['a score with such a word', [evaluation('Right', { label: 'yes', value: 0.1 })], 'fail', undefined],
    ['a score with the other word', [evaluation('Right', { label: 'no', value: 0.9 })], 'pass', undefined],
    ['a verdict', [evaluation('Right', { label: 'fail' })], 'fail', false],
    ['a verdict with a score of an unknown range', [evaluation('Right', { label: 'pass', value: 4 })], 'pass', true],
  ])('decides by its verdict, else by its score: %s', async (_, events, status, passed) => {
    const { cases, events: lines } = await importLines(traces(span('1', { events })))
    expect(cases[0]!.status).toBe(status)
    const [line] = lines.filter(({ type }) => type === 'score')
    expect(line?.['passed']).toBe(passed)
  })

  it('is one assertion, if it is an event of the span and a log record too', async () => {
    const found = evaluation('Right', { label: 'pass' })
    const { eventName, ...record } = { ...found, eventName: found.name, traceId: TRACE }
    const { cases, events } = await importLines(
      traces(span('1', { events: [found] }), span('2', { events: [found] })),
      logs({ ...record, eventName, spanId: '1'.padStart(16, '0') }),
    )
    expect(cases[0]!.asserts).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'score')).toHaveLength(3)
  })
})

describe('the test of a trace', () => {
  const search = (id: string, seconds: number) =>
    span(id, { startTimeUnixNano: at(seconds), ...call('embeddings', { 'gen_ai.request.model': 'embedder' }) })
  const from = (traceId: string, question: string, answer: string) =>
    [
      search('1', 1),
      span('2', { startTimeUnixNano: at(2), ...chat(question, answer) }),
      span('3', {
        startTimeUnixNano: at(3),
        ...call('chat', { 'gen_ai.output.messages': [message('assistant', '')] }),
      }),
      search('4', 4),
    ].map((one) => ({ ...one, traceId }))

  it('is what a user asked, whatever is called before and after the answer', async () => {
    const { cases } = await importLines(
      traces(...from('a'.repeat(32), 'Lima?', 'Yes.'), ...from('b'.repeat(32), 'Oslo?', 'No.')),
    )
    expect(cases).toMatchObject([
      { vars: { input: 'Lima?' }, output: 'Yes.', cell: { provider_id: 'm', repeat: 0 } },
      { vars: { input: 'Oslo?' }, output: 'No.', cell: { provider_id: 'm', repeat: 0 } },
    ])
    expect(new Set(cases.map(({ cell }) => cell.test_id)).size).toBe(2)
    expect(cases[0]!.prompt).toEqual({ messages: [{ role: 'user', content: 'Lima?' }] })
  })

  it('is of the conversation in the order of its times, whatever the order of the records', async () => {
    const say = (seconds: number, role: string, content: string) => ({
      traceId: TRACE,
      spanId: '1'.padStart(16, '0'),
      timeUnixNano: at(seconds),
      eventName: `gen_ai.${role}.message`,
      body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: content } }] } },
    })
    const { cases } = await importLines(
      traces(span('1', call('chat', {}))),
      logs(say(3, 'user', 'And Peru?'), say(1, 'user', 'Norway?'), say(2, 'assistant', 'Oslo.')),
    )
    expect(cases[0]).toMatchObject({
      vars: { input: 'Norway?' },
      prompt: { messages: [{ content: 'Norway?' }, { content: 'Oslo.' }, { content: 'And Peru?' }] },
    })
  })
})

describe('the tokens and the cost of a trace', () => {
  it('are those of the outermost calls', async () => {
    const used = (tokens: number) =>
      call('chat', {
        'gen_ai.usage.input_tokens': tokens,
        'gen_ai.usage.output_tokens': 1,
        'gen_ai.usage.cost': tokens / 8,
      })
    const { cases } = await importLines(
      traces(
        span('1', used(100)),
        span('2', { parentSpanId: '1'.padStart(16, '0') }),
        span('3', { parentSpanId: '2'.padStart(16, '0'), ...used(60) }),
        span('4', { parentSpanId: '5'.padStart(16, '0'), ...used(10) }),
        span('5', { ...call('chat', {}) }),
      ),
    )
    expect(cases[0]).toMatchObject({ usage: { input_tokens: 110, output_tokens: 2 }, cost_usd: 13.75 })
  })
})

it('takes a data URL of a message as its bytes, and as no file that is missing', async () => {
  const uri = `data:image/png;base64,${Buffer.from('a picture of a map').toString('base64')}`
  const asked = [{ role: 'user', parts: [{ type: 'uri', modality: 'image', uri }] }]
  const { events, losses } = await importLines(traces(span('1', call('chat', { 'gen_ai.input.messages': asked }))))
  expect(events[0]).toMatchObject({ role: 'user', content: [{ type: 'image', part: expect.any(String) as string }] })
  expect(losses.filter(({ path }) => path.endsWith('.uri'))).toEqual([])
})

describe('the spans of a trace', () => {
  it('are all kept, also without an id', async () => {
    const { events, losses } = await importLines(
      traces(span('1'), span('2', { spanId: '0' }), span('3', { spanId: undefined }), span('4', { spanId: 'odd' })),
    )
    expect(events.map(({ name, id }) => [name, id])).toEqual([
      ['span 1', '1'.padStart(16, '0')],
      ['span 2', 'span-2'],
      ['span 3', 'span-3'],
      ['span 4', 'span-4'],
    ])
    expect(events.at(-1)).toHaveProperty('source.spanId', 'odd')
    expect(losses).toEqual([])
  })

  it('keep a parent in no file, an end without a start, and what their status says', async () => {
    const parentSpanId = 'a'.repeat(16)
    const odd = { startTimeUnixNano: '0', status: { code: 1, message: 'fine' } }
    const { events } = await importLines(traces(span('1', { parentSpanId }), span('2', odd)))
    expect(events).toMatchObject([
      { source: { endTimeUnixNano: '1772442001000000000', status: { code: 1, message: 'fine' } } },
      { source: { parentSpanId } },
    ])
  })

  it('may be of several resources: what is of a further one is recorded once', async () => {
    const of = (name: string, ...spans: object[]) => ({
      resource: { attributes: attributes({ 'service.name': name }) },
      scopeSpans: [{ spans }],
    })
    const resourceSpans = [of('a', span('1'), span('2')), of('b', span('3'), span('4')), of('a', span('5'))]
    const { losses } = await importLines({ resourceSpans })
    expect(losses).toMatchObject([{ path: 'resourceSpans.*.resource', count: 1, example: '{"service.name":"b"}' }])
  })

  it('are the first of those with one id; another one is recorded', async () => {
    const { events, losses } = await importLines(traces(span('1'), span('1'), span('1', { name: 'other' })))
    expect(events).toMatchObject([{ name: 'span 1' }])
    expect(losses).toMatchObject([
      { kind: 'left_out', count: 1, note: 'a span with the id of another one of its trace' },
    ])
  })

  it('may be many, and have many events', async () => {
    const bare = { end: null, error: null, attributes: {}, moments: [], rest: {}, resource: {}, name: '' }
    const root: Span = { ...bare, id: 'root', parent: null, start: '1' }
    const children = Array.from({ length: 200_000 }, (_, n) => ({ ...bare, id: `c${n}`, parent: 'root', start: '2' }))
    expect(orderedSpans({ id: TRACE, logs: [], spans: [root, ...children] }).childrenOf(root)).toHaveLength(200_000)

    const moment = (n: number): Moment => ({ name: 'e', at: n < 2 ? '1' : '3', attributes: {}, body: null, rest: {} })
    const moments = Array.from({ length: 20_000 }, (_, n) => moment(n))
    const move = Object.assign((value: Json) => value, { isPart: () => false })
    const trace = { id: TRACE, logs: [], spans: [{ ...root, moments }, ...children.slice(0, 1)] }
    const types: unknown[] = []
    for await (const { type } of otlpTranscript(trace, '', move, () => null)) types.push(type)
    expect(types).toHaveLength(1 + 1 + 1 + moments.length + 1)
    expect(types.slice(0, 6)).toEqual([undefined, 'span', 'log', 'log', 'other', 'log'])
  })
})
