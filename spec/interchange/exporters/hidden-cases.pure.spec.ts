import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { prepareRun } from '../../../domain/run/prepare.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'
import { unzipped } from '../../support/documents/unzipped.ts'
import { parseCsv } from '../../support/http/csv.ts'
import { importBytes } from '../../support/interchange/import-files.ts'

const first = { test_id: 'first' }
const HIDING = aDocument({
  run_id: 'hiding',
  cases: [
    aCase({ cell: { test_id: 'alone' } }),
    aCase({ cell: first, status: 'fail' }),
    aCase({ cell: first, status: 'pass', name: 'again' }),
    aCase({ cell: { test_id: 'other', provider_id: 'b' } }),
    aCase({ cell: first, status: 'error', error: 'timeout' }),
  ],
})
const PLAIN = aDocument({ cases: [aCase(), aCase({ cell: { repeat: 1 } })] })

type Aggregate = { readonly detailed_evaluation_results: { readonly file_path: string; readonly total_rows: number } }

const linesOf = (text: Buffer): Array<Record<string, unknown>> =>
  text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('cases that an earlier case of the same key hides', () => {
  it('are rows of CSV with the number of the row that hides them', () => {
    const [header = [], ...rows] = parseCsv(exported('csv', HIDING).toString())
    const [at, name] = [header.indexOf('hidden_by'), header.indexOf('name')]
    expect(rows.map((row) => [row[at], row[name]])).toEqual([
      ['', ''],
      ['', ''],
      ['2', 'again'],
      ['', ''],
      ['2', ''],
    ])
    expect(exported('csv', PLAIN).toString()).not.toContain('hidden_by')
  })

  it('are lines of JSON Lines, and the run says how many', () => {
    const [head, ...cases] = linesOf(exported('jsonl', HIDING))
    expect(head?.['run']).toMatchObject({ hidden_cases: 2, note: '2 cases are not shown: same key' })
    expect(cases.map(({ hidden_by }) => hidden_by)).toEqual([undefined, undefined, 2, undefined, 2])
    expect(exported('jsonl', PLAIN).toString()).not.toContain('hidden')
  })

  it('are in the same run again when JSON Lines are imported', async () => {
    const [imported] = await importBytes('hiding.jsonl', exported('jsonl', HIDING))
    const { run, hidden } = prepareRun(imported?.document?.bytes ?? Buffer.from(''))
    expect(run).toMatchObject({
      id: 'hiding',
      content_hash: prepareRun(Buffer.from(JSON.stringify(HIDING))).run.content_hash,
    })
    expect(hidden).toMatchObject([
      { n: 2, hidden_by: 1 },
      { n: 4, hidden_by: 1 },
    ])
  })

  it('are rows of Parquet', async () => {
    const read = async (file: Buffer) => parquetReadObjects({ file: new Uint8Array(file).buffer })
    const rows = await read(exported('parquet', HIDING))
    expect(rows.map(({ hidden_by }) => hidden_by as unknown)).toEqual([null, null, 2n, null, 2n])
    expect(Object.keys((await read(exported('parquet', PLAIN)))[0] ?? {})).not.toContain('hidden_by')
  })

  it('are tests of JUnit XML and CTRF, which say so', () => {
    const junit = exported('junit', HIDING).toString()
    expect(junit.match(/<testcase /g)).toHaveLength(5)
    expect(junit.match(/<property name="hidden_by" value="2">/g)).toHaveLength(2)
    expect(junit).toMatch(/<property name="note" value="2 cases are not shown: same key">/)
    const { results } = JSON.parse(exported('ctrf', HIDING).toString()) as {
      results: {
        summary: object
        environment: { extra: object }
        tests: Array<{ extra: { hidden_by?: number } }>
      }
    }
    expect(results.tests.map(({ extra }) => extra.hidden_by)).toEqual([undefined, undefined, 2, undefined, 2])
    expect(results.environment.extra).toMatchObject({ note: '2 cases are not shown: same key' })
    expect(results.summary).toMatchObject({ tests: 5, passed: 3, failed: 1, other: 1 })
  })

  it('are records of Every Eval Ever, which no count contains', () => {
    const files = unzipped(exported('every-eval-ever', HIDING))
    const hiddenBy = (path: string): unknown[] =>
      linesOf(files.get(path) ?? Buffer.from('')).map(({ metadata }) => (metadata as { hidden_by?: string }).hidden_by)
    const aggregates = [...files].flatMap(([path, bytes]) =>
      path.endsWith('.json') ? [JSON.parse(bytes.toString()) as Aggregate] : [],
    )
    expect(
      aggregates.map(({ detailed_evaluation_results: { file_path, total_rows } }) => [total_rows, hiddenBy(file_path)]),
    ).toEqual([
      [1, [undefined]],
      [4, [undefined, undefined, '2', '2']],
    ])
    // One of two passed.
    expect(aggregates[1]).toMatchObject({
      evaluation_results: [{ score_details: { score: 0.5 } }],
      source_metadata: { additional_details: { note: '2 cases are not shown: same key' } },
    })
  })
})
