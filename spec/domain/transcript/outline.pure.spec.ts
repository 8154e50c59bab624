import { describe, expect, it } from 'vitest'
import { MAX_BINS } from '../../../domain/transcript/bins.ts'
import { MAX_LINE_BYTES } from '../../../domain/transcript/event.ts'
import {
  EMPTY_OUTLINE,
  entriesOfRows,
  MAX_SPANS,
  outliner,
  rowsOfEntries,
  spansWithin,
  spanTotals,
  type OutlineBlock,
  type OutlineState,
} from '../../../domain/transcript/outline.ts'

const chunksOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const outlineOf = (chunks: Iterable<Buffer>) => {
  const blocks: OutlineBlock[] = []
  const builder = outliner(EMPTY_OUTLINE, (block) => blocks.push(block))
  for (const chunk of chunks) builder.push(chunk)
  builder.end()
  const state = builder.state()
  return { blocks, state, entries: [...blocks.flatMap((block) => block.entries), ...state.tail.entries] }
}
/** A value as it is after it was stored as JSON. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const HEAD = { transcript: 1, source: { format: 'spec', version: '1' }, agent: { name: 'solver' } }
const textOf = (events: readonly unknown[]): string =>
  [HEAD, ...events].map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('')
const read = (...events: readonly unknown[]) => outlineOf([Buffer.from(textOf(events))])

describe('the outline of a transcript', () => {
  it('has the facts of each event', () => {
    const { state, entries } = read(
      { type: 'span', id: 'a', name: 'main', kind: 'agent', at: '2026-11-27T14:02:00Z' },
      { type: 'message', parent: 'a', role: 'user', content: 'Find\n  the leap.' },
      {
        type: 'model',
        parent: 'a',
        model: 'large',
        at: '2026-11-27T14:02:01.5Z',
        ms: 500,
        usage: { input_tokens: 10, output_tokens: 3, cache_read_tokens: 5 },
        cost_usd: 0.25,
        output: [{ type: 'reasoning', reasoning: 'Hm.' }],
      },
      { type: 'tool', parent: 'a', name: 'bash', arguments: { command: 'npm test' }, error: { message: 'exit 1' } },
      { type: 'tool', parent: 'a', name: 'look', arguments: {}, result: [{ type: 'image', part: 'x', name: 's.png' }] },
      { type: 'limit', parent: 'a', limit: { type: 'tokens', value: 500 } },
      { type: 'span_end', parent: 'a', at: '2026-11-27T14:02:09Z' },
      { type: 'score', name: 'match', value: 'C', reason: 'right' },
    )
    expect(state.header).toEqual({ source: { format: 'spec', version: '1' }, agent: { name: 'solver' } })
    expect(entries.map(({ type, name, label, span, message }) => [type, name, label, span, message])).toEqual([
      ['span', 'main', '', 0, null],
      ['message', 'user', 'Find the leap.', 1, 0],
      ['model', 'large', 'Hm.', 1, null],
      ['tool', 'bash', 'npm test', 1, null],
      ['tool', 'look', '{}', 1, null],
      ['limit', null, 'tokens 500', 1, null],
      ['span_end', null, '', 1, null],
      ['score', 'match', 'C right', 0, null],
    ])
    expect(entries.map(({ isError, hasMedia }) => [isError, hasMedia])[3]).toEqual([true, false])
    expect(entries.map(({ isError, hasMedia }) => [isError, hasMedia])[4]).toEqual([false, true])
    expect(state.totals).toEqual({
      events: 8,
      messages: 1,
      types: { span: 1, message: 1, model: 1, tool: 2, limit: 1, span_end: 1, score: 1 },
      errors: 1,
      skipped: 0,
      missing_parents: 0,
      more_spans: 0,
      input_tokens: 15,
      output_tokens: 3,
      cost_usd: 0.25,
      first_at: Date.parse('2026-11-27T14:02:00Z'),
      last_at: Date.parse('2026-11-27T14:02:09Z'),
    })
    expect(spanTotals(state.spans)).toMatchObject([{ n: 1, name: 'main', ms: 9000, events: 6, errors: 1, limits: 1 }])
    expect(entriesOfRows(stored(rowsOfEntries(entries)))).toEqual(entries)
  })

  it('gives what does the same the same signature, whatever it says and when', () => {
    const call = {
      type: 'tool',
      name: 'bash',
      arguments: { command: 'ls', limit: 1 },
      result: 'a',
      at: '2026-01-01T00:00:00Z',
    }
    const signatures = read(
      call,
      { ...call, arguments: { limit: 1, command: 'ls' }, result: 'b', at: undefined },
      { ...call, arguments: { command: 'ls', limit: 2 } },
      { ...call, name: 'sh' },
    ).entries.map(({ signature }) => signature)
    expect(signatures[1]).toBe(signatures[0])
    expect(new Set(signatures).size).toBe(3)
  })

  it.each([1, 2, 7, 64, 100_000])('is the same in chunks of %i bytes, and in steps of them', (size) => {
    const events = Array.from({ length: 2500 }, (_, i) => ({
      type: i % 3 === 0 ? 'message' : 'tool',
      role: 'user',
      name: 'é',
      content: `text ${i}`,
      at: new Date(1_700_000_000_000 + i * 1000).toISOString(),
    }))
    const some = size <= 64 ? events.slice(0, 40) : events
    const bytes = Buffer.from(textOf(some))
    const whole = outlineOf([bytes])
    expect(outlineOf(chunksOf(bytes, size))).toEqual(whole)
    // Each step begins where the last one left a line, with a state that was stored as JSON.
    const blocks: OutlineBlock[] = []
    const step = Math.max(size, 200)
    let state: OutlineState = EMPTY_OUTLINE
    for (let to = step; ; to += step) {
      const builder = outliner(stored(state), (block) => blocks.push(block))
      builder.push(bytes.subarray(state.line.offset, Math.min(to, bytes.length)))
      if (to >= bytes.length) builder.end()
      state = builder.state()
      if (to >= bytes.length) break
    }
    expect({ blocks, state: stored(state) }).toEqual({
      blocks: whole.blocks,
      state: stored(whole.state),
    })
    expect(whole.blocks.length).toBe(Math.floor(some.length / 1000))
  })

  it('lists lines that are no events, and ends without an end of line', () => {
    const text =
      '\ufeff{"transcript":1,"source":{}}\r\n{"type":"log","content":"a"}\r\n\r\n   \nnot JSON\n[1]\n{"type":"new"}\n"\\ud800"\n{"type":"log"}'
    const { state, entries } = outlineOf([Buffer.from(text)])
    expect(entries.map(({ type, label }) => [type, label])).toEqual([
      ['log', 'a'],
      ['text', 'not JSON'],
      ['text', '[1]'],
      ['text', '{"type":"new"}'],
      ['text', '"\\ud800"'],
      ['log', ''],
    ])
    expect(state.totals).toMatchObject({ events: 6, types: { log: 2, text: 4 } })
    const bytes = Buffer.from(text)
    expect(entries.map(({ offset, bytes: length }) => bytes.subarray(offset, offset + length).toString())).toEqual([
      '{"type":"log","content":"a"}\r',
      'not JSON',
      '[1]',
      '{"type":"new"}',
      '"\\ud800"',
      '{"type":"log"}',
    ])
  })

  it('needs no first line, and is empty for no bytes', () => {
    expect(outlineOf([Buffer.from('{"type":"log"}\n')]).state).toMatchObject({ header: null, totals: { events: 1 } })
    expect(outlineOf([]).state).toEqual(EMPTY_OUTLINE)
  })

  it('takes any value for any member', () => {
    const odd = [null, 1, -1, '', 'x', [], {}, [null], [[1]], { type: 1 }, true]
    const members = [
      'id',
      'parent',
      'at',
      'ms',
      'name',
      'kind',
      'role',
      'content',
      'tool_calls',
      'arguments',
      'result',
      'usage',
      'cost_usd',
      'value',
      'limit',
      'error',
      'output',
    ]
    const events = members.flatMap((member) =>
      odd.flatMap((value) =>
        ['message', 'tool', 'span', 'span_end', 'score', 'limit', 'model'].map((type) => ({ type, [member]: value })),
      ),
    )
    expect(read(...events).state.totals.events).toBe(events.length)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(
      read(`{"type":"tool","arguments":${deep}}`, `{"type":"tool","name":"a","arguments":${deep}}`).entries,
    ).toMatchObject([
      { type: 'tool', label: '' },
      { type: 'tool', name: 'a', label: '' },
    ])
  })

  it('puts what is in a loop of parents, in itself or in an unknown span at the root', () => {
    const { state } = read(
      { type: 'span', id: 'a', parent: 'b', name: 'a' },
      { type: 'span', id: 'b', parent: 'a', name: 'b' },
      { type: 'span', id: 'c', parent: 'c', name: 'c' },
      { type: 'span', id: 'b', parent: 'b', name: 'second b' },
      { type: 'log', parent: 'gone' },
      { type: 'log', parent: 'b' },
    )
    expect(spanTotals(state.spans).map(({ n, parent, depth, events }) => [n, parent, depth, events])).toEqual([
      [1, 0, 0, 3],
      [2, 1, 1, 2],
      [3, 0, 0, 0],
      [4, 2, 2, 0],
    ])
    expect(state.totals.missing_parents).toBe(3)
    expect([...spansWithin(state.spans, 2)]).toEqual([2, 4])
  })

  it('keeps a tree of five thousand spans, and the events of a million', () => {
    function* lines() {
      for (let from = 0; from < 1_000_000; from += 10_000)
        yield Buffer.from(
          Array.from(
            { length: 10_000 },
            (_, i) => `{"type":"span","id":"${from + i}","parent":"${from + i - 1}"}\n`,
          ).join(''),
        )
    }
    let events = 0
    const builder = outliner(EMPTY_OUTLINE, ({ entries }) => (events += entries.length))
    for (const chunk of lines()) builder.push(chunk)
    const { totals, spans } = builder.state()
    expect([events, totals.events, totals.more_spans]).toEqual([1_000_000, 1_000_000, 1_000_000 - MAX_SPANS])
    expect(spanTotals(spans).at(-1)).toMatchObject({ n: MAX_SPANS, depth: MAX_SPANS - 1 })
    expect(spansWithin(spans, 1).size).toBe(MAX_SPANS)
  })

  it('skips a line that is too long, with a note, also over several steps', () => {
    const long = MAX_LINE_BYTES + 1
    const first = Buffer.from('{"type":"log"}\n')
    const bytes = Buffer.concat([first, Buffer.alloc(long, 0x20), Buffer.from('\n{"type":"log"}\n')])
    const { entries, state } = outlineOf([bytes])
    expect(entries.map(({ type, offset, bytes: length, isSkipped }) => [type, offset, length, isSkipped])).toEqual([
      ['log', 0, 14, false],
      ['text', 15, long, true],
      ['log', 15 + long + 1, 14, false],
    ])
    expect(state.totals.skipped).toBe(1)
    expect(outlineOf(chunksOf(bytes, 1024 * 1024)).entries).toEqual(entries)
    const half = outliner(EMPTY_OUTLINE, () => {})
    half.push(bytes.subarray(0, bytes.length - 100))
    const { line } = half.state()
    expect(line).toEqual({ offset: 15, skippedFrom: null })
  })

  it('goes on within a line that it skips', () => {
    const begun = outliner(EMPTY_OUTLINE, () => {})
    for (let i = 0; i < 17; i++) begun.push(Buffer.alloc(1024 * 1024, 0x20))
    const state = begun.state()
    expect(state.line).toEqual({ offset: 17 * 1024 * 1024, skippedFrom: 0 })
    const rest = outliner(state, () => {})
    rest.push(Buffer.from('  \n{"type":"log"}'))
    rest.end()
    expect(rest.state().tail.entries).toMatchObject([
      { isSkipped: true, offset: 0, bytes: 17 * 1024 * 1024 + 2 },
      { type: 'log', offset: 17 * 1024 * 1024 + 3 },
    ])
  })

  it('counts in at most a thousand bins, also when times go back and lie far apart', () => {
    const at = (time: string) => ({ type: 'log', at: time })
    const { state } = read(
      at('2026-01-01T00:00:10Z'),
      at('2026-01-01T00:00:00Z'),
      at('1970-01-01T00:00:00Z'),
      at('9999-12-31T23:59:59.999999999Z'),
      at('0001-01-01T00:00:00Z'),
      at('2026-13-01T00:00:00Z'),
      { type: 'log' },
    )
    const bins = state.bins?.lanes.flatMap((lane) => lane.bins) ?? []
    expect(bins.reduce((sum, [, events]) => sum + events, 0)).toBe(7)
    expect(bins.at(-1)![0] - bins[0]![0]).toBeLessThan(MAX_BINS)
    expect(state.totals).toMatchObject({ first_at: Date.parse('0001-01-01T00:00:00Z') })
  })

  it('has a lane for each agent', () => {
    const agents = Array.from({ length: 20 }, (_, i) => [
      { type: 'span', id: `${i}`, kind: 'agent', at: '2026-01-01T00:00:00Z' },
      { type: 'span', id: `step ${i}`, parent: `${i}`, kind: 'step' },
      { type: 'log', parent: `step ${i}`, error: 'no' },
    ]).flat()
    const lanes = read(...agents).state.bins?.lanes ?? []
    expect(lanes.map(({ lane }) => lane)).toEqual([0, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31])
    expect(lanes[1]?.bins).toEqual([[expect.any(Number), 2, 1, 2]])
  })
})
