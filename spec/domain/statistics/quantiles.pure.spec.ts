import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { incompleteBeta, normalQuantile, studentP, studentQuantile } from '../../../domain/statistics/quantiles.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const { normal, t_quantile, t_two_sided_p, betainc, tolerance } = reference.quantiles
const equals = (value: number, known: number): void => {
  expect(Math.abs(value - known)).toBeLessThan(tolerance)
}
const probability = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true })

describe('quantiles', () => {
  it.each(normal)('of the normal distribution at $p is $z', ({ p, z }) => {
    equals(normalQuantile(p), z)
    equals(normalQuantile(1 - p), -z)
  })
  it('of the normal distribution far from its middle', () => {
    equals(normalQuantile(1e-12), -7.034483825301131)
    equals(normalQuantile(1e-20), -9.262340089798409)
  })
  it.each(t_quantile)("of Student's t at $p with $df degrees of freedom is $t", ({ p, df, t }) =>
    equals(studentQuantile(p, df), t),
  )
  it.each(t_two_sided_p)("of Student's t have the p-value of $t with $df degrees of freedom", ({ t, df, p }) => {
    equals(studentP(t, df), p)
    equals(studentP(-t, df), p)
  })
  it.each(betainc)('need the incomplete beta function of $a, $b and $x', ({ a, b, x, value }) =>
    equals(incompleteBeta(a, b, x), value),
  )
  it('of the incomplete beta function end at 0 and 1', () =>
    expect([incompleteBeta(2, 3, 0), incompleteBeta(2, 3, 1), studentP(Infinity, 3)]).toEqual([0, 1, 0]))
  it("of Student's t with one degree of freedom are tangents", () =>
    fc.assert(
      fc.property(probability, (p) => {
        const exact = Math.tan(Math.PI * (p - 0.5))
        expect(Math.abs(studentQuantile(p, 1) - exact)).toBeLessThan(1e-9 * Math.max(1, Math.abs(exact)))
      }),
    ))
  it("of Student's t invert its p-value, for few and for many degrees of freedom", () =>
    fc.assert(
      fc.property(probability, fc.integer({ min: 1, max: 200_000 }), (p, df) =>
        equals(studentP(studentQuantile(p, df), df), 2 * Math.min(p, 1 - p)),
      ),
    ))
  it("of Student's t approach the normal distribution", () =>
    expect(Math.abs(studentQuantile(0.975, 1e6) - normalQuantile(0.975))).toBeLessThan(3e-6))
})
