import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runImportJob, type FileResult } from '../../../../interchange/convert/import-job.ts'
import { fileInMemory, folderOf, newImportScope, type SourceFile } from '../../../../interchange/read/source-file.ts'
import {
  countsOf,
  importBytes,
  importFiles,
  importFolder,
  lossesOf,
} from '../../../support/interchange/import-files.ts'
import {
  entriesOf,
  evidenceOf,
  keepingIn,
  partValues,
  transcriptsOf,
} from '../../../support/interchange/kept-evidence.ts'
import { attributes, evaluation, logs, span, traces, TRACE } from '../../../support/interchange/otlp-spans.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-otlp-files-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const OTHER = 'a'.repeat(32)
const json = (value: object) => JSON.stringify(value)
const child = (id: string, more: object = {}) => span(id, { parentSpanId: '1'.padStart(16, '0'), ...more })
const namesOf = (result: Parameters<typeof evidenceOf>[0]) =>
  transcriptsOf(evidenceOf(result)).map((lines) => lines.flatMap(({ type, name }) => (type === 'other' ? [name] : [])))
const graded = (traceId: string, name: string) => {
  const { name: eventName, ...more } = evaluation(name, { label: 'pass' })
  return { traceId, spanId: '1'.padStart(16, '0'), eventName, ...more }
}

/** Imports files in memory, each in a folder of its own. */
const importFolders = async (...files: readonly SourceFile[]): Promise<readonly FileResult[]> => {
  const scope = newImportScope()
  using _ = scope.temporary
  const results: FileResult[] = []
  await runImportJob(
    files.map((file) => ({ folder: folderOf(file.path, [file], scope), files: [file] })),
    { format: null, options: keepingIn(folder), verify: false, onChanged: 'report' },
    { known: async () => null, content: async () => null },
    async (result) => void results.push(result),
    new AbortController().signal,
  )
  return results
}

describe('a trace in several files', () => {
  it('is one case of one run, the one that a single file would be', async () => {
    const results = await importFiles(
      { 'a.json': json(traces(span('1'))), 'b.json': json(traces(child('2'))), 'c.jsonl': json(traces(child('3'))) },
      keepingIn(folder),
    )
    const [single] = await importBytes('a.json', json(traces(span('1'), child('2'), child('3'))), keepingIn(folder))
    expect(results).toHaveLength(1)
    expect(results[0]!.run_id).toBe(single!.run_id)
    expect(results[0]!.document!.cases).toEqual(single!.document!.cases)
    expect(transcriptsOf(evidenceOf(results[0]))).toEqual(transcriptsOf(evidenceOf(single)))
  })

  it('is one run too if the files are in several folders, with its log records', async () => {
    const results = await importFolders(
      fileInMemory('c/logs.json', Buffer.from(json(logs(graded(TRACE, 'Right'))))),
      fileInMemory('b/spans.json', Buffer.from(json(traces(child('2'))))),
      fileInMemory('a/spans.json', Buffer.from(json(traces(span('1'))))),
    )
    expect(results).toMatchObject([
      { kind: 'run', path: 'b/spans.json', result: { outcome: 'converted', run: { statuses: { pass: 1 } } } },
    ])
  })

  it('joins files that have only some of their traces in common, and no others', async () => {
    const results = await importFiles({
      'a.json': json(traces(span('1'))),
      'b.json': json(traces(child('2'), span('1', { traceId: OTHER }))),
      'c.json': json(traces(child('2', { traceId: OTHER }))),
      'd.json': json(traces(span('1', { traceId: 'd'.repeat(32) }))),
    })
    expect(results.map(({ document }) => document?.cases.length)).toEqual([2, 1])
    const [alone] = await importBytes('d.json', json(traces(span('1', { traceId: 'd'.repeat(32) }))))
    expect(results[1]!.run_id).toBe(alone!.run_id)
  })

  it('is whole if both files have the same traces, and neither is a changed run of the other', async () => {
    const results = await importFiles(
      { 'a.json': json(traces(span('1'), child('2'))), 'b.json': json(traces(span('1'), child('3'))) },
      keepingIn(folder),
    )
    expect(results).toHaveLength(1)
    expect(namesOf(results[0])).toEqual([['span 2', 'span 3']])
    expect(lossesOf(results).filter(({ kind }) => kind === 'left_out')).toEqual([])
  })

  it('leaves out a file that is damaged, which is refused by itself', async () =>
    expect(
      countsOf(
        await importFiles({ 'a.json': json(traces(span('1'))), 'b.json': json(traces(child('2'))).slice(0, -3) }),
      ),
    ).toEqual(['0 / 0 / 0 / 1', expect.stringMatching(/^refused: /)]))

  it('has log records in lines of the other file', async () => {
    const lines = [logs(graded(TRACE, 'Right')), traces(span('1', { traceId: OTHER }))]
    const results = await importFiles({
      'a.json': json(traces(span('1'))),
      'b.jsonl': lines.map((line) => json(line)).join('\n'),
    })
    expect(countsOf(results)).toEqual(['1 / 0 / 0 / 1'])
  })
})

describe('a log file', () => {
  const counted = (file: SourceFile) => {
    const counts = { reads: 0 }
    return [{ ...file, bytes: () => ((counts.reads += 1), file.bytes()) }, counts] as const
  }

  it('of many runs is read once for all of them, and kept with none', async () => {
    const readsWith = async (count: number) => {
      const ids = Array.from({ length: count }, (_, n) => String(n + 1).padStart(32, '0'))
      const [log, counts] = counted(
        fileInMemory('logs.json', Buffer.from(json(logs(...ids.map((id) => graded(id, `Right ${id}`)))))),
      )
      const files = ids.map((traceId) =>
        fileInMemory(`${traceId}.json`, Buffer.from(json(traces(span('1', { traceId }))))),
      )
      const results = await importFolders(log, ...files)
      expect(results).toHaveLength(count)
      for (const result of results) expect(result).toMatchObject({ result: { run: { statuses: { pass: 1 } } } })
      return counts.reads
    }
    expect(await readsWith(12)).toBe(await readsWith(2))
  })

  it('of one run is a source of that run alone', async () => {
    const files = {
      'a.json': json(traces(span('1'))),
      'b.json': json(traces(span('1', { traceId: OTHER }))),
      'logs.json': json(logs(graded(OTHER, 'Right'))),
    }
    expect(countsOf(await importFiles(files))).toEqual(['0 / 0 / 0 / 1', '1 / 0 / 0 / 0'])
  })

  it('whose records have no spans anywhere is named as a loss once', async () => {
    const files = {
      'a.json': json(traces(span('1'))),
      'b.json': json(traces(span('1', { traceId: OTHER }))),
      'logs.json': json(logs(graded('c'.repeat(32), 'Lost'))),
    }
    const lost = lossesOf(await importFiles(files)).filter(({ note }) => note?.startsWith('of a trace that'))
    expect(lost).toMatchObject([{ path: 'resourceLogs.*', count: 1 }])
  })

  it('that has spans after many records is imported', async () => {
    const record = { ...graded(TRACE, 'Right'), body: { stringValue: 'x'.repeat(80_000) } }
    const lines = [logs(record), traces(span('1'))]
    expect(countsOf(await importBytes('t.jsonl', lines.map((line) => json(line)).join('\n')))).toEqual([
      '1 / 0 / 0 / 0',
    ])
    expect(countsOf(await importBytes('t.jsonl', json(logs(record))))).toEqual([
      expect.stringContaining('the file it belongs to is missing'),
    ])
  })

  it('that is damaged refuses the runs that it names, and no others', async () => {
    const lines = (traceId: string) => `${json(logs(graded(traceId, 'Right')))}\n{"resourceLogs": [}\n${json(logs())}`
    const files = { 'a.json': json(traces(span('1'))), 'b.json': json(traces(span('1', { traceId: OTHER }))) }
    expect(countsOf(await importFiles({ ...files, 'logs.jsonl': lines(OTHER) }))).toEqual([
      '0 / 0 / 0 / 1',
      expect.stringMatching(/^refused: logs\.jsonl: /),
    ])
    const ofNone = await importFiles({ ...files, 'logs.jsonl': lines('c'.repeat(32)) })
    expect(countsOf(ofNone)).toEqual(['0 / 0 / 0 / 1', '0 / 0 / 0 / 1'])
    expect(lossesOf(ofNone).filter(({ note }) => note?.startsWith('logs.jsonl cannot be read: '))).toHaveLength(1)
  })
})

describe('what cannot be read', () => {
  const whole = () => ({
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 's' }), droppedAttributesCount: 1 },
        scopeSpans: [
          {
            scope: { name: 'n', version: 'v', attributes: attributes({ a: 'b' }) },
            spans: [
              span('1', {
                parentSpanId: '2'.padStart(16, '0'),
                kind: 3,
                attributes: [
                  ...attributes({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }),
                  { key: 'list', value: { arrayValue: { values: [{ intValue: '1' }, { boolValue: true }] } } },
                  { key: 'tree', value: { kvlistValue: { values: [{ key: 'k', value: { bytesValue: 'AAE=' } }] } } },
                ],
                events: [{ timeUnixNano: '1772442000500000000', name: 'e', attributes: attributes({ x: 1 }) }],
                links: [{ traceId: OTHER, spanId: '3'.padStart(16, '0'), attributes: attributes({ y: 2 }) }],
                status: { code: 1, message: 'fine' },
              }),
            ],
          },
        ],
      },
    ],
    resourceLogs: [
      {
        resource: { attributes: attributes({ 'service.name': 's' }) },
        scopeLogs: [
          {
            scope: { name: 'l' },
            logRecords: [
              {
                traceId: TRACE,
                spanId: '1'.padStart(16, '0'),
                timeUnixNano: '1772442000600000000',
                observedTimeUnixNano: '1772442000700000000',
                severityText: 'INFO',
                eventName: 'said',
                body: { stringValue: 'hello' },
                attributes: attributes({ z: 'w' }),
              },
            ],
          },
        ],
      },
    ],
  })

  /** Copies of a value, in each of which one place has another one, with the path of that place. */
  const withOdd = function* (value: unknown, odd: unknown, path = ''): Generator<{ path: string; source: unknown }> {
    yield { path, source: odd }
    if (Array.isArray(value))
      for (const [index, item] of value.entries())
        for (const { path: at, source } of withOdd(item, odd, `${path}.${index}`))
          yield { path: at, source: value.with(index, source) }
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value as Record<string, unknown>))
        for (const { path: at, source } of withOdd(member, odd, `${path}.${key}`))
          yield { path: at, source: { ...value, [key]: source } }
  }

  it.each([
    ['a text', 'odd value'],
    ['a list', [['odd value']]],
    ['an object', { unknown: 'odd value' }],
    ['a value of another kind', { intValue: 7, stringValue: 'odd value' }],
  ])('is kept or recorded, wherever it is: %s', async (_, odd) => {
    const lost: string[] = []
    let count = 0
    for (const { path, source } of withOdd(whole(), odd)) {
      const [result] = await importBytes('t.json', JSON.stringify(source), { ...keepingIn(folder), from: 'otlp' })
      if (result!.outcome === 'refused') continue
      count += 1
      const kept = [result!.document!.run, result!.document!.cases, partValues(evidenceOf(result)), lossesOf([result!])]
      if (!JSON.stringify(kept).includes('odd value')) lost.push(path)
    }
    expect(lost).toEqual([])
    expect(count).toBeGreaterThan(60)
  })

  it('is recorded of members of a message that are no traces', async () => {
    const found = lossesOf(await importBytes('t.json', json({ ...traces(span('1')), resourceMetrics: [{ a: 1 }] })))
    expect(found).toContainEqual(expect.objectContaining({ kind: 'left_out', path: 'resourceMetrics', bytes: 9 }))
  })

  it('is recorded of fields of protobuf that are not known, or come again', async () => {
    const field = (number: number, ...content: Buffer[]) => {
      const bytes = Buffer.concat(content)
      return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
    }
    const unknown = Buffer.from([0x98, 0x06, 0x07])
    const spans = field(
      2,
      field(1, Buffer.from(TRACE, 'hex')),
      field(2, Buffer.from('0000000000000001', 'hex')),
      field(5, Buffer.from('first')),
      field(5, Buffer.from('last')),
      unknown,
    )
    const bytes = Buffer.concat([field(1, field(2, spans)), field(3, Buffer.from('later'))])
    const results = await importBytes('t.pb', bytes, { ...keepingIn(folder), createdAt: '2026-03-02T09:00:00Z' })
    expect(countsOf(results)).toEqual(['0 / 0 / 0 / 1'])
    expect(lossesOf(results)).toMatchObject(
      [
        { path: 'resourceSpans.*.scopeSpans.*.spans.*.name', example: 'first' },
        { path: 'resourceSpans.(field 3)', bytes: 5 },
        { path: 'resourceSpans.*.scopeSpans.*.spans.*.(field 99)', bytes: 1 },
      ].map((loss) => ({ kind: 'left_out', ...loss })),
    )
  })
})

it('keeps the files of a run as its sources, without a log file that has records of others', async () => {
  const source = join(folder, 'source')
  mkdirSync(source)
  const files = {
    'a.json': traces(span('1')),
    'b.json': traces(child('2')),
    'c.json': traces(span('1', { traceId: OTHER })),
    'own.json': logs(graded(OTHER, 'Own')),
    'shared.json': logs(graded(TRACE, 'Right'), graded(OTHER, 'Right')),
    'strange.json': logs(graded('c'.repeat(32), 'Of no run')),
    'strange-too.json': logs(graded(TRACE, 'Right'), graded('c'.repeat(32), 'Of no run')),
  }
  for (const [name, value] of Object.entries(files)) writeFileSync(join(source, name), json(value))
  const results = await importFolder(source, keepingIn(folder, { hasOriginal: true }))
  const originals = results.map((result) =>
    entriesOf(evidenceOf(result)).flatMap(({ role, name }) => (role === 'original' ? [name] : [])),
  )
  expect(originals).toEqual([
    ['a.json', 'b.json'],
    ['c.json', 'own.json'],
  ])
})
