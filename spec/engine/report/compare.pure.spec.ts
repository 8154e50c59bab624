import { describe, expect, it } from 'vitest'
import { ciOutputs } from '../../../engine/report/ci-outputs.ts'
import { compareTable } from '../../../engine/report/compare-table.ts'
import { compareColumns, compareRuns, comparisonJson } from '../../../engine/report/compare.ts'
import { outputDiff } from '../../../engine/report/output-diff.ts'
import { paintOf } from '../../../engine/report/paint.ts'
import { CASE_STATUSES, type CaseStatus } from '../../../domain/run/document.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

const base = engineRun('01K2ZQ7C8V4T9E6M3B5N1R0WXA', [
  engineCase('same'),
  engineCase('worse', { output: 'one\ntwo' }),
  engineCase('better', { status: 'fail', output: { a: 1, b: 2 } }),
  engineCase('bad', { status: 'error' }),
  engineCase('gone'),
])
const head = engineRun(
  '01K2ZR7C8V4T9E6M3B5N1R0WXA',
  [
    engineCase('new'),
    engineCase('same'),
    engineCase('worse', { status: 'fail', output: 'one\nthree', answered_by_provider_id: 'crm-bot' }),
    engineCase('better', { output: { b: 2, a: 1 } }),
    engineCase('bad', { status: 'xfail', output: null }),
  ],
  { config_digest: 'blake3:0123456789ab', summary: { fallback_cases: 1 } },
)
const table = (options: Partial<Parameters<typeof compareTable>[1]> = {}) =>
  compareTable(compareRuns(base, head), {
    paint: paintOf(false),
    diffs: 'regressions',
    full: false,
    configDiff: false,
    ...options,
  })

describe('compareRuns', () => {
  it('takes pass and xpass as passing, and nothing else', () => {
    const passing = new Set(['pass', 'xpass'])
    for (const before of CASE_STATUSES)
      for (const after of CASE_STATUSES) {
        const [item] = compareRuns(
          engineRun('a', [engineCase('a', { status: before })]),
          engineRun('b', [engineCase('a', { status: after })]),
        ).cases
        expect([before, after, item?.delta]).toEqual([
          before,
          after,
          passing.has(before)
            ? passing.has(after)
              ? 'unchanged'
              : 'newly_failing'
            : passing.has(after)
              ? 'newly_passing'
              : 'still_failing',
        ])
      }
  })

  it('writes JSON', () =>
    expect(JSON.parse(comparisonJson(compareRuns(base, head)))).toEqual({
      cases: [
        ['new', null, 'pass', 'added', false],
        ['same', 'pass', 'pass', 'unchanged', false],
        ['worse', 'pass', 'fail', 'newly_failing', true],
        ['better', 'fail', 'pass', 'newly_passing', false],
        ['bad', 'error', 'xfail', 'still_failing', true],
        ['gone', 'pass', null, 'removed', false],
      ].map(([name, base_status, head_status, delta, output_changed]) => ({
        case_key: engineCase(String(name)).case_key,
        name,
        base_status,
        head_status,
        delta,
        output_changed,
      })),
      summary: {
        newly_failing: 1,
        newly_passing: 1,
        still_failing: 1,
        unchanged: 1,
        output_changed: 2,
        added: 1,
        removed: 1,
      },
      mcnemar: { regressions: 1, fixes: 1, statistic: 0, significant: false },
    }))

  it('takes the first case of a key that occurs twice', () =>
    expect(
      compareRuns(
        engineRun('a', [engineCase('a')]),
        engineRun('b', [engineCase('a'), engineCase('a', { status: 'fail' })]),
      ).summary,
    ).toMatchObject({ unchanged: 1, newly_failing: 0 }))
})

describe('compareTable', () => {
  it('shows what changed, and how the outputs of regressions changed', () =>
    expect(table())
      .toBe(`base 01K2ZQ7C (2026-05-04 09:00 UTC, 3/5 passed) → head 01K2ZR7C (2026-05-04 09:00 UTC, 3/5 passed)
pass rate 60.0% (95% CI 23.1–88.2%) → 60.0% (95% CI 23.1–88.2%)
fallback cases: 0 → 1
comparison vs baseline:
  REGRESS  fast-model  worse   score 1.00 → 0.00  answered by: fast-model → crm-bot
  FIXED    fast-model  better  score 0.00 → 1.00
  NEW      fast-model  new     score – → 1.00
  REMOVED  fast-model  gone    score 1.00 → –
  FAIL     fast-model  bad     score 0.00 → 0.00

fast-model · worse
  @@ -1,2 +1,2 @@
   one
  -two
  +three

config changed: blake3:5d1f5d1f… → blake3:01234567…
1 newly failing, 1 newly passing, 1 still failing, 2 output-changed, 1 added, 1 removed
McNemar: 1 regressions vs 1 fixes, statistic 0.00 (not significant at 95%)
`))

  it('shows no diffs, those of all changed cases, and unchanged cases, as asked', () => {
    expect(table({ diffs: 'none' })).not.toContain('@@')
    expect(table({ diffs: 'changed' }).match(/@@ /g)).toHaveLength(2)
    expect(table({ diffs: 'changed' })).not.toContain('SAME')
    expect(table({ diffs: 'all' })).toContain('  SAME     fast-model  same    score 1.00 → 1.00\n')
  })

  it('shows how the prompts of the configuration changed', () => {
    const prompts = (template: string) => ({ config_snapshot: { prompts: [{ id: 'terse', template }] } })
    const comparison = compareRuns(
      engineRun('a', [], prompts('Be terse.')),
      engineRun('b', [], { ...prompts('Be brief.'), config_digest: 'blake3:0' }),
    )
    const text = compareTable(comparison, { paint: paintOf(false), diffs: 'none', full: false, configDiff: true })
    expect(text).toContain(
      'config changed: blake3:5d1f5d1f… → blake3:0\n  @@ -1,2 +1,2 @@\n   [terse]\n  -Be terse.\n  +Be brief.\n',
    )
  })

  it('escapes what controls a terminal', () => {
    const odd = engineRun('a\x1b[2J', [engineCase('x\x1b[2J', { output: 'y\x1b[2J\nz' })])
    const other = engineRun('b', [engineCase('x\x1b[2J', { status: 'fail', output: 'w\x1b[2J' })], {
      config_digest: '\x1b',
    })
    expect(
      compareTable(compareRuns(odd, other), { paint: paintOf(false), diffs: 'all', full: true, configDiff: true }),
    ).not.toMatch(/(?!\n)\p{Cc}/u)
  })
})

describe('outputDiff', () => {
  const diff = (before: string, after: string, limit = 60) => {
    const [item] = compareRuns(
      engineRun('a', [engineCase('a', { output: before })]),
      engineRun('b', [engineCase('a', { output: after })]),
    ).cases
    return item === undefined ? [] : outputDiff(item, limit)
  }
  const lines = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix} ${n}`).join('\n')

  it('takes line breaks of both kinds as equal', () =>
    expect(diff('one\r\ntwo\r\nthree', 'one\ntwo\n3')).toEqual(['@@ -1,3 +1,3 @@', ' one', ' two', '-three', '+3']))

  it('shows three lines around a change', () =>
    expect(diff(lines(20, 'line'), lines(20, 'line').replace('line 10', 'line ten'))).toEqual([
      '@@ -8,7 +8,7 @@',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+line ten',
      ' line 11',
      ' line 12',
      ' line 13',
    ]))

  it('is cut after its limit, and says how much is missing', () => {
    const cut = diff(lines(100, 'a'), lines(100, 'b'))
    expect(cut).toHaveLength(61)
    expect(cut.at(-1)).toBe('… 141 more lines')
    expect(diff(lines(30, 'a'), lines(30, 'b')).at(-1)).toBe('… 1 more line')
  })

  it('compares at most 400 lines and 64 KiB of each side', () => {
    expect(diff(lines(5000, 'a'), lines(5000, 'b'), Infinity)).toHaveLength(801)
    const [, removed = ''] = diff('a'.repeat(200_000), 'b', Infinity)
    expect(removed).toHaveLength(64 * 1024 + 1)
  })
})

describe('ciOutputs', () => {
  it('always has all keys', () =>
    expect(ciOutputs(engineRun('r1', []), { regressed: 0 })).toBe(`passed=0
failed=0
errored=0
failed-or-errored=0
error-classes=
xfailed=0
xpassed=0
total=0
pass-rate=0.0
cache-hits=0
cache-misses=0
cache-hit-rate=0.0
cache-read-tokens=0
cache-write-tokens=0
fallback-cases=0
cost-usd=
cache-savings-usd=
grader-cost-usd=
regressed=0
run-url=
ci-run-url=
`))

  it('has one line for each, whatever the values are', () => {
    const cases = Array.from({ length: 11 }, (_, n) => engineCase(`c${n}`, { cached: n < 3 }))
    const run = engineRun('r1', [...cases, engineCase('e', { status: 'error', error_class: 'bad\nrun-url=x' })], {
      summary: { cost_usd: 0.0012 },
    })
    const text = ciOutputs(run, { regressed: 2, runUrl: 'https://a\r\nb', ciUrl: 'https://ci' })
    expect(text.split('\n')).toHaveLength(22)
    for (const line of [
      'pass-rate=91.7',
      'cache-hit-rate=25.0',
      'cost-usd=0.001200',
      'error-classes=bad run-url=x',
      'regressed=2',
      'run-url=https://a b',
    ])
      expect(text).toContain(`${line}\n`)
  })
})

describe('compareColumns', () => {
  const column = (provider_id: string, statuses: readonly CaseStatus[], prompt_id = 'p') =>
    statuses.map((status, i) =>
      engineCase(`t${i}`, {
        status,
        case_key: `${provider_id}/${prompt_id}/t${i}`,
        cell: { provider_id, prompt_id, test_id: `t${i}`, repeat: 0 },
      }),
    )
  const fails = new Array<CaseStatus>(6).fill('fail')
  const passes = new Array<CaseStatus>(6).fill('pass')
  // Of eight tests, the second model passes six more, both pass one, and it skips one that the first passes.
  const both = engineRun('01K2ZQ7C8V4T9E6M3B5N1R0WXA', [
    ...column('small', [...fails, 'pass', 'pass']),
    ...column('large', [...passes, 'pass', 'skip']),
  ])
  const found = compareColumns(both, both, { base: { provider_id: 'small' }, head: { provider_id: 'large' } })

  it('joins two columns of one run by test, and counts as the service does', () => {
    expect(found.summary).toMatchObject({ newly_passing: 6, newly_failing: 0, unchanged: 2, added: 0, removed: 0 })
    expect([found.base.summary.total, found.head.summary.passed]).toEqual([8, 7])
    // By hand: six of six changes for the better, p = 2 * 0.5 ** 6; seven tests have a verdict in both.
    expect(JSON.parse(comparisonJson(found))).toMatchObject({
      base_column: 'small',
      head_column: 'large',
      verdict: 'better',
      pairs: 7,
      p_value: expect.closeTo(0.03125, 12) as number,
      difference: { estimate: expect.closeTo(6 / 7, 12) as number },
    })
  })

  it('says which column is better, with its interval, and names both', () => {
    const text = compareTable(found, { paint: paintOf(false), diffs: 'none', full: false, configDiff: false })
    expect(text).toMatch(/2\/8 passed\) small → head .*7\/8 passed\) large\n/)
    expect(text).toMatch(
      /large is better than small: 0 worse, 6 better of 7 pairs, p = 0\.031, \+85\.7 points, 95% interval \+\d+\.\d to \+\d+\.\d\n$/,
    )
    expect(text).not.toContain('answered by')
    const same = compareColumns(both, both, { base: { provider_id: 'small' }, head: { provider_id: 'small' } })
    expect(compareTable(same, { paint: paintOf(false), diffs: 'none', full: false, configDiff: false })).toContain(
      'too few changes for a verdict: 0 worse, 0 better of 8 pairs',
    )
  })

  it('takes one prompt or all, and names the columns that a run has', () => {
    const prompts = engineRun('01K2ZQ7C8V4T9E6M3B5N1R0WXB', [...column('m', fails, 'a'), ...column('m', passes, 'b,c')])
    const by = (text: string) => ({ provider_id: 'm', prompt_id: text })
    expect(compareColumns(prompts, prompts, { base: by('a'), head: by('b,c') }).summary.newly_passing).toBe(6)
    expect(() => compareColumns(prompts, prompts, { base: by('a'), head: by('d') })).toThrow(
      '--head-column: 01K2ZQ7C8V4T9E6M3B5N1R0WXB: the run has no case in the column "m,d"; its columns are "m,a", "m,b%2Cc"',
    )
  })
})
