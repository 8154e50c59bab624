import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LongReadName, LongReads } from '../../../queries/long-reads.ts'
import type { MatrixRows } from '../../../queries/cases/matrix-rows.ts'
import { rowsIn } from '../../../domain/lists/matrix-order.ts'
import { findMatrixOrder } from '../../../queries/cases/matrix-order.ts'
import type { Reader } from '../../../storage/storage.ts'
import { admin } from '../../support/access/viewers.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../support/servers/app.ts'
import { wrapCalls } from '../../support/wrap-calls.ts'

let spec: SpecApp
/** The long reads that the app ran. */
const reads: LongReadName[] = []
const noted = (longReads: LongReads): LongReads =>
  wrapCalls(longReads, ({ name, run }) => {
    reads.push(name)
    return run()
  })

/** The score of each test in the columns `a`, `b` and `c`; null where it did not run. A score of 0.5 and more passes. */
const SCORES: Readonly<Record<string, readonly [number | null, number | null, number | null]>> = {
  'test 10': [1, 0.5, 1],
  'test 9': [0, 1, null],
  'test 1': [0.1, 0.2, 0.3],
  'test 2': [1, 1, 1],
  'test 3': [null, 0.9, null],
}

beforeAll(async () => {
  spec = await openApp({ parts: ({ longReads }) => ({ longReads: noted(longReads) }) })
  const cases = Object.entries(SCORES).flatMap(([test_id, scores], n) =>
    scores.flatMap((score, i) =>
      score === null
        ? []
        : [
            aCase({
              cell: { provider_id: ['a', 'b', 'c'][i] ?? '', test_id },
              status: score >= 0.5 ? 'pass' : 'fail',
              score,
              latency_ms: n === 4 ? 0 : (n + 1) * 100,
              output: `output ${score}`,
            }),
          ],
    ),
  )
  const twice = aCase({ cell: { provider_id: 'a', test_id: 'test 2', repeat: 1 }, score: 1, latency_ms: 400 })
  await spec.ingest(aDocument({ run_id: 'r', cases: [...cases, twice] }))
})
afterAll(() => spec.close())

const get = (query = '', id = 'r'): Promise<MatrixRows> => spec.getJson(`/runs/${id}/matrix/rows${query}`)
const tests = ({ rows }: MatrixRows) => rows.map(({ test_id }) => test_id)

describe('the rows of a matrix', () => {
  it('have one value a cell, its counts and the key of its only case', async () => {
    const { rows, ...others } = await get('?limit=4')
    expect(others).toEqual({ run_id: 'r', value: 'score', row_count: 5, range: { min: 0, max: 1 }, next_cursor: '4' })
    expect(rows[1]).toEqual({
      test_id: 'test 9',
      name: null,
      mean: 0.5,
      cells: [
        {
          value: 0,
          passed: 0,
          failed: 1,
          total: 1,
          case_key: aCase({ cell: { provider_id: 'a', test_id: 'test 9' } }).case_key,
        },
        {
          value: 1,
          passed: 1,
          failed: 0,
          total: 1,
          case_key: aCase({ cell: { provider_id: 'b', test_id: 'test 9' } }).case_key,
        },
        null,
      ],
    })
    expect(rows[3]?.cells[0]).toEqual({ value: 1, passed: 2, failed: 0, total: 2, case_key: null })
  })

  it.each([
    ['document', ['test 10', 'test 9', 'test 1', 'test 2', 'test 3']],
    ['worst', ['test 1', 'test 9', 'test 10', 'test 3', 'test 2']],
    ['best', ['test 2', 'test 3', 'test 10', 'test 9', 'test 1']],
    ['spread', ['test 9', 'test 10', 'test 1', 'test 2', 'test 3']],
    ['name', ['test 1', 'test 2', 'test 3', 'test 9', 'test 10']],
  ])('can be sorted: %s', async (sort, expected) => expect(tests(await get(`?sort=${sort}`))).toEqual(expected))

  it('are sorted by latency with the longest as the worst, and with unknown ones last', async () => {
    expect(tests(await get('?value=latency&sort=worst'))).toEqual(['test 2', 'test 1', 'test 9', 'test 10', 'test 3'])
    expect(tests(await get('?value=latency&sort=best'))).toEqual(['test 10', 'test 9', 'test 1', 'test 2', 'test 3'])
    expect(await get('?value=latency')).toMatchObject({ range: { min: 0, max: 400 } })
    expect((await get('?value=latency')).rows[4]).toMatchObject({ mean: null, cells: [null, { value: null }, null] })
  })

  it('have no score and no latency where every case was skipped, and leave that out of their mean', async () => {
    const skipped = { status: 'skip', score: 0, latency_ms: 9 } as const
    await spec.ingest(
      aDocument({
        run_id: 'skips',
        cases: [
          aCase({ cell: { provider_id: 'a', test_id: 'part' }, score: 1, latency_ms: 200 }),
          aCase({ cell: { provider_id: 'b', test_id: 'part' }, ...skipped }),
          aCase({ cell: { provider_id: 'a', test_id: 'none' }, ...skipped }),
          aCase({ cell: { provider_id: 'a', test_id: 'none', repeat: 1 }, ...skipped }),
        ],
      }),
    )
    for (const [value, mean] of [
      ['score', 1],
      ['latency', 200],
    ] as const)
      expect((await get(`?value=${value}&sort=worst`, 'skips')).rows).toMatchObject([
        { test_id: 'part', mean, cells: [{ value: mean }, { value: null, passed: 0, total: 1 }] },
        { test_id: 'none', mean: null, cells: [{ value: null, passed: 0, total: 2 }, null] },
      ])
  })

  it('have means over the trials that ran and recorded the value, in the list, its order and its range', async () => {
    const trial = (
      test_id: string,
      repeat: number,
      score: number,
      latency_ms: number,
      status: 'pass' | 'skip' = 'pass',
    ) => aCase({ cell: { provider_id: 'a', test_id, repeat }, score, latency_ms, status })
    await spec.ingest(
      aDocument({
        run_id: 'trials',
        cases: [
          trial('whole', 0, 0.5, 300),
          trial('whole', 1, 0.75, 500),
          trial('part', 0, 0.75, 1_000),
          trial('part', 1, 0, 7, 'skip'),
          trial('part', 2, 1, 0),
        ],
      }),
    )
    const rowsBy = async (query: string) =>
      (await get(query, 'trials')).rows.map(({ test_id, mean, cells }) => [test_id, mean, cells[0]?.value])
    expect(await rowsBy('?value=score&sort=best')).toEqual([
      ['part', 0.875, 0.875],
      ['whole', 0.625, 0.625],
    ])
    expect(await rowsBy('?value=latency&sort=worst')).toEqual([
      ['part', 1_000, 1_000],
      ['whole', 400, 400],
    ])
    expect(await get('?value=latency&limit=1', 'trials')).toMatchObject({ row_count: 2, range: { min: 0, max: 1_000 } })
    expect(await rowsBy('?value=outputs')).toEqual([
      ['whole', 1, 1],
      ['part', 1, 1],
    ])
  })

  it('have the cost of a case: the mean over the trials that ran and recorded one', async () => {
    const cost = (provider_id: string, test_id: string, repeat: number, cost_usd: number | null, status = 'pass') =>
      aCase({
        ...{ cell: { provider_id, test_id, repeat }, latency_ms: 10, status: status as 'pass' | 'skip' },
        ...(cost_usd === null ? {} : { cost_usd }),
      })
    await spec.ingest(
      aDocument({
        run_id: 'costs',
        cases: [
          ...[cost('a', 'whole', 0, 0.02), cost('a', 'whole', 1, 0.04), cost('b', 'whole', 0, 0.5)],
          ...[cost('a', 'part', 0, 0.06), cost('a', 'part', 1, null), cost('a', 'part', 2, 0.9, 'skip')],
          ...[cost('a', 'none', 0, null), cost('a', 'none', 1, null), cost('b', 'none', 0, 0.25, 'skip')],
        ],
      }),
    )
    const found = await get('?value=cost&sort=worst', 'costs')
    const close = (value: number): unknown => expect.closeTo(value, 12)
    expect(found.rows.map(({ test_id, mean, cells }) => [test_id, mean, cells.map((cell) => cell?.value)])).toEqual([
      ['whole', close(0.265), [close(0.03), close(0.5)]],
      ['part', close(0.06), [close(0.06), undefined]],
      ['none', null, [null, null]],
    ])
    expect(found.range).toEqual({ min: 0, max: close(0.5) })
  })

  it('are those where the columns disagree, in any order', async () => {
    expect(await get('?only=disagree')).toMatchObject({ row_count: 1, rows: [{ test_id: 'test 9' }] })
    expect(tests(await get('?only=disagree&sort=best&value=pass'))).toEqual(['test 9'])
  })

  it('are listed page by page, and their order is found once', async () => {
    reads.length = 0
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const found: MatrixRows = await get(`?sort=worst&limit=2&cursor=${cursor}`)
      seen.push(...tests(found))
      cursor = found.next_cursor
    }
    expect(seen).toEqual(tests(await get('?sort=worst')))
    expect(new Set(reads)).toEqual(new Set(['matrixRows']))
  })

  it('reject unknown parameters by their names', async () => {
    for (const name of ['value', 'sort', 'only']) {
      const answer = await spec.sendAs('read')('GET', `/runs/r/matrix/rows?${name}=new`)
      expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining(name)])
    }
  })

  it('do not exist for a viewer who may not see the run, although their order is known', async () => {
    await spec.ingest(aDocument({ run_id: 'closed', project: 'closed' }))
    await spec.restrict('closed')
    expect((await spec.sendAs('admin')('GET', '/runs/closed/matrix/rows')).statusCode).toBe(200)
    const { send } = await spec.addUser('mira', 'member')
    const [hidden, absent] = [
      await send('GET', '/runs/closed/matrix/rows'),
      await send('GET', '/runs/absent/matrix/rows'),
    ]
    expect([hidden.statusCode, hidden.body]).toEqual([404, absent.body])
  })
})

describe('the order of a sparse matrix', () => {
  /** Reads the order of a matrix of this many tests, each in a column of its own. Returns the queries and rows it took. */
  const workOf = async (tests: number) => {
    const run_id = `sparse ${tests}`
    const cases = Array.from({ length: tests }, (_, n) => aCase({ cell: { provider_id: `p${n}`, test_id: `t${n}` } }))
    await spec.ingest(aDocument({ run_id, cases }))
    const work = { queries: 0, rows: 0 }
    const read: Reader['read'] = async (query) => {
      if (!query.token?.sql.includes('FROM matrix_rows')) return spec.service.reader.read(query)
      work.queries++
      const counted = { ...query, shape: (rows: readonly unknown[]) => ((work.rows += rows.length), query.shape(rows)) }
      return spec.service.reader.read(counted)
    }
    const order = await findMatrixOrder({ ...spec.service.reader, read }, admin, run_id)
    return { ...work, listed: order && rowsIn(order, { value: 'score', sort: 'document' }).length }
  }

  it('is found from the cells that have cases: each row is read once, many in a query', async () => {
    // With 20,000 cells of the grid in a query, the second would take 90 times as many queries.
    const [few, many] = [await workOf(300), await workOf(3_000)]
    expect([few.rows, few.listed, many.rows, many.listed]).toEqual([300, 300, 3_000, 3_000])
    expect(few.queries).toBeLessThanOrEqual(4)
    expect(many.queries).toBeLessThanOrEqual(12)
  })

  it('shows its rows with all columns', async () => {
    const page = await get('?limit=2&sort=document', 'sparse 300')
    expect(page.rows.map(({ cells }) => [cells.length, cells.flatMap((cell, i) => (cell ? [i] : []))])).toEqual([
      [300, [0]],
      [300, [1]],
    ])
  })
})
