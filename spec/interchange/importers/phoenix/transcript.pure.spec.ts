import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
const runs = readFileSync(join(sample, 'runs.json'), 'utf8')

/** Imports the download with these spans. */
const importSpans = async (spans: readonly object[], options: object = keepingIn(folder), others: object = {}) =>
  (await importFiles({ 'runs.json': runs, 'spans.json': JSON.stringify({ data: spans }), ...others }, options))[0]!

/** What the losses say of spans. */
const lostSpans = (result: Awaited<ReturnType<typeof importSpans>>) =>
  lossesOf([result])
    .filter(({ path }) => path === '(spans)')
    .map(({ kind, count, note }) => [kind, count, note])

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
  const leaves = SPANS.flatMap((span) => leavesOf(span))
    // The parameters of a call are JSON in a text.
    .flatMap((leaf) => (leaf.path.endsWith('_parameters') ? leavesOf(JSON.parse(String(leaf.value))) : [leaf]))
    // What a span does is the type of its event, and a picture is a part.
    .filter(({ value }) => !['LLM', 'TOOL', 'AGENT', 'ERROR'].includes(String(value)))
    .filter(({ value }) => !String(value).startsWith('data:'))
  expect(missingLeaves(leaves, [], [], transcripts)).toEqual([])
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
])('a message %s is not lost', async (_, attributes) => {
  const { result } = await callWith(attributes)
  expect(missingLeaves(leavesOf(attributes), [], [], partValues(evidenceOf(result)))).toEqual([])
})
