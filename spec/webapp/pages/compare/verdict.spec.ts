import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import type { ManyRuns } from '../../../../queries/statistics/many-runs.ts'
import { manyNames } from '../../../../webapp/runs/pair-names.ts'
import { cellTone, manyVerdict } from '../../../../webapp/pages/compare/many/many-verdict.ts'
import { measuresOf, spendSentence } from '../../../../webapp/pages/compare/result/measures.ts'
import CompareVerdict from '../../../../webapp/pages/compare/result/CompareVerdict.vue'
import { countsIn, changeCount, groupCount, widthOf } from '../../../../webapp/pages/compare/cases/changes.ts'
import { judgeNotice, noNearest, noticeReasons, noticeTitle } from '../../../../webapp/pages/compare/result/notice.ts'
import {
  changeSentence,
  differsIn,
  columnHeads,
  headNames,
  noticeableSentence,
  sharedWords,
  verdictTitle,
} from '../../../../webapp/pages/compare/result/verdict.ts'
import { someStatistics } from './statistics.ts'

const page = { template: '<i />' }
const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:path(.*)*', component: page }] })
const shown = (changes: Parameters<typeof someStatistics>[0] = {}) =>
  mount(CompareVerdict, { props: { statistics: someStatistics(changes) }, global: { plugins: [router] } })
const titleOf = (changes: Parameters<typeof someStatistics>[0]) =>
  verdictTitle(someStatistics(changes), { base: 'Monday', head: 'Tuesday' })

describe('the verdict of a comparison', () => {
  it('is a sentence that names both sides', () => {
    expect(titleOf({})).toBe('No clear difference: Monday and Tuesday')
    expect(titleOf({ verdict: 'better' })).toBe('Tuesday is better than Monday')
    expect(titleOf({ verdict: 'worse' })).toBe('Tuesday is worse than Monday')
    expect(titleOf({ verdict: 'too_few' })).toBe('Too few changes to tell: Monday and Tuesday')
    expect(titleOf({ verdict: 'too_few', pairs: 0 })).toBe('Nothing to compare: Monday and Tuesday')
  })
  it('is followed by the changes, the exact p, and what could have been noticed', () => {
    const view = shown()
    expect(view.get('p').text().replace(/\s+/g, ' ')).toBe(
      'Of the 24 cases that ran in both runs, 6 got better and 2 got worse. If the two runs were equally good, a split at least this uneven would still come up about 2 times in 7 (exact p = 0.289). With 24 cases only a change of about 31 points could have been noticed 4 times in 5; a smaller one may be real and go unseen. A difference like this one would need about 92 cases.',
    )
    expect(view.get('svg').attributes('aria-label')).toBe('Difference +16.7 points, 95% interval −7.7 to +38.5')
  })
  it('names the larger change first', () =>
    expect(changeSentence(someStatistics({ worse: 9, better: 1 }))).toContain('9 got worse and 1 got better.'))
  it('says why too few changes cannot tell', () => {
    const view = shown({ verdict: 'too_few', worse: 2, better: 0, p_value: 0.5 })
    expect(view.text()).toContain('With fewer than 6 changes no split can reach p = 0.05')
  })
  it('claims nothing without cases in common', () => {
    const none = { cases: 0, base_share: 0, head_share: 0, base_only: 24, head_only: 24 }
    const view = shown({
      verdict: 'too_few',
      pairs: 0,
      worse: 0,
      better: 0,
      p_value: null,
      difference: null,
      shared: none,
    })
    expect([view.get('p').text(), view.find('svg').exists()]).toEqual(['The two runs have no case in common.', false])
  })
  it('says what a clear result could have noticed', () =>
    expect(
      noticeableSentence(
        someStatistics({
          verdict: 'worse',
          noticeable: { discordance: 0.1, smallest_difference: 0.042, pairs_needed: 10 },
        }),
      ),
    ).toBe('With 24 cases, a change of about 4.2 points is noticed 4 times in 5.'))
  it('names what differs between the runs', () => {
    expect(differsIn(someStatistics())).toEqual(['provider'])
    expect(differsIn(someStatistics({ same_suite: false }))).toEqual(['provider', 'suite'])
  })
  it('says that cases are left out, and that trials count as independent cases', () => {
    const text = shown({ left_out: 3, assumes_independence: true }).text().replace(/\s+/g, ' ')
    expect(text).toContain('3 cases are left out, because they were skipped or failed as expected.')
    expect(text).toContain('Several trials of a test count as independent cases here.')
  })
})

describe('the words of a comparison in every count', () => {
  const side = (case_count: number) => ({ ...someStatistics().base, case_count })
  const shared = (cases: number, base_only = 0, head_only = 0) => ({
    cases,
    base_share: null,
    head_share: null,
    base_only,
    head_only,
  })
  it.each([
    [0, 1, 'no case'],
    [0, 24, 'no case'],
    [1, 1, 'the one case'],
    [1, 24, '1 of 24 cases'],
    [24, 24, 'all 24 cases'],
    [1_200, 10_000, '1,200 of 10,000 cases'],
  ])('%i shared of %i', (cases, most, words) =>
    expect(sharedWords({ shared: shared(cases), base: side(most), head: side(1) })).toBe(words),
  )
  it.each([
    [0, 0, 1, 'The one case that ran in both runs got neither better nor worse.'],
    [0, 1, 1, 'The one case that ran in both runs got better.'],
    [1, 0, 1, 'The one case that ran in both runs got worse.'],
    [0, 0, 24, 'Of the 24 cases that ran in both runs, none got better and none got worse.'],
    [0, 1, 24, 'Of the 24 cases that ran in both runs, 1 got better and none got worse.'],
    [3, 0, 24, 'Of the 24 cases that ran in both runs, 3 got worse and none got better.'],
  ])('%i worse and %i better of %i', (worse, better, pairs, words) =>
    expect(changeSentence(someStatistics({ worse, better, pairs }))).toBe(words),
  )
  it.each([
    [1, 'The runs share one case, which did not pass or fail in both.'],
    [2, 'The runs share 2 cases, but none of them passed or failed in both.'],
  ])('%i shared, none decided in both', (cases, words) =>
    expect(changeSentence(someStatistics({ pairs: 0, shared: shared(cases) }))).toBe(words),
  )
})

describe('the filters of a comparison', () => {
  it('have the counts of the statistics until the list is there, in places wide enough for what arrives', () => {
    const counts = countsIn(
      someStatistics({
        still_passing: 14_000,
        left_out: 3,
        shared: { cases: 24, base_share: 1, head_share: 1, base_only: 5, head_only: 2 },
      }),
    )
    expect(changeCount(counts, 'changed')).toBe(8)
    expect(changeCount(counts, 'undecided')).toBe(3)
    expect(changeCount(counts, 'all')).toBe(31)
    expect([changeCount(counts, 'lost'), widthOf(counts, 'lost')]).toEqual([null, 2])
    expect([changeCount(counts, 'flipped'), widthOf(counts, 'flipped')]).toEqual([null, '14,002'.length])
  })
})

describe('the notice above a comparison', () => {
  const { left_out_by, base, head } = someStatistics()
  const reasons = (changes: Parameters<typeof someStatistics>[0]) =>
    noticeReasons(someStatistics(changes), { base: 'old', head: 'new' }).join(' ')
  it('is absent if most cases ran in both runs', () => expect(noticeTitle(someStatistics())).toBeNull())
  it('says why pass rates of other cases say nothing', () => {
    const few = {
      pairs: 5,
      left_out: 19,
      left_out_by: { ...left_out_by, passed_then_neutral: 15, failed_then_neutral: 4 },
    }
    expect(noticeTitle(someStatistics(few))).toBe('Only 5 of 24 cases ran in both runs.')
    expect(reasons(few)).toContain('new skipped 19 cases, 15 of which passed in old.')
    expect(reasons(few)).toContain('The verdict uses the 5 cases that ran in both.')
  })
  it.each([
    [1, 0, 'new skipped 1 case, which passed in old.'],
    [0, 1, 'new skipped 1 case, which did not pass in old.'],
    [2, 0, 'new skipped 2 cases, all of which passed in old.'],
    [0, 2, 'new skipped 2 cases, none of which passed in old.'],
  ])(
    'counts what the second skipped: %i had passed, %i had failed',
    (passed_then_neutral, failed_then_neutral, words) =>
      expect(
        reasons({ pairs: 5, left_out_by: { ...left_out_by, passed_then_neutral, failed_then_neutral } }),
      ).toContain(words),
  )
  it('says so if nothing ran in both', () => {
    const shared = { cases: 0, base_share: 0, head_share: 0, base_only: 1, head_only: 24 }
    expect(noticeTitle(someStatistics({ pairs: 0, shared }))).toBe('The two runs have no case in common.')
    expect(noticeTitle(someStatistics({ pairs: 0 }))).toBe('No case passed or failed in both runs.')
    const text = reasons({ pairs: 0, shared })
    expect(text).toContain('1 case of old is not in new. 24 cases of new are not in old.')
    expect(text).toContain('So there is no verdict.')
  })
  it('names the suites if they differ', () => {
    const other = { same_suite: false, base, head: { ...head, suite: '<b>other</b>' } }
    expect(noticeTitle(someStatistics(other))).toBe('The runs are of different suites.')
    expect(reasons(other)).toContain('old is of chat / smoke, new of chat / <b>other</b>.')
  })
})

it.each([
  [
    ['daily · 2026-03-12', 'daily · 2026-03-13'],
    ['2026-03-12', '2026-03-13'],
  ],
  [
    ['a · terse', 'a · long · 2'],
    ['terse', 'long · 2'],
  ],
  [
    ['daily', 'daily · 2'],
    ['daily', 'daily · 2'],
  ],
  [
    ['Claude Sonnet 4', 'Claude Sonnet 37'],
    ['Claude Sonnet 4', 'Claude Sonnet 37'],
  ],
])('what differs in the names %j is %j', ([base, head], heads) => {
  expect(Object.values(headNames({ base: base!, head: head! }))).toEqual(heads)
  expect(Object.values(columnHeads({ base: base!, head: head! }))).toEqual(heads)
})

it.each([
  [
    ['claude served by claude-2', 'claude served by claude-2.1'],
    ['…claude-2', '…claude-2.1'],
  ],
  [
    ['daily · planner, results of 2024-07-25, published', 'daily · planner, results of 2024-08-11, published'],
    ['…2024-07-25, published', '…2024-08-11, published'],
  ],
  [
    ['anthropic/claude-sonnet-4-20250514', 'anthropic/claude-sonnet-4-20250929'],
    ['…20250514', '…20250929'],
  ],
  [
    ['a run of one evening', 'a run of one evening again'],
    ['…evening', '…evening again'],
  ],
  [
    ['results of openai/gpt-4o-2024-05-13', 'results of openai/gpt-4o-2024-08-06'],
    ['…05-13', '…08-06'],
  ],
  [
    ['one long name without spaces', 'another name without spaces'],
    ['one long name without spaces', 'another name without spaces'],
  ],
])('the narrow heads of columns for %j are %j', ([base, head], heads) =>
  expect(Object.values(columnHeads({ base: base!, head: head! }))).toEqual(heads),
)

describe('the measures of a comparison', () => {
  const measure = (name: string, changes: Parameters<typeof someStatistics>[0] = {}) =>
    measuresOf(someStatistics(changes), { base: 'Monday', head: 'Tuesday' }).find((of) => of.name === name)
  it('are medians with their ratio, and totals', () =>
    expect(measure('Time, median of a case')).toEqual({
      name: 'Time, median of a case',
      base: '50.7 s',
      head: '4 m 07 s',
      change: '4.9 times, slower',
      note: '24 m 24 s to 1 h 50 m in all',
    }))
  it('are unknown, not zero, if they were not recorded', () =>
    expect(measure('Output tokens, median')).toMatchObject({
      base: null,
      head: null,
      change: null,
      note: 'no case has it in both',
    }))
  it.each([
    [100, 100, 'the same'],
    [100, 98, '0.98 times, faster'],
    [100, 104, '1.04 times, slower'],
    [100, 5, '0.050 times, faster'],
    [100, 2000, '20 times, slower'],
  ])('have a ratio with its direction: %d to %d', (base_median, head_median, change) =>
    expect(
      measure('Time, median of a case', {
        latency_ms: { ...someStatistics().output_tokens, base_median, head_median },
      })?.change,
    ).toBe(change),
  )
  it.each([
    ['latency_ms', [0.6, 0.5, 0.72], 'a typical case: 0.6 times, faster', 'pass'],
    ['latency_ms', [1.5, 1.2, 1.9], 'a typical case: 1.5 times, slower', 'fail'],
    ['latency_ms', [1.2, 0.9, 1.6], 'a typical case: 1.2 times, slower, not clearly', undefined],
    ['latency_ms', [0.8, 0.5, 1.6], 'a typical case: 0.8 times, faster, not clearly', undefined],
    ['latency_ms', [1.001, 0.9, 1.1], 'a typical case: the same', undefined],
    ['output_tokens', [1.5, 1.2, 1.9], 'a typical case: 1.5 times, more', undefined],
    ['cost_usd', [0.2, 0.1, 0.4], 'a typical case: 0.2 times, cheaper', 'pass'],
  ] as const)('%s has the ratio %j of its pairs as %j', (name, [estimate, lower, upper], words, tone) => {
    const paired = {
      ...someStatistics()[name],
      ratio: { estimate, lower, upper, p_value: 0.01, pairs: 20, groups: 20, few_groups: false },
      base_total: 1,
      head_total: 2,
      from_cache: 1,
    }
    const { base, head } = someStatistics()
    const cost = { systems_usd: 1, missing: 0, grading_usd: null }
    const names = {
      latency_ms: 'Time, median of a case',
      output_tokens: 'Output tokens, median',
      cost_usd: 'Cost of systems',
    }
    const shown = measure(names[name], { [name]: paired, base: { ...base, cost }, head: { ...head, cost } })
    expect([shown?.change, shown?.tone]).toEqual([words, tone])
    expect(shown?.note).toMatch(
      new RegExp(`^${lower.toFixed(2)} to ${upper.toFixed(2)} · .*1 case from a cache left out$`),
    )
  })
  it('leave out what grading cost for columns', () => {
    const { base } = someStatistics()
    expect(measure('Cost of grading', { base: { ...base, column: { provider_id: 'a' } } })).toBeUndefined()
  })
  it('keep the cost of systems and of grading apart, and say how many cases lack one', () => {
    const { base, head } = someStatistics()
    const changes = {
      base: { ...base, cost: { systems_usd: 2, missing: 3, grading_usd: 1 } },
      head: { ...head, cost: { systems_usd: 2, missing: 0, grading_usd: null } },
    }
    expect(measure('Cost of systems', changes)).toMatchObject({
      base: '$2.00',
      change: 'the same',
      note: '3 cases of Monday without a cost',
    })
    expect(measure('Cost of grading', changes)).toMatchObject({ head: null, note: 'not recorded in Tuesday' })
  })
})

type ManyCell = NonNullable<ManyRuns['rows'][number]['cells'][number]>

it.each([
  [[1.55, 1.5, 1.6], [1.8, 1.7, 1.9], 'A typical case costs 1.6 times as much and takes 1.8 times as long.'],
  [[0.7, 0.6, 0.8], [1.2, 0.9, 1.5], 'A typical case costs 0.7 times as much.'],
  [[1.001, 1.0005, 1.002], [2, 1.5, 2.5], 'A typical case takes 2.0 times as long.'],
  [[1.1, 0.9, 1.3], null, null],
] as const)('the cost and the time of a typical case are said if they clearly changed: %j, %j', (cost, time, said) => {
  const paired = (ratio: readonly [number, number, number] | null) => ({
    ...someStatistics().output_tokens,
    ratio: ratio && {
      ...{ estimate: ratio[0], lower: ratio[1], upper: ratio[2] },
      ...{ p_value: 0.01, pairs: 20, groups: 20, few_groups: false },
    },
  })
  expect(spendSentence({ cost_usd: paired(cost), latency_ms: paired(time) })).toBe(said)
})

it('a group of cases shows its count, but not where only its lost or flipped cases are listed', () => {
  const counts = { ...countsIn(someStatistics({ still_passing: 7 })), lost: 1, flipped: 2 }
  expect(groupCount(counts, 'all', 'still_passing')).toBe(7)
  expect(groupCount(counts, 'flipped', 'still_passing')).toBeNull()
  expect(groupCount(counts, 'lost', 'undecided')).toBeNull()
})

describe('a cell of several runs', () => {
  const cell = (status: ManyCell['status'], differs = true): ManyCell => ({
    ...{ case_key: 'k', status, score: 1, latency_ms: null, output_tokens: null, cost_usd: null, differs },
  })
  it.each([
    ['fail', 'pass', 'better'],
    ['pass', 'error', 'worse'],
    ['skip', 'pass', 'other'],
    ['xfail', 'fail', 'other'],
    ['pass', 'skip', 'other'],
    [null, 'pass', 'other'],
  ] as const)('looks, next to a base with %s, with %s as %s', (base, status, tone) =>
    expect(cellTone(cell(status), base && cell(base))).toBe(tone),
  )
  it('has no look of its own with the verdict of the base', () =>
    expect(cellTone(cell('error', false), cell('fail', false))).toBeNull())
})

describe('the verdict over several runs', () => {
  const run = (id: string, against: Partial<NonNullable<ManyRuns['runs'][number]['against_base']>> | null) => ({
    run: someStatistics().base.id === id ? someStatistics().base : { ...someStatistics().base, id, note: id },
    score_mean: null,
    latency_ms_median: null,
    latency_ms_p95: null,
    cost_usd_median: null,
    input_tokens_median: null,
    output_tokens_median: null,
    against_base: against && {
      shared: 24,
      verdict: 'no_clear_change' as const,
      pairs: 24,
      worse: 0,
      better: 0,
      p_value: 1,
      mid_p: 1,
      difference: null,
      adjusted_p: 1,
      removed_by_adjustment: false,
      ...against,
    },
  })
  const verdict = (...others: Array<Partial<NonNullable<ManyRuns['runs'][number]['against_base']>>>) =>
    manyVerdict({
      base: 'B',
      joined_by: 'case_key',
      runs: [run('B', null), ...others.map((against, n) => run(`R${n}`, against))],
      counts: { all: 24, in_every_run: 24, differ: 0, all_passed: 0, all_failed: 0 },
      rows: [],
      next_cursor: null,
    })
  it('counts the runs that are worse, and names them', () =>
    expect(verdict({ verdict: 'worse' }, { verdict: 'worse' }, {})).toEqual({
      title: '2 of 3 runs are worse than B',
      sentences: [
        'R0 and R1 pass fewer cases.',
        'For the other one, 24 cases cannot tell: a real difference may go unseen.',
      ],
    }))
  it('distinguishes runs of one name by their models if these differ, else by when they finished', () => {
    const base = someStatistics().base
    const daily = (id: string, created_at: string, models: readonly string[] = []) => ({
      ...base,
      ...{ id, created_at, note: 'daily', models: [...models] },
    })
    const names = (...runs: ReadonlyArray<ReturnType<typeof daily>>) => [...manyNames(runs).values()]
    const [first, second] = ['2026-05-01T09:00:00Z', '2026-05-02T09:00:00Z'] as const
    expect(names(daily('a', first, ['opus']), daily('b', first, ['sonnet']))).toEqual([
      'daily · opus',
      'daily · sonnet',
    ])
    expect(names(daily('a', first), daily('b', second))).toEqual(['daily · 2026-05-01', 'daily · 2026-05-02'])
    expect(new Set(names(daily('a', first), daily('b', first), daily('c', second))).size).toBe(3)
    expect(names(daily('a', first), { ...daily('b', first), note: 'other' })).toEqual(['daily', 'other'])
  })
  it('counts one run as one', () => expect(verdict({ verdict: 'worse' }).title).toBe('1 of 1 run is worse than B'))
  it('names both directions', () =>
    expect(verdict({ verdict: 'worse' }, { verdict: 'better' }).title).toBe('1 of 2 runs is better than B, 1 is worse'))
  it('names a result that only the adjustment removes', () => {
    const { title, sentences } = verdict(
      { p_value: 0.03125, adjusted_p: 0.052, worse: 6, removed_by_adjustment: true },
      {},
      {},
      {},
      {},
    )
    expect(title).toBe('No run is clearly better or worse than B')
    expect(sentences.at(-1)).toBe(
      'R0 alone would read as worse (p = 0.031); with 5 comparisons at once, one such result comes by chance about 1 time in 7, so p is adjusted (0.052).',
    )
  })
})

describe('the sentence on a head without a run that is like it', () => {
  const head = { suite: 'smoke', case_count: 10 }
  it.each([
    [{ ...head, suite: null }, null, 'new has no suite, so no other run is like it.'],
    [head, null, ''],
    [head, { runs: 0, same_providers: 0, most_pairs: 0 }, 'The suite of new has no other run.'],
    [
      head,
      { runs: 18, same_providers: 0, most_pairs: 0 },
      'No other run has the providers of new: the 18 other runs of its suite are of other providers.',
    ],
    [
      head,
      { runs: 18, same_providers: 3, most_pairs: 2 },
      'No other run shares enough cases: of the 3 runs with the providers of new, the nearest shares 2 cases, and 60% of the larger run are needed.',
    ],
  ])('says why: %o, %o', (side, others, words) => {
    expect(noNearest({ others }, { head: side }, 'new')).toBe(words)
  })
})

it('the notice of another judge names what differs, and is none without one', () => {
  const change = { metric: 'tone', before: 'a', after: 'b' }
  expect(judgeNotice({ judge_changed: [{ ...change, differs: ['model', 'include_tool_calls'] }] })).toBe(
    "The judge changed (model, include tool calls). A difference may be the judge's.",
  )
  expect(judgeNotice({})).toBe(null)
})
