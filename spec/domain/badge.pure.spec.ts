import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { badge, MAX_LABEL, UNKNOWN_BADGE, type BadgeMetric, type BadgeRun } from '../../domain/badge.ts'

const RUN: BadgeRun = {
  case_count: 20,
  pass_interval: null,
  pass_count: 19,
  fail_count: 1,
  error_count: 0,
  xfail_count: 0,
  xpass_count: 0,
  score: 0.875,
}
const of = (metric: BadgeMetric, run: Partial<BadgeRun> = {}, label?: string): string =>
  badge('smoke', { metric, label, run: { ...RUN, ...run } })
const titleOf = (svg: string): string => /<title>(.*)<\/title>/s.exec(svg)?.[1] ?? ''
const colourOf = (svg: string): string => /<rect x="\d+" .*?fill="(#\w+)"/.exec(svg)?.[1] ?? ''

describe('a badge', () => {
  it.each([
    ['pass-rate', {}, 'smoke: 95.0% (19 of 20 passed, 95% interval 76.4% to 99.1%)', '#1a7f37'],
    ['status', { pass_count: 0, fail_count: 0 }, 'smoke: no results (20 skipped)', '#57606a'],
    ['pass-rate', { pass_count: 0, fail_count: 0 }, 'smoke: no results (20 skipped)', '#57606a'],
    ['status', { pass_count: 0, fail_count: 0, xfail_count: 20 }, 'smoke: passing (20 cases)', '#1a7f37'],
    ['pass-rate', { pass_count: 15 }, 'smoke: 75.0% (15 of 20 passed, 95% interval 53.1% to 88.8%)', '#9a6700'],
    ['pass-rate', { pass_count: 0 }, 'smoke: 0.0% (0 of 20 passed, 95% interval 0.0% to 16.1%)', '#cf222e'],
    [
      'pass-rate',
      { case_count: 100_000, pass_count: 99_999 },
      'smoke: 99.9% (99999 of 100000 passed, 95% interval 99.9% to 99.9%)',
      '#1a7f37',
    ],
    ['pass-rate', { case_count: 0, pass_count: 0 }, 'smoke: no cases', '#57606a'],
    ['status', {}, 'smoke: failing (1 failed, 0 errors)', '#cf222e'],
    ['status', { fail_count: 0, error_count: 2 }, 'smoke: failing (0 failed, 2 errors)', '#cf222e'],
    ['status', { fail_count: 0 }, 'smoke: passing (20 cases)', '#1a7f37'],
    ['status', { case_count: 0 }, 'smoke: no cases', '#57606a'],
    ['score', {}, 'smoke: 0.88 (mean score)', '#9a6700'],
    ['score', { score: null }, 'smoke: no scores', '#57606a'],
    [
      'calibrated',
      { calibrated: { estimate: 0.709, lower: 0.651, upper: 0.762 } },
      'smoke: 70.9% calibrated (95% interval 65.1% to 76.2%, by labels of people)',
      '#9a6700',
    ],
    ['calibrated', { calibrated: null }, 'smoke: not calibrated', '#57606a'],
  ] as const)('shows %s of %o', (metric, run, title, colour) => {
    const svg = of(metric, run)
    expect([titleOf(svg), colourOf(svg)]).toEqual([title, colour])
  })

  it('has the label that is given, else the name of the suite, cut', () => {
    expect(titleOf(of('score', {}, 'nightly'))).toBe('nightly: 0.88 (mean score)')
    expect(titleOf(of('score', {}, ''))).toBe('smoke: 0.88 (mean score)')
    const long = badge('é'.repeat(50), { metric: 'score', run: RUN })
    expect(titleOf(long)).toBe(`${'é'.repeat(MAX_LABEL - 1)}…: 0.88 (mean score)`)
  })

  it('has white text of enough contrast', () => {
    const luminance = (colour: string): number =>
      [1, 3, 5]
        .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
        .map((c) => (c <= 0.040_45 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, n) => sum + c * ([0.2126, 0.7152, 0.0722][n] ?? 0), 0)
    for (const svg of [of('score'), of('status'), of('pass-rate'), UNKNOWN_BADGE])
      for (const [, colour = ''] of svg.matchAll(/<rect.*?fill="(#\w+)"/g))
        expect(1.05 / (luminance(colour) + 0.05), colour).toBeGreaterThanOrEqual(4.5)
  })

  it('is well-formed XML without script, style or link, whatever the label', () => {
    const label = fc.string({
      unit: fc.oneof(fc.constantFrom(...`<>&"'\0\u202e\ufffe\ud800/=ab`), fc.string()),
      maxLength: 20,
    })
    fc.assert(
      fc.property(label, (text) => {
        const svg = of('pass-rate', {}, text)
        // All tags are our own, with our own attributes, and text between them has no markup.
        const rest = svg
          .replace(/<(?:svg|title|rect|g|text)(?: [\w-]+="[^"<>]*")*\/?>|<\/(?:svg|title|g|text)>/g, '')
          .replaceAll(/&(?:amp|lt|gt|quot);/g, '')
        expect(rest).not.toMatch(/[<>&\0-\x1f\ufffe\u202e]/)
        expect(svg.isWellFormed()).toBe(true)
        expect(svg).not.toMatch(
          /<(?:script|style|a|image|use|foreignObject)\b|\shref=|\son\w+=[^"]*"[^>]*>.*<\/svg>.*on/,
        )
      }),
    )
  })
})
