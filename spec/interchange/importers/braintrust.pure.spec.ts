import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { csvLine } from '../../../domain/csv.ts'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  importFolder,
  lossesOf,
} from '../../support/interchange/import-files.ts'
import { entriesOf, keepingIn } from '../../support/interchange/kept-evidence.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const SAMPLE = join(SAMPLES, 'braintrust', 'experiment-events.jsonl')
const events = readFileSync(SAMPLE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('the importer of Braintrust', () => {
  it('takes the newest version of a row, and leaves out deleted ones', async () => {
    const [result] = await importFile(SAMPLE)
    expect(countsOf([result!])).toEqual(['2 / 0 / 1 / 0'])
    expect(result).toMatchObject({ identity: 'bt-exp-1', part: 'bt-exp-1' })
    const { run, cases } = result!.document!
    expect(run).toMatchObject({ suite: 'experiment-events', started_at: '2026-03-02T09:00:01Z' })
    expect(cases[0]).toMatchObject({
      ...{
        cell: { provider_id: 'table-small' },
        output: 'Paris is the capital of France.',
        latency_ms: 800,
        cost_usd: 0.0002,
      },
      usage: { input_tokens: 16, output_tokens: 8, cache_read_tokens: 4 },
      vars: { city: 'Paris', expected: { country: 'France' } },
      asserts: [{ score: 1, criteria: { name: 'contains_country' } }, { score: 0.9 }],
      raw: { spans: [{ id: 'row-1-llm' }] },
    })
    expect(cases[1]!.asserts.map(({ status }) => status)).toEqual(['pass', 'skipped'])
    expect(cases[2]).toMatchObject({ status: 'error', error: 'RuntimeError: 503 from upstream' })
  })

  it('loses nothing silently but what was replaced or deleted, which it says', async () => {
    const [result] = await importFile(SAMPLE)
    if (!result || !('run' in result)) throw new Error('not converted')
    expect(result.run.losses.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['(older versions)', '(deleted rows)']),
    )
    const current = events.filter(
      ({ _xact_id, _object_delete }) => _xact_id !== '1000000000000000001' && _object_delete !== true,
    )
    expect(
      missingLeaves(
        current.flatMap((event) => leavesOf(event)),
        [result.document!.bytes],
        result.run.losses,
      ),
    ).toEqual([])
  })

  it('gives the same cases for a page of the API, and for CSV', async () => {
    const [lines] = await importFile(SAMPLE)
    const [page] = await importBytes('e.json', JSON.stringify({ events, cursor: null }))
    expect(page!.document!.cases).toEqual(lines!.document!.cases)
    const columns = [...new Set(events.flatMap((event) => Object.keys(event)))]
    const cell = (value: unknown) =>
      value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
    const csv = [
      csvLine(columns),
      ...events.map((event) => csvLine(columns.map((column) => cell(event[column])))),
    ].join('')
    const [table] = await importBytes('e.csv', csv)
    expect(table!.document!.cases.map(({ raw: _, ...item }) => item)).toEqual(
      lines!.document!.cases.map(({ raw: _, ...item }) => item),
    )
  })

  it('keeps all digits of numbers in cells of a CSV export', async () => {
    const columns = ['id', '_xact_id', 'root_span_id', 'span_id', 'created', 'input']
    const cells = ['a', '1', 's', 's', '2026-01-01T00:00:00Z', '{"order":12345678901234567890}']
    const [result] = await importBytes('e.csv', csvLine(columns) + csvLine(cells))
    expect(Buffer.from(result!.document!.bytes).toString()).toContain('"order":12345678901234567890')
  })

  it('records spans whose root is not there', async () => {
    const event = { _xact_id: '1', experiment_id: 'e', created: '2026-01-01T00:00:00Z', scores: { s: 1 } }
    const results = await importBytes(
      'e.json',
      JSON.stringify([
        { ...event, id: 'root', span_id: 'r', root_span_id: 'r' },
        { ...event, id: 'child', span_id: 'c', root_span_id: 'r' },
        { ...event, id: 'lost', span_id: 'l', root_span_id: 'gone' },
        { ...event, id: 'rootless', span_id: 'x', root_span_id: null, is_root: false },
      ]),
    )
    expect(countsOf(results)).toEqual(['1 / 0 / 0 / 0'])
    expect(results[0]!.document!.cases[0]!.raw).toMatchObject({ spans: [{ id: 'child' }] })
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ path: '(spans)', note: '2 whose root is not there' }),
    )
  })

  it('compares transactions as numbers of any length', async () => {
    const row = (_xact_id: unknown, output: string) => ({
      id: 'a',
      _xact_id,
      experiment_id: 'e',
      created: '2026-01-01T00:00:00Z',
      output,
      scores: { s: 1 },
    })
    const text = [row('999', 'old'), row('1000', 'new')].map((item) => JSON.stringify(item)).join('\n')
    expect((await importBytes('e.jsonl', text))[0]!.document!.cases).toMatchObject([{ output: 'new' }])
    const large = [row('@', 'old'), row('#', 'new')].map((item) => JSON.stringify(item)).join('\n')
    const numbers = large.replace('"@"', '10000000000000000001').replace('"#"', '10000000000000000002')
    expect((await importBytes('e.jsonl', numbers))[0]!.document!.cases).toMatchObject([{ output: 'new' }])
  })
})

it('keeps its files only if their description is of the same experiment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-braintrust-'))
  const originalsWith = async (id: string, eventsOf: readonly string[]) => {
    const source = mkdtempSync(join(folder, 'source-'))
    const events = eventsOf.map((experiment_id, index) => ({
      ...{ id: `e-${index}`, _xact_id: `${index + 1}`, experiment_id, is_root: true, input: 'q', output: 'a' },
      ...{ root_span_id: `s-${index}`, span_id: `s-${index}`, scores: { right: 1 } },
    }))
    writeFileSync(join(source, 'events.json'), JSON.stringify({ events }))
    writeFileSync(
      join(source, 'experiment.json'),
      JSON.stringify({ id, name: 'n', project_id: 'p', public: false, description: 'secret' }),
    )
    const options = { ...keepingIn(folder, { hasOriginal: true }), createdAt: '2026-01-01T00:00:00Z' }
    return (await importFolder(source, options)).map((result) => {
      if (!('run' in result)) throw new Error(countsOf([result])[0])
      return result.run.evidence === null ? 0 : entriesOf(result.run.evidence).length
    })
  }
  try {
    expect(await originalsWith('x-1', ['x-1'])).toEqual([2])
    expect(await originalsWith('x-2', ['x-1'])).toEqual([0])
    expect(await originalsWith('x-1', ['', 'x-1'])).toEqual([0, 0])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
