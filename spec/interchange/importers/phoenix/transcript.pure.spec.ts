import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dataUrlMedia } from '../../../../domain/evidence/media.ts'
import { sha256 } from '../../../../interchange/document/identity.ts'
import { newLosses } from '../../../../interchange/document/losses.ts'
import { openSpans } from '../../../../interchange/importers/phoenix/spans.ts'
import { fileInMemory } from '../../../../interchange/read/source-file.ts'
import { SAMPLES, importFiles, importFolder, lossesOf } from '../../../support/interchange/import-files.ts'
import {
  entriesOf,
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../../support/interchange/leaves.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-phoenix-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const sample = join(SAMPLES, 'phoenix', 'fetched')
type Span = Record<string, unknown> & { readonly context: { readonly trace_id: string; readonly span_id: string } }
const jsonOf = (name: string) => JSON.parse(readFileSync(join(sample, name), 'utf8')) as unknown
const PAGES = ['spans-000001.json', 'spans-000002.json'].map((name) => jsonOf(name) as { readonly data: Span[] })
const SPANS = PAGES.flatMap(({ data }) => data)
const TRACE = SPANS[0]!.context.trace_id
const runs = readFileSync(join(sample, 'runs.json'), 'utf8')

/** Imports the download with these spans. */
const importSpans = async (spans: readonly object[], options: object = keepingIn(folder), others: object = {}) =>
  (await importFiles({ 'runs.json': runs, 'spans.json': JSON.stringify({ data: spans }), ...others }, options))[0]!

/** What the losses say of spans. */
const lostSpans = (result: Awaited<ReturnType<typeof importSpans>>) =>
  lossesOf([result])
    .filter(({ path }) => path === '(spans)')
    .map(({ kind, count, note }) => [kind, count, note])

/** The leaves of a span, as its transcript has them. */
const spanLeaves = (span: object) =>
  leavesOf(span)
    // What a span does, and whether it failed, are the type of its event and an error in it.
    .filter(({ path, value }) => path !== 'span_kind' || !['LLM', 'TOOL', 'AGENT'].includes(String(value)))
    .filter(({ path, value }) => path !== 'status_code' || value !== 'ERROR')
    .flatMap((leaf) => {
      // The parameters of a call are JSON in a text, and a picture is a part.
      if (leaf.path.endsWith('_parameters')) return leavesOf(JSON.parse(String(leaf.value)))
      const media = typeof leaf.value === 'string' ? dataUrlMedia(leaf.value) : null
      return [media === null ? leaf : { ...leaf, value: sha256(media.bytes) }]
    })

/** The events of the first case of one call of a model with these attributes. */
const callWith = async (attributes: object, more: object = {}) => {
  const [span] = SPANS.filter(({ span_kind: kind }) => kind === 'LLM').slice(-1)
  const result = await importSpans([{ ...span, parent_id: null, attributes, ...more }])
  return { result, lines: transcriptsOf(evidenceOf(result))[0]!.slice(1) }
}

it('the spans of the trace of a row are its transcript', async () => {
  const [result] = await importFolder(sample, keepingIn(folder))
  const [first, second] = transcriptsOf(evidenceOf(result))
  const guide = first![2]!['id']
  expect(first!.slice(1).map(({ type, name, parent }) => [type, name, parent === guide])).toEqual([
    ['span', 'Task: task', false],
    ['span', 'guide', false],
    ['message', undefined, true],
    ['message', undefined, true],
    ['model', 'ChatCompletion', true],
    ['message', undefined, true],
    ['tool', 'timetable', true],
    ['log', 'looked up', true],
    ['message', undefined, true],
    ['model', 'ChatCompletion', true],
    ['message', undefined, true],
    ['span_end', undefined, true],
    ['span_end', undefined, false],
  ])
  expect(first![5]).toMatchObject({ model: 'large-2', request: { temperature: 0.5 }, cost_usd: 0.25 })
  expect(first![6]).toMatchObject({ tool_calls: [{ id: 'call_1', name: 'timetable', arguments: '{"line": 12}' }] })
  expect(first![7]).toMatchObject({ arguments: { line: 12 }, result: '12:05 Lima' })
  expect(first![9]).toMatchObject({ role: 'tool', call: 'call_1', content: '12:05 Lima' })
  expect(first![10]).toMatchObject({ input: [[0, 3]], output: [[4, 4]] })
  expect(second!.filter(({ error }) => error !== undefined).map(({ type, error }) => [type, error])).toEqual([
    ['other', { message: 'ValueError: no index' }],
    ['error', expect.objectContaining({ message: 'no index' })],
  ])
})

it('a picture in a message is a part of the case', async () => {
  const [result] = await importFolder(sample, keepingIn(folder))
  const [lines] = transcriptsOf(evidenceOf(result))
  const [, image] = lines![4]!['content'] as ReadonlyArray<Record<string, unknown>>
  expect(image).toEqual({ type: 'image', part: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
  const pictures = entriesOf(evidenceOf(result)).filter(({ sha256 }) => sha256 === image!['part'])
  expect(pictures.map(({ media_type: type, role }) => [type, role])).toEqual([
    ['image/png', 'input'],
    ['image/png', 'input'],
  ])
})

it('each leaf of a span is in its line or a part, and the totals are those of the spans', async () => {
  const [result] = await importFolder(sample, keepingIn(folder, { hasOriginal: true }))
  const evidence = evidenceOf(result)
  const transcripts = transcriptsOf(evidence)
  expect(missingLeaves(SPANS.flatMap(spanLeaves), [], [], transcripts)).toEqual([])
  const totals = transcripts.map((lines) => outlineTotals(lines))
  const usage = { input_tokens: 120, output_tokens: 10, cost_usd: 0.25, missing_parents: 0 }
  expect(totals).toMatchObject([
    { ...usage, types: { model: 2, tool: 1, log: 1 }, errors: 0 },
    { ...usage, types: { model: 2, tool: 1, log: 1, other: 1, error: 1 }, errors: 2 },
  ])
  const lost = lossesOf([result!]).filter(({ kind }) => kind === 'left_out' || kind === 'cut')
  expect(lost).toEqual([])
  expect(entriesOf(evidence).filter(({ role }) => role === 'original')).toHaveLength(5)
})

it('the case is that of an import without evidence, in which each span is recorded', async () => {
  const [plain] = await importFolder(sample)
  const [result] = await importFolder(sample, keepingIn(folder))
  expect(plain!.document!.cases).toEqual(result!.document!.cases)
  expect(lostSpans(plain!)).toEqual([['left_out', 11, 'a span']])
  expect(lostSpans(result!)).toEqual([])
})

it('spans of a trace that no row names, as of attempts that failed, are recorded', async () => {
  const other = { ...SPANS[0]!, context: { trace_id: 'f'.repeat(32), span_id: '1' } }
  const result = await importSpans([...SPANS, other, { ...other, context: {} }])
  expect(transcriptsOf(evidenceOf(result))).toHaveLength(2)
  expect(lostSpans(result)).toEqual([
    ['left_out', 1, 'a span of a trace that no row names'],
    ['left_out', 1, 'a span of no trace'],
  ])
})

it('spans next to two downloads are kept as the original of none', async () => {
  const path = mkdtempSync(join(folder, 'downloads-'))
  const second = JSON.stringify((JSON.parse(runs) as object[]).slice(0, 1))
  for (const [name, content] of [
    ['a.json', runs],
    ['b.json', second],
    ['spans.json', JSON.stringify({ data: SPANS })],
  ] as const)
    writeFileSync(join(path, name), content)
  const results = await importFolder(path, keepingIn(folder, { hasOriginal: true }))
  expect(results.map((result) => transcriptsOf(evidenceOf(result)).length)).toEqual([2, 1])
  for (const result of results)
    expect(
      entriesOf(evidenceOf(result)).filter(({ role, name }) => role === 'original' && name !== 'spans.json'),
    ).toHaveLength(1)
  expect(
    results.flatMap((result) => entriesOf(evidenceOf(result))).filter(({ name }) => name === 'spans.json'),
  ).toEqual([])
})

it('spans of one millisecond are in the order of their start', async () => {
  const [span] = SPANS.filter(({ span_kind: kind }) => kind === 'TOOL')
  const at = (micros: string) => ({
    ...span,
    parent_id: null,
    name: micros,
    start_time: `2026-11-30T18:51:11.789${micros}+00:00`,
  })
  const spans = ['3', '', '2'].map((digits, n) => ({
    ...at(digits),
    attributes: {},
    events: [],
    context: { ...span!.context, span_id: `s${n}` },
  }))
  const [lines] = transcriptsOf(evidenceOf(await importSpans(spans)))
  expect(lines!.slice(1).map(({ id }) => id)).toEqual(['s1', 's2', 's0'])
})

it('says that pages are missing if the last one names another', async () => {
  const [result] = await importFiles(
    { 'runs.json': runs, 'spans-000001.json': JSON.stringify(PAGES[0]) },
    keepingIn(folder),
  )
  expect(lossesOf([result!])).toContainEqual(expect.objectContaining({ kind: 'cut', path: 'next_cursor' }))
})

it('a message may have a text before its blocks, and more than twelve', async () => {
  const at = (n: number) => `llm.input_messages.${n}.message`
  const { lines } = await callWith({
    [`${at(0)}.role`]: 'user',
    [`${at(0)}.content`]: 'look',
    [`${at(0)}.contents.0.message_content.type`]: 'text',
    [`${at(0)}.contents.0.message_content.text`]: 'at this',
    ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${at(12 - n)}.content`, `said ${11 - n}`])),
  })
  expect(lines.filter(({ type }) => type === 'message').map(({ content }) => content)).toEqual([
    [
      { type: 'text', text: 'look' },
      { type: 'text', text: 'at this' },
    ],
    ...Array.from({ length: 12 }, (_, n) => `said ${n}`),
  ])
})

it.each([
  ['with a value and members', { 'llm.input_messages.0': 'x', 'llm.input_messages.0.message.role': 'user' }],
  ['without a message', { 'llm.input_messages.0.role': 'user' }],
  ['that is no list', { 'llm.input_messages.first.message.role': 'user' }],
  ['with contents that are no blocks', { 'llm.input_messages.0.message.contents.0.text': 'only this' }],
  ['with a name of the prototype', { 'llm.input_messages.0.message.__proto__.polluted': 'yes' }],
  [
    'with members in it and next to it',
    { 'llm.input_messages.0.message.role': 'user', 'llm.input_messages.0.role': 'the other role' },
  ],
  [
    'with a call that has two ids',
    {
      'llm.input_messages.0.message.tool_calls.0.tool_call.id': 'outer',
      'llm.input_messages.0.message.tool_calls.0.tool_call.function.id': 'inner',
    },
  ],
  // Deep enough for the stack of a walk over it.
  ['of very many steps', { [`llm.input_messages.0.message.content${'.a'.repeat(20_000)}`]: 'deep' }],
])('a message %s is not lost', async (_, attributes) => {
  const { result } = await callWith(attributes)
  expect(missingLeaves(leavesOf(attributes), [], [], partValues(evidenceOf(result)))).toEqual([])
})

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** A span of a shape that each row of the table changes. */
const HOSTILE = {
  ...{ id: 'its place', name: 'the span', context: { trace_id: TRACE, span_id: 'hostile' }, parent_id: null },
  ...{ start_time: '2026-11-30T18:51:11.000001+00:00', end_time: '2026-11-30T18:51:12.000002+00:00' },
  ...{ status_code: 'OK', status_message: 'all is well', events: [] },
  attributes: {
    ...{ 'input.value': '{"given": "to it"}', 'input.mime_type': 'application/json', 'output.value': 'came of it' },
    ...{ 'tool.name': 'the tool', 'tool.id': 'call-1', 'llm.model_name': 'large-2' },
    'llm.input_messages.0.message.content': 'was asked',
  },
}

const OTHER_TYPES = {
  ...{ 'input.value': { nested: 'given' }, 'input.mime_type': 31, 'output.value': 1234, 'output.mime_type': ['text'] },
  ...{ 'tool.name': { first: 'tool' }, 'tool.id': 99, 'llm.model_name': ['m'], 'llm.invocation_parameters': 5678 },
  ...{ 'llm.token_count.prompt': 'many', 'llm.cost.total': 'much', 'llm.input_messages': 'a list', '': 'unnamed' },
  ...{ 'llm.input_messages.0.message': 'said', 'llm.output_messages.x': [['answer']], 'llm.output_messages.': 'odd' },
}

const KINDS = ['LLM', 'TOOL', 'AGENT', 'CHAIN', 7]

it.each<[string, object, (object | undefined)?]>([
  ['attributes that are a text', { attributes: 'only this' }],
  ['attributes that are a list', { attributes: ['first', { second: 'of two' }] }],
  ['an id that is a number', { context: { trace_id: TRACE, span_id: 4711, more: 'of it' } }],
  ['no id', { context: { trace_id: TRACE } }],
  ['the id of another', { context: { trace_id: TRACE, span_id: 'other' } }],
  ['itself as its parent', { parent_id: 'hostile' }],
  ['a parent that is in it', { parent_id: 'other' }, { parent_id: 'hostile' }],
  ['a parent that is no text', { parent_id: { of: 'nothing' } }],
  ['an input and an output', { input: 'own input', output: { of: 'its own' } }],
  ['a name that is a number', { name: 8150 }],
  ['a status that is no text', { status_code: ['ERROR'], status_message: { why: 'unknown' } }],
  ['an error whose message is a list', { status_code: 'ERROR', status_message: ['first', 'last'] }],
  ['times that are none', { start_time: 'at noon', end_time: { at: 'night' } }],
  ['a start that is a number', { start_time: 1777000001, end_time: 1777000002 }],
  ['events that are no objects', { events: ['gone', { name: 'there' }] }],
  ['events that are a text', { events: 'an event' }],
  ['events without a name', { events: [{ name: 12345, timestamp: 'never', attributes: 'of an event' }] }],
  ['an exception without a text', { events: [{ name: 'exception', attributes: { 'exception.message': 4321 } }] }],
  [
    'an exception whose trace is a list',
    {
      events: [{ name: 'exception', attributes: { 'exception.message': 'no', 'exception.stacktrace': ['guide.py'] } }],
    },
  ],
  ['attributes of other types', { attributes: OTHER_TYPES }],
])('a span with %s is in its transcript, whatever it does', async (_, span, other = {}) => {
  for (const kind of KINDS) {
    const spans = [
      { ...HOSTILE, span_kind: kind, ...span },
      { ...HOSTILE, attributes: {}, name: 'the other', context: { trace_id: TRACE, span_id: 'other' }, ...other },
    ]
    const lines = transcriptsOf(evidenceOf(await importSpans(spans))).flat()
    expect(missingLeaves(spans.flatMap(spanLeaves), [], [], lines), String(kind)).toEqual([])
    expect(lines.filter(({ type }) => type === 'span_end').length).toBeLessThanOrEqual(2)
  }
})

it.each([
  ['one line', JSON.stringify({ data: [], next_cursor: null })],
  ['several', JSON.stringify({ data: [], next_cursor: null }, null, 2)],
])('a page without spans in %s does not refuse the run', async (_, page) => {
  for (const options of [{}, keepingIn(folder)]) {
    const files = { 'runs.json': runs, 'spans-000001.json': page }
    const [result] = await importFiles(files, options)
    expect([result!.document?.cases.length, lostSpans(result!)]).toEqual([2, []])
  }
})

it('the spans of a trace that is too large for a transcript are recorded one by one', async () => {
  const page = fileInMemory('spans-000001.json', Buffer.from(JSON.stringify({ data: SPANS })))
  const sizes = new Map<string, number[]>()
  for (const span of SPANS) {
    const { trace_id: trace } = span.context
    sizes.set(trace, [...(sizes.get(trace) ?? []), JSON.stringify(span).length])
  }
  const [[large, lengths], [small]] = [...sizes].sort(([, a], [, b]) => sum(b) - sum(a)) as [
    [string, number[]],
    [string],
  ]
  using spans = await openSpans([page], true, sum(lengths) - 1)
  expect([spans.evidenceOf(large), spans.evidenceOf(small)]).toEqual([null, expect.objectContaining({ path: small })])
  const losses = newLosses()
  spans.recordOthers(new Set([large, small]), losses)
  expect(losses.all().filter(({ path }) => path === '(spans)')).toEqual([
    expect.objectContaining({
      ...{ kind: 'left_out', count: lengths.length, bytes: sum(lengths) },
      note: 'a span of a trace that is too large',
    }),
  ])
})
