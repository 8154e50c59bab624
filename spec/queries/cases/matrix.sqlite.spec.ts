import { afterAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Matrix } from '../../../queries/cases/matrix.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, realDocuments, theExample } from '../../support/documents/documents.ts'
import type { ACase, ADocument } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const matrix = (id: string, query = ''): Promise<z.infer<typeof Matrix>> =>
  spec.getJson(`/runs/${encodeURIComponent(id)}/matrix${query}`)
const upload = async (run_id: string, cases: readonly ACase[]) =>
  expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
const cell = (overrides: object) => ({
  total: 1,
  passed: 0,
  failed: 0,
  errored: 0,
  skipped: 0,
  xfailed: 0,
  xpassed: 0,
  score_mean: 1,
  pass_fraction: 0,
  distinct_outputs: 1,
  latency_ms_mean: 700,
  cost_usd: 0.00033,
  fallback_answered: 0,
  case_keys: [],
  ...overrides,
})
const spec = await openApp()
await spec.ingest(theExample())

describe('the matrix of a run', () => {
  it('returns the documented values for the worked example', async () => {
    expect(await matrix(theExample().run_id)).toEqual({
      run_id: theExample().run_id,
      columns: [
        { provider_id: 'fast-model', prompt_id: 'terse' },
        { provider_id: 'crm-bot', prompt_id: null },
      ],
      rows: [
        {
          test_id: 'refund/eligible',
          name: 'eligible refund',
          cells: [
            cell({
              total: 2,
              passed: 1,
              failed: 1,
              score_mean: 0.765,
              pass_fraction: 0.5,
              distinct_outputs: 2,
              latency_ms_mean: 1050,
              cost_usd: 0.00075,
              case_keys: ['07f1c0919d4689f8', '8cb9b3fd0ce1b8d1'],
            }),
            cell({ passed: 1, pass_fraction: 1, latency_ms_mean: 45, cost_usd: null, case_keys: ['2e729be0ea27d081'] }),
          ],
        },
        {
          test_id: 'refund/abuse',
          name: null,
          cells: [
            cell({
              skipped: 1,
              score_mean: 0,
              latency_ms_mean: 350,
              cost_usd: 0.00036,
              case_keys: ['bd75180fbe9cd7fa'],
            }),
            null,
          ],
        },
        { test_id: 'shipping/eta', name: null, cells: [cell({ xpassed: 1, case_keys: ['b5f8bbee625b5b36'] }), null] },
      ],
      provider_costs: [
        { provider_id: 'fast-model', cases: 4, cost_usd: 0.00144 },
        { provider_id: 'crm-bot', cases: 1, cost_usd: null },
      ],
      next_cursor: null,
    })
  })

  it('returns rows in pages, by the position of their first case, with all columns on each page', async () => {
    const whole = await matrix(theExample().run_id)
    const cursors: Array<string | null> = []
    const rows: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await matrix(theExample().run_id, `?limit=1&cursor=${cursor}`)
      expect({ ...page, rows: [], next_cursor: null }).toEqual({ ...whole, rows: [], next_cursor: null })
      rows.push(...page.rows)
      cursors.push((cursor = page.next_cursor))
    }
    expect(cursors).toEqual(['0', '2', null])
    expect(rows).toEqual(whole.rows)
    expect(await matrix(theExample().run_id, '?cursor=junk')).toEqual(whole)
  })

  it('has 100 rows by default, 500 at most', async () => {
    await upload(
      'rows',
      Array.from({ length: 503 }, (_, n) => aCase({ cell: { test_id: `test-${n}` } })),
    )
    const size = async (query: string) => (await matrix('rows', query)).rows.length
    expect([
      await size(''),
      await size('?limit=0'),
      await size('?limit=500'),
      await size('?limit=501'),
      await size('?limit=500&cursor=499'),
    ]).toEqual([100, 1, 500, 500, 3])
  })

  it('has columns and rows in the order of their first case, sorted repeats, and null for missing cells', async () => {
    const at = (provider_id: string, test_id: string, repeat = 0, more: object = {}) =>
      aCase({ cell: { provider_id, prompt_id: null, test_id, repeat }, ...more })
    const cases = [at('b', 'z', 1), at('a', 'z', 0, { name: 'late' }), at('b', 'z', 0, { name: 'later' }), at('a', 'y')]
    await upload('order', cases)
    const { columns, rows } = await matrix('order')
    expect(columns.map(({ provider_id }) => provider_id)).toEqual(['b', 'a'])
    expect(rows.map(({ test_id, name }) => [test_id, name])).toEqual([
      ['z', 'late'],
      ['y', null],
    ])
    expect(rows[0]?.cells[0]?.case_keys).toEqual([cases[2]?.case_key, cases[0]?.case_key])
    expect(rows[1]?.cells[0]).toBeNull()
  })

  it('counts each status and distinct outputs, and averages over all repeats', async () => {
    const statuses = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass'] as const
    const outputs = ['x', 'x', null, '', { a: 1 }, { a: 1 }]
    await upload(
      'cells',
      statuses.map((status, repeat) =>
        aCase({
          cell: { repeat },
          status,
          output: outputs[repeat],
          score: repeat / 10,
          latency_ms: repeat,
          cost_usd: repeat === 0 ? null : 0.1,
        }),
      ),
    )
    const [row] = (await matrix('cells')).rows
    expect(row?.cells[0]).toMatchObject({
      total: 6,
      passed: 1,
      failed: 1,
      errored: 1,
      skipped: 1,
      xfailed: 1,
      xpassed: 1,
      pass_fraction: 1 / 6,
      distinct_outputs: 3,
      latency_ms_mean: 2.5,
      cost_usd: 0.5,
    })
    expect(row?.cells[0]?.score_mean).toBeCloseTo(0.25)
    await upload('silent', [aCase({ output: null })])
    expect((await matrix('silent')).rows[0]?.cells[0]).toMatchObject({ distinct_outputs: 0, cost_usd: null })
  })

  it('counts cases that a fallback answered, except skipped ones; costs belong to the answering provider', async () => {
    await upload('fallback', [
      aCase({ answered_by_provider_id: 'backup', cost_usd: 0.1 }),
      aCase({ cell: { repeat: 1 }, answered_by_provider_id: 'backup', status: 'skip', cost_usd: 0.2 }),
      aCase({ cell: { repeat: 2 }, answered_by_provider_id: 'model', cost_usd: 0.4 }),
      aCase({ cell: { repeat: 3 } }),
    ])
    const { columns, rows, provider_costs } = await matrix('fallback')
    expect(columns).toEqual([{ provider_id: 'model', prompt_id: 'terse' }])
    expect(rows[0]?.cells[0]?.fallback_answered).toBe(1)
    expect(provider_costs).toEqual([
      { provider_id: 'backup', cases: 2, cost_usd: 0.3 },
      { provider_id: 'model', cases: 2, cost_usd: 0.4 },
    ])
  })

  it('omits cases without a provider or test, and is empty for a run without cases', async () => {
    await upload('nameless', [aCase({ cell: { provider_id: '' } }), aCase({ cell: { test_id: '' } })])
    await upload('empty', [])
    for (const id of ['nameless', 'empty'])
      expect(await matrix(id)).toEqual({ run_id: id, columns: [], rows: [], provider_costs: [], next_cursor: null })
  })

  it('with many columns has at most 100,000 cells per page, and its pages contain every row', async () => {
    const names = Array.from({ length: 400 }, (_, i) => String(i))
    await upload(
      'wide',
      names.map((name) => aCase({ cell: { provider_id: `model-${name}`, test_id: `test-${name}` } })),
    )
    const seen: string[] = []
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await matrix('wide', `?limit=500&cursor=${cursor}`)
      expect(page.columns).toHaveLength(400)
      for (const { test_id, cells } of page.rows) {
        expect(cells.flatMap((each, at) => (each ? [`test-${at}`] : []))).toEqual([test_id])
        expect(cells).toHaveLength(400)
        seen.push(test_id)
      }
      sizes.push(page.rows.length)
      cursor = page.next_cursor
    }
    expect(seen).toEqual(names.map((name) => `test-${name}`))
    expect(sizes).toEqual([250, 150])
    // A smaller limit still applies.
    expect((await matrix('wide', '?limit=3')).rows).toHaveLength(3)
  })

  it('holds every case of every real document once', async () => {
    for (const { name, bytes } of realDocuments()) {
      const document = JSON.parse(bytes.toString('utf8')) as ADocument
      await spec.ingest(bytes)
      const keys: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await matrix(document.run_id, `?limit=500&cursor=${cursor}`)
        for (const { cells } of page.rows) {
          expect(cells.length).toBe(page.columns.length)
          for (const each of cells) {
            if (!each) continue
            expect(each.passed + each.failed + each.errored + each.skipped + each.xfailed + each.xpassed).toBe(
              each.total,
            )
            keys.push(...each.case_keys)
          }
        }
        cursor = page.next_cursor
      }
      expect(keys.sort(), name).toEqual(document.cases.map(({ case_key }) => case_key).sort())
    }
  })
})
