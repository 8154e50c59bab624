import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CaseFacts } from '../../../domain/run/case-columns.ts'
import { matrixOf } from '../../../domain/run/matrix.ts'
import { prepareRun } from '../../../domain/run/prepare.ts'
import { aCase, aDocument, theExample, type ACase } from '../../support/documents/documents.ts'

const factsOf = (cases: readonly ACase[]): readonly CaseFacts[] =>
  prepareRun(Buffer.from(JSON.stringify(aDocument({ cases, summary: { cost_usd: null } })))).cases
const matrix = (...cases: readonly ACase[]) => matrixOf(factsOf(cases))

/** The cell of cases with the same test and column. */
const cellOf = (...cases: ReadonlyArray<Parameters<typeof aCase>[0]>) =>
  matrix(...cases.map((fields, repeat) => aCase({ ...fields, cell: { repeat, ...fields?.cell } }))).rows[0]
    ?.cells[0]?.[1]

describe('the matrix of the worked example', () => {
  const { columns, rows, provider_costs } = matrixOf(factsOf(theExample().cases))

  it('has the columns, rows and costs of the wire format', () => {
    expect(columns).toEqual([
      { provider_id: 'fast-model', prompt_id: 'terse' },
      { provider_id: 'crm-bot', prompt_id: null },
    ])
    expect(rows.map(({ n, test_id, name, cells }) => [n, test_id, name, cells.map(([column]) => column)])).toEqual([
      [0, 'refund/eligible', 'eligible refund', [0, 1]],
      [2, 'refund/abuse', null, [0]],
      [3, 'shipping/eta', null, [0]],
    ])
    expect(provider_costs).toEqual([
      { provider_id: 'fast-model', cases: 4, cost_usd: 0.00144 },
      { provider_id: 'crm-bot', cases: 1, cost_usd: null },
    ])
  })

  it('has the cells of the wire format', () => {
    const emptyCell = {
      total: 1,
      passed: 0,
      failed: 0,
      errored: 0,
      skipped: 0,
      xfailed: 0,
      xpassed: 0,
      pass_fraction: 0,
      distinct_outputs: 1,
      fallback_answered: 0,
    }
    expect(rows.flatMap(({ cells }) => cells.map(([, cell]) => cell))).toEqual([
      {
        ...emptyCell,
        total: 2,
        passed: 1,
        failed: 1,
        score_mean: 0.765,
        pass_fraction: 0.5,
        distinct_outputs: 2,
        latency_ms_mean: 1050,
        cost_usd: 0.00075,
        case_keys: ['07f1c0919d4689f8', '8cb9b3fd0ce1b8d1'],
      },
      {
        ...emptyCell,
        passed: 1,
        score_mean: 1,
        pass_fraction: 1,
        latency_ms_mean: 45,
        cost_usd: null,
        case_keys: ['2e729be0ea27d081'],
      },
      {
        ...emptyCell,
        skipped: 1,
        score_mean: 0,
        latency_ms_mean: 350,
        cost_usd: 0.00036,
        case_keys: ['bd75180fbe9cd7fa'],
      },
      {
        ...emptyCell,
        xpassed: 1,
        score_mean: 1,
        latency_ms_mean: 700,
        cost_usd: 0.00033,
        case_keys: ['b5f8bbee625b5b36'],
      },
    ])
  })
})

describe('a cell', () => {
  it('counts each status; the pass fraction is of all cases', () =>
    expect(
      cellOf(...(['pass', 'fail', 'error', 'skip', 'xfail', 'xpass', 'pass'] as const).map((status) => ({ status }))),
    ).toMatchObject({
      total: 7,
      passed: 2,
      failed: 1,
      errored: 1,
      skipped: 1,
      xfailed: 1,
      xpassed: 1,
      pass_fraction: 2 / 7,
    }))

  it('counts distinct outputs by text, empty ones included, missing ones not', () => {
    expect(
      cellOf(
        { output: 'a' },
        { output: 'a' },
        { output: '' },
        { output: null },
        { output: { a: 1 } },
        { output: '{"a":1}' },
      ),
    ).toMatchObject({ distinct_outputs: 3 })
    expect(cellOf({ output: null }, { output: null })).toMatchObject({ distinct_outputs: 0 })
  })

  it('sums known costs exactly', () => {
    expect(cellOf({ cost_usd: 0.1 }, { cost_usd: 0.2 }, {})).toMatchObject({ cost_usd: 0.3 })
    expect(cellOf({ cost_usd: 0 }, {})).toMatchObject({ cost_usd: 0 })
    expect(cellOf({}, {})).toMatchObject({ cost_usd: null })
  })

  it('limits its sums and the costs of a provider to 2^53 - 1', () => {
    const maxUsd = Number.MAX_SAFE_INTEGER / 1e6
    expect(cellOf({ cost_usd: 9e9 }, { cost_usd: 9e9 })).toMatchObject({ cost_usd: maxUsd })
    expect(cellOf({ cost_usd: -9e9 }, { cost_usd: -9e9 })).toMatchObject({ cost_usd: -maxUsd })
    const cases = Array.from({ length: 2000 }, (_, repeat) =>
      aCase({ cell: { repeat }, cost_usd: 9e9, latency_ms: Number.MAX_SAFE_INTEGER }),
    )
    const { rows, provider_costs } = matrix(...cases)
    expect(provider_costs).toEqual([{ provider_id: 'model', cases: 2000, cost_usd: maxUsd }])
    expect(rows[0]?.cells[0]?.[1].latency_ms_mean).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('counts cases answered by another provider, except skipped ones', () =>
    expect(
      cellOf(
        { answered_by_provider_id: 'other' },
        { answered_by_provider_id: 'other', status: 'skip' },
        { answered_by_provider_id: 'model' },
        {},
      ),
    ).toMatchObject({ fallback_answered: 1 }))

  it('lists its cases by repeat, then by position', () =>
    expect(
      cellOf(
        { cell: { repeat: 2 }, case_key: 'c' },
        { cell: { repeat: 0 }, case_key: 'b' },
        { cell: { repeat: 2 }, case_key: 'd' },
        { cell: { repeat: 0 }, case_key: 'a' },
      ),
    ).toMatchObject({ case_keys: ['b', 'a', 'c', 'd'] }))

  it('has a finite mean of huge scores', () =>
    expect(cellOf({ score: 1.7e308 }, { score: 1.7e308 })?.score_mean).toBeCloseTo(1.7e308, -300))
})

describe('a matrix', () => {
  it('without cases is empty', () => expect(matrix()).toEqual({ columns: [], rows: [], provider_costs: [] }))

  it('has a column per provider and prompt; an empty prompt counts as no prompt', () =>
    expect(
      matrix(
        aCase({ cell: { prompt_id: 'b' } }),
        aCase({ cell: { prompt_id: '' } }),
        aCase({ cell: { prompt_id: null, repeat: 1 } }),
        aCase({ cell: { provider_id: 'other', prompt_id: 'b' } }),
      ).columns,
    ).toEqual([
      { provider_id: 'model', prompt_id: 'b' },
      { provider_id: 'model', prompt_id: null },
      { provider_id: 'other', prompt_id: 'b' },
    ]))

  it('names a test after its first case that has a name', () =>
    expect(
      matrix(aCase(), aCase({ cell: { repeat: 1 }, name: 'first' }), aCase({ cell: { repeat: 2 }, name: 'second' }))
        .rows[0]?.name,
    ).toBe('first'))

  it('leaves out cases without a provider or a test', () =>
    expect(matrix(aCase({ cell: { provider_id: '' } }), aCase({ cell: { test_id: '' } }))).toEqual({
      columns: [],
      rows: [],
      provider_costs: [],
    }))

  it('counts costs under the provider that answered, skipped cases too', () =>
    expect(
      matrix(
        aCase({ cost_usd: 1 }),
        aCase({ cell: { repeat: 1 }, cost_usd: 2, answered_by_provider_id: 'other' }),
        aCase({ cell: { repeat: 2 }, status: 'skip', answered_by_provider_id: 'other' }),
      ).provider_costs,
    ).toEqual([
      { provider_id: 'model', cases: 1, cost_usd: 1 },
      { provider_id: 'other', cases: 2, cost_usd: 2 },
    ]))

  it('has every case in one cell, with counters that add up', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            provider_id: fc.constantFrom('a', 'b', 'c'),
            prompt_id: fc.constantFrom(null, 'p'),
            test_id: fc.constantFrom('x', 'y', 'z'),
            status: fc.constantFrom('pass', 'fail', 'skip', 'xfail'),
          }),
          { maxLength: 40 },
        ),
        (picked) => {
          const result = matrix(
            ...picked.map(({ status, ...cell }, repeat) => aCase({ cell: { ...cell, repeat }, status })),
          )
          const cells = result.rows.flatMap((row) => row.cells.map(([, cell]) => cell))
          for (const { total, passed, failed, errored, skipped, xfailed, xpassed, case_keys } of cells) {
            expect(passed + failed + errored + skipped + xfailed + xpassed).toBe(total)
            expect(case_keys).toHaveLength(total)
          }
          expect(cells.reduce((sum, { total }) => sum + total, 0)).toBe(picked.length)
          expect(
            result.rows.every(
              ({ cells }) =>
                cells.every(([column]) => column < result.columns.length) &&
                new Set(cells.map(([column]) => column)).size === cells.length,
            ),
          ).toBe(true)
          expect(result.rows.map(({ n }) => n)).toEqual(result.rows.map(({ n }) => n).sort((a, b) => a - b))
        },
      ),
    ))

  it('has only one cell per case if each case has its own column and test', () => {
    const [template] = factsOf([aCase()])
    if (!template) throw new Error('no case')
    const many = Array.from({ length: 20_000 }, (_, n) => ({
      ...template,
      n,
      provider_id: `provider ${n}`,
      test_id: `test ${n}`,
      case_key: `${n}`,
    }))
    const { rows } = matrixOf(many)
    expect(rows).toHaveLength(20_000)
    expect(rows.every(({ cells }) => cells.length === 1)).toBe(true)
  })
})
