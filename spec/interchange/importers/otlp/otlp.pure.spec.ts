import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_LOSSES } from '../../../../interchange/document/losses.ts'
import { otlpItems, otlpKind } from '../../../../interchange/read/otlp-protobuf.ts'
import { digestOf } from '../../../support/documents/parts.ts'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  importFiles,
  importFolder,
  lossesOf,
  type Imported,
} from '../../../support/interchange/import-files.ts'
import {
  evidenceOf,
  keepingIn,
  outlineTotals,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves, type Leaf } from '../../../support/interchange/leaves.ts'
import { attribute, logs, span, traces, TRACE } from '../../../support/interchange/otlp-spans.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-otlp-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const sample = (name: string) => join(SAMPLES, 'otlp', name)
const importSample = async (name: string): Promise<Imported> => (await importFile(sample(name), keepingIn(folder)))[0]!
/** The events of the transcripts of a run, without the lines that name its file. */
const eventsOf = (result: Imported) => transcriptsOf(evidenceOf(result)).map((lines) => lines.slice(1))

const importSpans = async (...spans: object[]) =>
  (await importBytes('t.json', JSON.stringify(traces(...spans)), keepingIn(folder)))[0]!

/** The leaves of spans and records as they are meant: times, whole numbers, and JSON in texts. */
const meantLeaves = (value: unknown): Leaf[] => leavesOf(value).map(meant)
const meant = ({ path, value }: Leaf): Leaf => {
  if (path.endsWith('UnixNano')) {
    const nanos = String(value)
    const seconds = new Date(Number(nanos.slice(0, -9)) * 1000).toISOString().slice(0, 19)
    // The transcript leaves out zeros at the end.
    return { path, value: `${seconds}.${nanos.slice(-9)}`.replace(/\.?0{0,9}$/, '') }
  }
  return path.endsWith('intValue') ? { path, value: Number(value) } : { path, value }
}
/** What a transcript says in words of its own. */
const isRenamed = ({ path }: Leaf): boolean =>
  // The end of a span is its start and its duration, and the status of an error is the error itself.
  path.endsWith('endTimeUnixNano') ||
  path.endsWith('status.code') ||
  // The names of attributes are checked by themselves: they have dots, as paths have.
  path.endsWith('.key')
const MESSAGES = /"parts":/
/** The names of attributes that are members of a line under another name. */
const hasPlace = (name: string): boolean => /^(?:gen_ai\.|exception\.)|^(?:parts|function)$/.test(name)

const decodeOtlp = (bytes: Buffer, kind: 'resourceSpans' | 'resourceLogs') => ({
  [kind]: [...otlpItems(bytes, kind, NO_LOSSES)],
})

describe('the importer of OTLP', () => {
  it.each(['traces.json', 'traces.jsonl', 'traces.pb'])(
    'has the same run and the same transcripts of each encoding: %s',
    async (name) => {
      const [first, other] = [await importSample('traces.json'), await importSample(name)]
      expect(countsOf([other])).toEqual(['0 / 1 / 0 / 1'])
      expect(other.run_id).toBe(first.run_id)
      expect(other.document!.cases).toEqual(first.document!.cases)
      expect(eventsOf(other)).toEqual(eventsOf(first))
    },
  )

  it.each(['traces.json', 'with-logs/traces.pb'])(
    'has each leaf of a span in a line, in a part, in the document or among the losses: %s',
    async (name) => {
      const result = await importSample(name)
      const bytes = readFileSync(sample(name))
      const records =
        name === 'traces.json' ? [] : [decodeOtlp(readFileSync(sample('with-logs/logs.pb')), 'resourceLogs')]
      const source = name.endsWith('.pb')
        ? decodeOtlp(bytes, 'resourceSpans')
        : (JSON.parse(bytes.toString()) as unknown)
      const found = [source, ...records].flatMap(meantLeaves).filter((leaf) => !isRenamed(leaf))
      const kept = [
        JSON.parse(Buffer.from(result.document!.bytes).toString()) as unknown,
        ...partValues(evidenceOf(result)),
      ]
      const names = [source, ...records].flatMap((value) => leavesOf(value)).filter(({ path }) => path.endsWith('.key'))
      const text = JSON.stringify(kept)
      expect(names.filter(({ value }) => !hasPlace(String(value)) && !text.includes(JSON.stringify(value)))).toEqual([])
      const plain = found.filter(({ value }) => !MESSAGES.test(String(value)) && !String(value).startsWith('[{"role"'))
      const messages = found
        .filter(({ value }) => String(value).startsWith('[{'))
        .flatMap(({ value }) => leavesOf(JSON.parse(String(value))))
        .filter(({ path }) => !path.endsWith('type'))
        .map(({ path, value }) => ({ path, value: partOf(value) }))
      expect(
        missingLeaves(
          [...plain, ...messages],
          [result.document!.bytes],
          lossesOf([result]),
          partValues(evidenceOf(result)),
        ).filter(
          // The type of a part is the form of its item.
          ({ value }) => !['text', 'tool_call', 'tool_call_response', 'function'].includes(String(value)),
        ),
      ).toEqual([])
    },
  )

  it('has the totals of the source in the outline', async () => {
    const [lines] = transcriptsOf(evidenceOf(await importSample('traces.json')))
    expect(outlineTotals(lines!)).toMatchObject({
      types: { model: 2, tool: 1, span: 2, span_end: 2, score: 2, error: 1, other: 1, log: 1, message: 5 },
      input_tokens: 230,
      output_tokens: 31,
      cost_usd: 0.0042,
      missing_parents: 0,
    })
  })

  it('has each message once, and pictures as parts', async () => {
    const [lines] = eventsOf(await importSample('traces.json'))
    const models = lines!.filter(({ type }) => type === 'model')
    expect(models).toMatchObject([
      { model: 'large-2-0302', input: [[0, 1]], output: [[2, 2]], usage: { input_tokens: 50, cache_read_tokens: 40 } },
      { model: 'large-2', input: [[0, 3]], output: [[4, 4]], stop_reason: 'stop' },
    ])
    expect(lines!.find(({ role }) => role === 'user')).toMatchObject({
      content: [
        { type: 'text' },
        { type: 'image', part: expect.any(String) as string },
        { type: 'data' },
        { type: 'data' },
      ],
    })
    expect(lines!.find(({ type }) => type === 'tool')).toMatchObject({
      call: 'call_1',
      name: 'look_up',
      arguments: { country: 'Peru' },
      error: { message: 'quota at 90 percent' },
    })
  })

  it('puts what happened after the first span of an agent behind the spans', async () => {
    const [lines] = eventsOf(await importSample('traces.json'))
    expect(lines!.slice(-3).map(({ type, name }) => [type, name])).toEqual([
      ['score', 'Correctness'],
      ['score', 'Style'],
      ['span_end', undefined],
    ])
  })

  it('records addresses, and fetches none', async () =>
    expect(lossesOf([await importSample('traces.json')])).toContainEqual(
      expect.objectContaining({
        path: 'gen_ai.input.messages.*.parts.*.uri',
        note: 'an address, which is not fetched',
      }),
    ))

  it('reads a trace as a case: its test, its answer, and evaluations as assertions', async () => {
    const { document } = await importSample('traces.json')
    expect(document!.run).toMatchObject({ suite: 'capitals-agent', started_at: '2026-03-02T09:00:00Z' })
    expect(document!.cases).toMatchObject([
      {
        cell: { test_id: 'map-of-peru', provider_id: 'atlas (large-2)' },
        output: 'It is Lima.',
        latency_ms: 9000,
        asserts: [
          { status: 'pass', score: 0.92, criteria: { name: 'Correctness' }, reason: 'Lima is right.' },
          { status: 'fail', score: 0.25, criteria: { name: 'Style' } },
        ],
      },
      { status: 'skip', output: 'Oslo.', vars: { input: 'What is the capital of Norway?' } },
    ])
  })

  it('finds messages in the event with the details and in the older events, as log records of the same folder', async () => {
    const [result] = await importFolder(sample('with-logs'), keepingIn(folder))
    expect(countsOf([result!])).toEqual(['0 / 1 / 0 / 0'])
    const [lines] = eventsOf(result!)
    expect(lines!.filter(({ type }) => type === 'message')).toMatchObject([
      { role: 'user', content: 'What is the capital of Chad?' },
      { role: 'assistant', tool_calls: [{ id: 'call_9', name: 'look_up', arguments: { country: 'Chad' } }] },
      { role: 'tool', call: 'call_9', content: "N'Djamena" },
      { role: 'assistant', content: "It is N'Djamena." },
    ])
    expect(result!.document!.cases[0]).toMatchObject({ output: "It is N'Djamena.", status: 'fail' })
  })

  it('finds log records in the lines of the same file', async () => {
    const log = {
      traceId: TRACE,
      spanId: '1'.padStart(16, '0'),
      eventName: 'gen_ai.evaluation.result',
      attributes: [attribute('gen_ai.evaluation.name', 'Right'), attribute('gen_ai.evaluation.score.label', 'pass')],
    }
    const lines = [traces(span('1')), logs(log)]
    expect(countsOf(await importBytes('t.jsonl', lines.map((line) => JSON.stringify(line)).join('\n')))).toEqual([
      '1 / 0 / 0 / 0',
    ])
  })

  it('is one run whatever the order and the names of its files', async () => {
    const spans = [span('1', { traceId: 'a'.repeat(32) }), span('2', { traceId: 'b'.repeat(32) })]
    const [one] = await importBytes('x.json', JSON.stringify(traces(...spans)))
    const [other] = await importBytes('y.json', JSON.stringify(traces(...spans.toReversed())))
    expect(other!.run_id).toBe(one!.run_id)
  })

  it('gives the same parts for the same bytes', async () => {
    const runs = [await importSample('traces.pb'), await importSample('traces.pb')]
    const [first, second] = runs.map((result) => evidenceOf(result).manifest)
    expect(second).toBe(first)
  })

  it('loses nothing silently without evidence', async () => {
    const [result] = await importFile(sample('traces.json'))
    const leaves = leavesOf(JSON.parse(readFileSync(sample('traces.json'), 'utf8'))).filter((leaf) => !isRenamed(leaf))
    expect(missingLeaves(leaves, [result!.document!.bytes], lossesOf([result!]))).toEqual([])
  })

  it('reads ids in base64, as libraries of protobuf write them', async () => {
    const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')
    const one = span('1', { traceId: base64(TRACE), spanId: base64('00f067aa0ba902b7') })
    const [lines] = eventsOf(await importSpans(one))
    expect(lines).toMatchObject([{ id: '00f067aa0ba902b7' }])
  })

  it('reports a failed root as an error, and refuses a file without spans', async () => {
    const failed = span('1', { status: { code: 2, message: 'no quota' } })
    const result = await importSpans(failed)
    expect(countsOf([result])).toEqual(['0 / 0 / 1 / 0'])
    expect(result.document!.cases[0]).toMatchObject({ error: 'no quota' })
    expect(countsOf(await importBytes('t.json', '{"resourceSpans": []}'))).toEqual(['refused: holds no spans'])
  })

  it('shows spans that are their own parents, that have none in the file, and that are nested deep', async () => {
    const id = (n: number) => n.toString(16).padStart(16, '0')
    const chain = Array.from({ length: 3000 }, (_, n) => span('1', { spanId: id(n + 10), parentSpanId: id(n + 9) }))
    const [lines] = eventsOf(
      await importSpans(
        span('1', { parentSpanId: id(2) }),
        span('2', { parentSpanId: id(1) }),
        span('3', { parentSpanId: id(3) }),
        ...chain,
      ),
    )
    const shown = new Set(lines!.filter(({ type }) => type !== 'span_end').map((line) => line['id']))
    expect(shown.size).toBe(3 + chain.length)
    expect(outlineTotals(lines!).missing_parents).toBe(0)
  })
})

describe('a message of protobuf', () => {
  const bytes = readFileSync(sample('traces.pb'))

  it('is the JSON of the same traces', () =>
    expect(decodeOtlp(bytes, 'resourceSpans')).toEqual(
      withoutDefaults(JSON.parse(readFileSync(sample('traces.json'), 'utf8'))),
    ))

  it('is refused if it is cut off, and never an exception', async () => {
    for (let length = 1; length < bytes.length; length += 97)
      for (const text of countsOf(await importBytes('t.pb', bytes.subarray(0, length))))
        expect(text).toMatch(/^refused: /)
  })

  it('is two messages, one after the other, as one', () =>
    expect([...otlpItems(Buffer.concat([bytes, bytes]), 'resourceSpans', NO_LOSSES)].length).toBe(2))

  it.each([
    ['a span', '0a10', 'resourceSpans'],
    ['a time', '09', 'resourceLogs'],
    ['a severity', '1009', 'resourceLogs'],
    ['the name of a severity', '1a04', 'resourceLogs'],
    ['a body', '2a04', 'resourceLogs'],
    ['attributes', '3204', 'resourceLogs'],
    ['the id of a trace', '4a10', 'resourceLogs'],
    ['anything else', '7a04', null],
  ])('is recognised by the first field of its first item: %s', (_, start, kind) =>
    expect(otlpKind(Buffer.from(`0a20121e121c${start}`, 'hex'))).toBe(kind),
  )

  it('is refused if it holds very many values in few bytes', () => {
    const field = (number: number, content: Buffer) => {
      const [tag, length] = [(number << 3) | 2, content.length]
      return Buffer.concat([
        Buffer.from([tag, ...[0, 7, 14].map((bits) => ((length >> bits) & 127) | 128), length >> 21]),
        content,
      ])
    }
    const spans = Buffer.from('1200'.repeat(1_000_001), 'hex')
    expect(() => [...otlpItems(field(1, field(2, spans)), 'resourceSpans', NO_LOSSES)]).toThrow(
      'more than 1000000 values',
    )
    const some = field(1, field(2, spans.subarray(0, 1_200_000)))
    expect([...otlpItems(Buffer.concat([some, some]), 'resourceSpans', NO_LOSSES)]).toHaveLength(2)
  })

  it('has numbers that are none as words', () => {
    const value = Buffer.from('0a00' + '1209' + '21' + '000000000000f87f', 'hex')
    const attribute = Buffer.concat([Buffer.from([0x0a, value.length]), value])
    const bytes = Buffer.concat([Buffer.from([0x0a, attribute.length + 2, 0x0a, attribute.length]), attribute])
    expect(JSON.stringify([...otlpItems(bytes, 'resourceSpans', NO_LOSSES)])).toContain('{"doubleValue":"NaN"}')
  })

  it('is imported over HTTP as well, with log records apart', async () => {
    const results = await importFiles({
      'traces.pb': readFileSync(sample('with-logs/traces.pb')),
      'logs.pb': readFileSync(sample('with-logs/logs.pb')),
    })
    expect(countsOf(results)).toEqual(['0 / 1 / 0 / 0'])
  })
})

/** Protobuf does not write values that are the default of their field. */
const withoutDefaults = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutDefaults(member)]))
}

/** Base64 as the part that it became. */
const partOf = <T>(value: T): T | string =>
  typeof value === 'string' && /^iVBOR/.test(value) ? `part:${digestOf(Buffer.from(value, 'base64'))}` : value
