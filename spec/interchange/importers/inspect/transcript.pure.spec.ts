import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '../../../support/documents/parts.ts'
import {
  bytesOf,
  entriesOf,
  evidenceOf,
  keepingIn,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { SAMPLES, importBytes, importFile, targetWith } from '../../../support/interchange/import-files.ts'
import { leavesInLog } from '../../../support/interchange/inspect-logs.ts'
import { makeZip } from '../../../support/interchange/make-zip.ts'
import { missingLeaves } from '../../../support/interchange/leaves.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-transcript-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const logs = join(SAMPLES, 'inspect')
const keeping = (hasOriginal: boolean, hasOthers = true) => keepingIn(folder, { hasOriginal, hasOthers })

type Line = Record<string, unknown>

const log = (sample: object) => ({
  version: 2,
  eval: { eval_id: 'E', task: 'geo', model: 'mock/model', created: '2026-01-01T00:00:00+00:00', solver: 'react' },
  stats: { completed_at: '2026-01-01T00:00:09+00:00' },
  samples: [{ id: 'a', epoch: 1, input: 'q', target: 't', scores: { match: { value: 'C' } }, ...sample }],
})
/** The lines of the only transcript of a sample, after the first. */
const transcriptOf = async (sample: object): Promise<Line[]> => {
  const [result] = await importBytes('log.json', JSON.stringify(log(sample)), keeping(false))
  return transcriptsOf(evidenceOf(result))[0]!.slice(1)
}
const at = '2026-01-01T00:00:01.123456+00:00'

it.each(readdirSync(logs))('what is in a log is in its document, in a part, or among the losses: %s', async (name) => {
  const path = join(logs, name)
  for (const result of await importFile(path, keeping(false))) {
    if (!('run' in result)) continue
    const { run } = result
    const parts = run.evidence === null ? [] : partValues(run.evidence)
    expect(run.losses.filter(({ path: at }) => /^samples\.\*\.(?:events|transcript|store|timelines)/.test(at))).toEqual(
      [],
    )
    const leaves = (await leavesInLog(path))
      .filter(({ path: at, value }) => at !== 'status' || value !== 'success')
      // The types of events have other names in a transcript, and ranges of messages other numbers.
      .filter(({ path: at }) => !/events\.\*\.(?:event|action|input_refs\.\*\.\*)$/.test(at))
      // An index of the chunks of events.
      .filter(({ path: at }) => !at.startsWith('samples.*.events.chunks.'))
      // Its text is in its place.
      .filter(({ value }) => typeof value !== 'string' || !/^(?:attachment|tc):\/\//.test(value))
      .map((leaf) => ({ ...leaf, value: partOf(leaf.value) }))
    expect(missingLeaves(leaves, [run.bytes], run.losses, parts)).toEqual([])
  }
})

/** A data URL as the part that it became. */
const partOf = <T>(value: T): T | string => {
  const data = typeof value === 'string' ? /^data:[\w/+.-]+;base64,(.*)$/s.exec(value)?.[1] : undefined
  return data === undefined ? value : `part:${digestOf(Buffer.from(data, 'base64'))}`
}

describe('the transcript of a sample', () => {
  it('begins with its source, and has the ids and times of the events', async () => {
    const [result] = await importBytes(
      'log.json',
      JSON.stringify(log({ events: [{ event: 'info', uuid: 'u', timestamp: at, source: 's', data: { a: 1 } }] })),
      keeping(false),
    )
    expect(transcriptsOf(evidenceOf(result))).toEqual([
      [
        {
          transcript: 1,
          source: { format: 'inspect', version: '2', path: 'samples[0]' },
          agent: { name: 'react', model: 'mock/model' },
        },
        { type: 'log', id: 'u', at, name: 's', content: [{ type: 'data', data: { a: 1 } }] },
      ],
    ])
  })

  it('has each message once, and calls of models name them by ranges', async () => {
    const [question, answer, thanks] = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a', tool_calls: [{ id: 'c', function: 'f', arguments: { x: 1 } }] },
      { role: 'tool', content: 'r', tool_call_id: 'c' },
    ]
    const choices = (message: object) => ({ model: 'm', choices: [{ message, stop_reason: 'stop' }], completion: 'a' })
    const last = { role: 'assistant', content: 'end' }
    const lines = await transcriptOf({
      events: [
        { event: 'model', uuid: '1', timestamp: at, model: 'm', input: [question], output: choices(answer) },
        {
          event: 'model',
          uuid: '2',
          timestamp: at,
          model: 'm',
          input: [question, answer, thanks],
          output: choices(last),
        },
      ],
    })
    expect(lines.map(({ type }) => type)).toEqual(['message', 'model', 'message', 'message', 'model', 'message'])
    expect(lines[1]).toMatchObject({ id: '1', input: [[0, 0]], output: [[1, 1]], stop_reason: 'stop' })
    expect(lines[2]).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'c', name: 'f', arguments: { x: 1 } }] })
    expect(lines[3]).toMatchObject({ role: 'tool', content: 'r', call: 'c' })
    expect(lines[4]).toMatchObject({
      id: '2',
      input: [[0, 2]],
      output: [[3, 3]],
      source: { output: { completion: 'a' } },
    })
  })

  it('reads messages from the pool of newer logs', async () => {
    const lines = await transcriptOf({
      attachments: { k: 'long' },
      events_data: {
        messages: [
          { role: 'system', content: 'attachment://k' },
          { role: 'user', content: 'q' },
        ],
        calls: [],
      },
      events: [
        {
          event: 'model',
          model: 'm',
          input: [],
          input_refs: [
            [0, 1],
            [1, 2],
          ],
          output: {},
        },
      ],
    })
    expect(lines).toMatchObject([
      { type: 'message', role: 'system', content: 'long' },
      { type: 'message', role: 'user', content: 'q' },
      { type: 'model', input: [[0, 1]] },
    ])
  })

  it('nests spans, steps of older logs, and the events of tools and subtasks', async () => {
    const inner = { event: 'info', uuid: 'i', data: 'x' }
    const lines = await transcriptOf({
      events: [
        { event: 'span_begin', uuid: 'b', id: 's', span_id: 's', name: 'agent', type: 'agent' },
        { event: 'tool', uuid: 't', span_id: 's', id: 'c', function: 'f', arguments: {}, result: 'r', events: [inner] },
        { event: 'span_end', uuid: 'e', id: 's', span_id: 's' },
        { event: 'step', action: 'begin', name: 'generate', type: 'solver' },
        { event: 'subtask', uuid: 'w', name: 'web', input: { a: 1 }, result: 'done', events: [] },
        { event: 'step', action: 'end', name: 'generate', type: 'solver' },
      ],
    })
    const tree = lines.map(({ type, id, parent, name, kind }) => [type, id, parent, name, kind])
    const [tool, step, task] = [lines[1]!['id'], lines[6]!['id'], lines[7]!['id']]
    expect(tree).toEqual([
      ['span', 's', undefined, 'agent', 'agent'],
      ['span', tool, 's', 'f', 'tool'],
      ['tool', 't', tool, 'f', undefined],
      ['log', 'i', tool, undefined, undefined],
      ['span_end', expect.anything(), tool, undefined, undefined],
      ['span_end', 'e', 's', undefined, undefined],
      ['span', step, undefined, 'generate', 'step'],
      ['span', task, step, 'web', 'step'],
      ['other', 'w', task, 'subtask', undefined],
      ['span_end', expect.anything(), task, undefined, undefined],
      ['span_end', expect.anything(), step, undefined, undefined],
    ])
  })

  it('has scores, limits, errors, approvals and unknown events', async () => {
    const lines = await transcriptOf({
      events: [
        { event: 'score', scorer: 'match', score: { value: 'C', explanation: 'why', answer: 'A' }, target: 'T' },
        { event: 'sample_limit', type: 'token', limit: 9, message: 'too many' },
        { event: 'error', error: { message: 'broke', traceback: 'at', traceback_ansi: 'colours' } },
        { event: 'approval', approver: 'human', decision: 'reject', explanation: 'no', call: { id: 'c' } },
        { event: 'input', input: 'yes', input_ansi: 'yes!' },
        { event: 'logger', message: { level: 'info', message: 'hello' } },
        { event: 'brand_new', something: [1] },
        'no event',
      ],
    })
    expect(lines).toMatchObject([
      { type: 'score', name: 'match', value: 'C', reason: 'why', source: { score: { answer: 'A' }, target: 'T' } },
      { type: 'limit', limit: { type: 'token', value: 9 }, source: { message: 'too many' } },
      { type: 'error', error: { message: 'broke', trace: 'at' }, source: { error: { traceback_ansi: 'colours' } } },
      { type: 'approval', name: 'human', reason: 'no', source: { decision: 'reject', call: { id: 'c' } } },
      { type: 'input', content: 'yes', source: { input_ansi: 'yes!' } },
      { type: 'log', content: 'hello', source: { message: { level: 'info' } } },
      { type: 'other', name: 'brand_new', source: { something: [1] } },
      { type: 'other', source: 'no event' },
    ])
  })

  it('has the messages of a sample that has no events', async () => {
    const messages = [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', reasoning: 'hm' },
          { type: 'text', text: 'a' },
        ],
      },
    ]
    expect(await transcriptOf({ messages })).toMatchObject([
      { type: 'message', role: 'user', content: 'q' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'reasoning', reasoning: 'hm' },
          { type: 'text', text: 'a' },
        ],
      },
    ])
  })

  it('moves pictures and long texts to parts', async () => {
    const long = 'x'.repeat(70_000)
    const picture = `data:image/png;base64,${Buffer.from('picture').toString('base64')}`
    const content = [
      { type: 'image', image: picture },
      { type: 'text', text: long },
    ]
    const [result] = await importBytes(
      'log.json',
      JSON.stringify(log({ messages: [{ role: 'user', content }] })),
      keeping(false),
    )
    const evidence = evidenceOf(result)
    const digest = (text: string) => digestOf(Buffer.from(text))
    expect(transcriptsOf(evidence)[0]![1]).toMatchObject({
      content: [
        { type: 'image', part: digest('picture') },
        { type: 'text', text: `part:${digest(long)}` },
      ],
    })
    expect(entriesOf(evidence).map(({ role, name, media_type }) => [role, name, media_type])).toEqual([
      ['input', 'sample a image', 'image/png'],
      ['input', 'sample a text', 'text/plain; charset=utf-8'],
      ['transcript', 'sample a', 'application/x-ndjson'],
    ])
  })

  it('is the same each time, with the file it was made from as the original', async () => {
    const path = join(logs, 'theory-of-mind.eval')
    const [first, second] = [await importFile(path, keeping(true)), await importFile(path, keeping(true))]
    const [one, two] = [evidenceOf(first[0]), evidenceOf(second[0])]
    expect(one.manifest).toBe(two.manifest)
    expect(JSON.parse(Buffer.from((first[0] as { run: { bytes: Uint8Array } }).run.bytes).toString())).toMatchObject({
      evidence_manifest: one.manifest,
    })
    const original = entriesOf(one).filter(({ role }) => role === 'original')
    expect(original).toMatchObject([{ name: 'theory-of-mind.eval' }])
    expect(bytesOf(one, original[0]!.sha256)).toEqual(readFileSync(path))
    expect(entriesOf(one)[0]!.from).toEqual({ sha256: original[0]!.sha256, path: 'samples/5_epoch_1.json' })
    const kinds = new Set(
      (first[0] as { run: { losses: ReadonlyArray<{ kind: string }> } }).run.losses.map(({ kind }) => kind),
    )
    expect([...kinds].filter((kind) => kind === 'left_out' || kind === 'cut')).toEqual([])
    expect(kinds).toContain('original_only')
  })

  it('leaves other parts out if only transcripts are kept, and nothing behind for a run that is refused', async () => {
    const [result] = await importBytes(
      'log.json',
      JSON.stringify(log({ store: { a: 1 }, messages: [{ role: 'user', content: 'q' }] })),
      keeping(false, false),
    )
    expect(entriesOf(evidenceOf(result)).map(({ role }) => role)).toEqual(['transcript'])
    expect((result as { run: { losses: ReadonlyArray<{ path: string }> } }).run.losses).toContainEqual(
      expect.objectContaining({ kind: 'left_out', path: 'samples.*.store' }),
    )
    rmSync(evidenceOf(result).folder, { recursive: true })
    await importBytes('log.json', JSON.stringify(log({ scores: { match: { value: 7 } } })), {
      ...keeping(false),
      scorers: ['none'],
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('reads an event called toString or constructor like any other', async () => {
    const lines = await transcriptOf({
      events: [
        ...['toString', 'constructor', '__proto__', 'hasOwnProperty'].map((event) => ({ event, uuid: event })),
        { event: 'span_begin', id: 's', name: 'n', type: 'constructor' },
        { event: 'model', model: 'm', input: [{ role: 'constructor', content: 'q' }], output: {} },
      ],
    })
    expect(lines.slice(0, 4).map(({ type, name, id }) => [type, name, id])).toEqual([
      ['other', 'toString', 'toString'],
      ['other', 'constructor', 'constructor'],
      ['other', '__proto__', '__proto__'],
      ['other', 'hasOwnProperty', 'hasOwnProperty'],
    ])
    expect(lines[4]).toMatchObject({ kind: 'step', source: { type: 'constructor' } })
    expect(lines[5]).toMatchObject({ type: 'message', role: 'constructor', content: 'q' })
  })

  it('keeps what has an odd shape, and an id that is there twice', async () => {
    const lines = await transcriptOf({
      events: [
        { event: 'model', uuid: 1, model: 'm', input: 'text', input_refs: [[0, 9]], output: {} },
        { event: 'tool', uuid: 'u', id: 'c', function: 'f', events: 'none' },
        { event: 'tool', uuid: 'u', id: 'c', function: 'f', events: ['text'] },
        { event: 'step', action: 'pause', name: 'x' },
      ],
    })
    expect(lines[0]).toMatchObject({ source: { uuid: 1, input: 'text', input_refs: [[0, 9]] } })
    expect(lines[1]).toMatchObject({ id: 'u', source: { events: 'none' } })
    expect(lines[3]).toMatchObject({ type: 'tool', source: { uuid: 'u' } })
    expect(lines[4]).toMatchObject({ type: 'other', source: 'text', parent: lines[2]!['id'] })
    expect(lines[6]).toMatchObject({ type: 'other', name: 'step', source: { action: 'pause' } })
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
  })

  it('keeps integers that no double holds', async () => {
    const calls = '[{"id":"c","function":"f","arguments":{"id":1234567890123456789}}]'
    const text = JSON.stringify(log({ messages: [{ role: 'assistant', content: 'a', tool_calls: 'CALLS' }] }))
    const [result] = await importBytes('log.json', text.replace('"CALLS"', calls), keeping(false))
    const evidence = evidenceOf(result)
    const transcript = entriesOf(evidence).find(({ role }) => role === 'transcript')!
    expect(bytesOf(evidence, transcript.sha256).toString()).toContain('"arguments":{"id":1234567890123456789}')
  })

  it('stays small if a text is referred to very often, and numbers messages that are too long for a line', async () => {
    const short = 'y'.repeat(60_000)
    const [result] = await importBytes(
      'log.json',
      JSON.stringify(
        log({
          attachments: { a: 'x'.repeat(60_000) },
          events: [
            { event: 'info', data: Array.from({ length: 9_000 }, () => 'attachment://a') },
            {
              event: 'model',
              model: 'm',
              input: [
                { role: 'user', content: Array.from({ length: 300 }, () => ({ type: 'text', text: short })) },
                { role: 'user', content: 'second' },
              ],
              output: {},
            },
          ],
        }),
      ),
      keeping(false),
    )
    const evidence = evidenceOf(result)
    const lines = transcriptsOf(evidence)[0]!
    expect(JSON.stringify(lines[1]).length).toBeLessThan(6_000_000)
    const messages = lines.filter(({ type }) => type === 'message')
    expect(messages.map(({ content }) => String(content).slice(0, 6))).toEqual([
      'part:' + String(messages[0]!['content']).slice(5, 6),
      'second',
    ])
    const content = bytesOf(evidence, String(messages[0]!['content']).slice(5)).toString()
    expect((JSON.parse(content) as unknown[]).length).toBe(300)
    expect(lines.at(-1)).toMatchObject({ type: 'model', input: [[0, 1]] })
  })

  it.each([
    'data:image/png;name=x;base64,QUJD',
    'data:image/png;base64,QUJD=QUJD',
    `data:image/png${';a=b'.repeat(50_000)};base64,!`,
    `data:image/${'x'.repeat(300)};base64,QUJD`,
  ])('leaves a data URL that would not be the same again as text', async (text) => {
    const [line] = await transcriptOf({ messages: [{ role: 'user', content: [{ type: 'image', image: text }] }] })
    // A long one is a part as a text.
    const [item] = line!['content'] as [{ data?: { image: string }; part?: string }]
    expect(item.data?.image ?? item.part).toBe(text.length > 1_000 ? digestOf(Buffer.from(text)) : text)
  })

  it('asks and converts nothing again where a source can give no evidence', async () => {
    const file = join(SAMPLES, 'ctrf', 'minimal.json')
    const first = await importFile(file, keeping(false))
    let asked = 0
    const target = {
      ...targetWith(first),
      hasEvidence: async () => {
        asked++
        return false
      },
    }
    expect((await importFile(file, { ...keeping(false), target })).map(({ outcome }) => outcome)).toEqual([
      'already_there',
    ])
    expect(asked).toBe(0)
    expect((await importFile(file, { ...keeping(true), target })).map(({ outcome }) => outcome)).toEqual([
      'evidence_added',
    ])
  })

  it('is left out if it cannot be read, and its case is kept', async () => {
    const zip = makeZip([
      { name: 'header.json', content: JSON.stringify({ ...log({}), samples: undefined }) },
      {
        name: 'samples/a_epoch_1/sample.json',
        content: JSON.stringify({ id: 'a', epoch: 1, input: 'q', target: 't', scores: { match: { value: 'C' } } }),
      },
      { name: 'samples/a_epoch_1/events/0.json', content: '[{' },
    ])
    const [result] = await importBytes('log.eval', zip, keeping(false))
    expect(result).toMatchObject({ outcome: 'converted' })
    expect((result as { run: { losses: unknown } }).run.losses).toContainEqual(
      expect.objectContaining({
        kind: 'left_out',
        path: 'samples.*',
        note: expect.stringContaining('cannot be read') as string,
      }),
    )
  })
})
