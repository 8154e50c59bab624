import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'

const fileOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer

const named = (name: string, score: number) => ({
  kind: 'contains',
  status: 'pass',
  score,
  weight: 1,
  reason: '',
  criteria: { name },
})

describe('the Parquet file of a run', () => {
  it('has the columns of the CSV with types, the variables, and the scores', async () => {
    const file = fileOf(
      exported(
        'parquet',
        aDocument({
          run_id: 'r1',
          cases: [
            aCase({
              tags: ['a', 'b'],
              vars: { order: 'A-77', n: 2 },
              cost_usd: 0.5,
              usage: { input_tokens: 5, output_tokens: 7 },
              asserts: [named('tone', 0.5)],
            }),
            aCase({
              cell: { repeat: 1, prompt_id: null },
              output: '\uD800x 💬',
              latency_ms: 0,
              asserts: [named('exact', 1)],
            }),
          ],
        }),
      ),
    )
    const rows = await parquetReadObjects({ file })
    const shared = {
      run_id: 'r1',
      project: 'chat',
      suite: 'smoke',
      created_at: new Date('2026-05-04T09:00:01Z'),
      provider: 'model',
      test: 'greeting',
      name: null,
      status: 'pass',
      score: 1,
      error_class: null,
      error: null,
      failure_reasons: null,
    }
    expect(rows).toEqual([
      {
        ...shared,
        name: 'order=A-77, n=2',
        case_key: aCase().case_key,
        prompt: 'terse',
        repeat: 0n,
        cost_usd: 0.5,
        latency_ms: 10n,
        input_tokens: 5n,
        output_tokens: 7n,
        tags: ['a', 'b'],
        output: 'Hello there.',
        vars: '{"order":"A-77","n":2}',
        exact: null,
        tone: 0.5,
      },
      {
        ...shared,
        case_key: expect.any(String) as string,
        prompt: null,
        repeat: 1n,
        cost_usd: null,
        latency_ms: null,
        input_tokens: null,
        output_tokens: null,
        tags: [],
        output: '\uFFFDx 💬',
        vars: null,
        exact: 1,
        tone: null,
      },
    ])
  })

  it('has the comments on a case as a list, if any case has some', async () => {
    const cases = [aCase(), aCase({ cell: { repeat: 1 } })]
    const comment = { id: 'c', at: '2026-05-04T09:00:01Z', by: null, case_key: aCase().case_key, text: 'One; two' }
    const of = async (comments: Array<typeof comment>) =>
      (await parquetReadObjects({ file: fileOf(exported('parquet', aDocument({ cases }), { comments })) })).map(
        (row): unknown => row['added_comments'],
      )
    expect(await of([comment])).toEqual([['One; two'], []])
    expect(await of([])).toEqual([undefined, undefined])
  })

  it('has a row group for each 4 MiB of the document or more, compressed with snappy', async () => {
    const output = 'x'.repeat(1024 * 1024)
    const cases = Array.from({ length: 7 }, (_, repeat) => aCase({ cell: { repeat }, output }))
    const file = fileOf(exported('parquet', aDocument({ cases }), { batch: 2 }))
    const { row_groups, num_rows } = parquetMetadata(file)
    expect(row_groups.map((group) => Number(group.num_rows))).toEqual([4, 3])
    expect(num_rows).toBe(7n)
    expect(new Set(row_groups.flatMap(({ columns }) => columns.map(({ meta_data }) => meta_data?.codec)))).toEqual(
      new Set(['SNAPPY']),
    )
    expect((await parquetReadObjects({ file })).map((row): unknown => row['repeat'])).toEqual([
      0n,
      1n,
      2n,
      3n,
      4n,
      5n,
      6n,
    ])
  })

  it('ends a row group at 10,000 rows too', () => {
    const cases = Array.from({ length: 12_000 }, (_, repeat) => aCase({ cell: { repeat }, asserts: [] }))
    const { row_groups } = parquetMetadata(fileOf(exported('parquet', aDocument({ cases }), { batch: 2_500 })))
    expect(row_groups.map((group) => Number(group.num_rows))).toEqual([10_000, 2_000])
  })

  it('is a file without rows for a run without cases', async () => {
    const file = fileOf(exported('parquet', aDocument({ cases: [] })))
    expect(await parquetReadObjects({ file })).toEqual([])
    expect(parquetMetadata(file).schema[0]).toMatchObject({ num_children: 22 })
  })
})
