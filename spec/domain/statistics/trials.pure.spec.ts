import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { passAtK, passesOfK, passHatK, variancesOf } from '../../../domain/statistics/trials.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const { repeated_trials: known, pass_k } = reference
const near = (value: number | null | undefined, expected: number, tolerance: number): void => {
  expect(Math.abs((value ?? NaN) - expected)).toBeLessThanOrEqual(tolerance)
}

describe('several trials of each case', () => {
  it('have the known variances within and between cases', () => {
    const found = variancesOf(known.trials)
    expect(found).toMatchObject({ cases: 6, trials: 21 })
    near(found?.within, known.within, known.tolerance)
    near(found?.between, known.between, known.tolerance)
    near(found?.icc, known.icc, known.tolerance)
    near(found?.mean, known.mean_of_cases, known.tolerance)
    near(found?.se_cases_sampled, known.se_cases_sampled, known.tolerance)
    near(found?.se_cases_fixed, known.se_cases_fixed, known.tolerance)
  })
  it('have no variances without a second trial or a second case', () =>
    expect([variancesOf([]), variancesOf([[1, 0]]), variancesOf([[1], [0]])]).toEqual([null, null, null]))
  it('have no share between cases if no value differs', () => {
    expect(
      variancesOf([
        [1, 1],
        [1, 1],
      ]),
    ).toMatchObject({ within: 0, between: 0, icc: null })
    expect(
      variancesOf([
        [1, 0],
        [1, 0],
      ]),
    ).toMatchObject({ between: 0, icc: 0 })
  })
})

describe('passes of k trials', () => {
  it.each(pass_k.cases)('are known for $c of $n and k = $k', ({ n, c, k, pass_at_k, pass_hat_k }) => {
    near(passAtK(n, c, k), pass_at_k, pass_k.tolerance)
    near(passHatK(n, c, k), pass_hat_k, pass_k.tolerance)
  })
  it('are undefined for fewer than k trials, which are counted', () => {
    expect([passAtK(3, 1, 4), passHatK(3, 1, 4)]).toEqual([null, null])
    expect(passesOfK([{ n: 3, c: 1 }], 4)).toEqual({ k: 4, pass_at_k: null, pass_hat_k: null, units: 0, left_out: 1 })
  })
  it('are those published for a real run of four trials', () => {
    const file = new URL(`../../data/${pass_k.real.file}`, import.meta.url)
    const { cases } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
      cases: Array<{ cell: { test_id: string }; status: string }>
    }
    const units = [...Map.groupBy(cases, ({ cell }) => cell.test_id).values()].map((trials) => ({
      n: trials.length,
      c: trials.filter(({ status }) => status === 'pass').length,
    }))
    for (const k of [1, 2, 3, 4]) {
      const found = passesOfK(units, k)
      expect(found).toMatchObject({ units: pass_k.real.tests, left_out: 0 })
      near(found.pass_hat_k, pass_k.real.pass_hat[`${k}` as '1'], pass_k.tolerance)
      near(found.pass_at_k, pass_k.real.pass_at[`${k}` as '1'], pass_k.tolerance)
    }
  })
})
