import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { ABSENT, caseOutlines, pairCases } from '../../../domain/statistics/comparison-order.ts'
import type { ComparedAssert, ComparedCase } from '../../../domain/statistics/comparison.ts'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { byCodePoint } from '../../../domain/text/code-point-order.ts'
import { compareRuns, type WholeRun } from '../../support/documents/compare-runs.ts'

const aCase = (given: Partial<ComparedCase> = {}): ComparedCase => ({
  case_key: 'c',
  name: null,
  status: 'pass',
  score: 1,
  output_hash: 'h',
  asserts: [],
  prompt_digest: 'p',
  provider_digest: 'v',
  assert_digest: 'a',
  ...given,
})

const aRun = ({
  digests,
  ...given
}: Partial<Omit<WholeRun, 'digests'>> & { digests?: Partial<WholeRun['digests']> } = {}): WholeRun => ({
  id: 'r',
  cases: [],
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_usd: null,
  duration_ms: null,
  case_count: 0,
  pass_count: 0,
  config_digest: 'k',
  digests: { prompts: 'p', providers: 'v', tests: 't', asserts: 'a', grader: 'g', ...digests },
  ...given,
})

const caseWithoutDigests = (given: Partial<ComparedCase>) =>
  aCase({ ...given, prompt_digest: null, provider_digest: null, assert_digest: null })

const anAssert = (kind: string, passed: boolean, score = passed ? 1 : 0): ComparedAssert => ({
  kind,
  label: kind,
  passed,
  score,
})

const rows = (base: readonly ComparedCase[], head: readonly ComparedCase[]) =>
  compareRuns(aRun({ cases: base }), aRun({ cases: head })).cases

const rowOf = (
  base: Partial<ComparedCase>,
  head: Partial<ComparedCase>,
  baseRun: Partial<WholeRun> = {},
  headRun: Partial<WholeRun> = {},
) => compareRuns(aRun({ cases: [aCase(base)], ...baseRun }), aRun({ cases: [aCase(head)], ...headRun })).cases[0]

const STATUSES_BY_OUTCOME: Record<'passing' | 'failing' | 'neutral', CaseStatus[]> = {
  passing: ['pass', 'xpass'],
  failing: ['fail', 'error'],
  neutral: ['skip', 'xfail'],
}

describe('the delta of a case', () => {
  const table = [
    ['passing', 'passing', 'still_passing'],
    ['passing', 'failing', 'newly_failing'],
    ['passing', 'neutral', 'unchanged'],
    ['failing', 'passing', 'newly_passing'],
    ['failing', 'failing', 'still_failing'],
    ['failing', 'neutral', 'unchanged'],
    ['neutral', 'passing', 'unchanged'],
    ['neutral', 'failing', 'unchanged'],
    ['neutral', 'neutral', 'unchanged'],
  ] as const
  const cells = table.flatMap(([from, to, delta]) =>
    STATUSES_BY_OUTCOME[from].flatMap((base) => STATUSES_BY_OUTCOME[to].map((head) => [base, head, delta] as const)),
  )

  it.each(cells)('from %s to %s is %s', (base, head, delta) =>
    expect(rowOf({ status: base }, { status: head })).toMatchObject({ base_status: base, head_status: head, delta }),
  )

  it.each(Object.values(STATUSES_BY_OUTCOME).flat())('with %s in only one run is added or removed', (status) => {
    const only = aCase({ status, name: 'n', score: 0.5, asserts: [anAssert('regex', true)] })
    const absent = {
      output_changed: false,
      score_delta: null,
      assert_flips: [],
      change: 'unknown',
      case_key: 'c',
      name: 'n',
    }
    expect(rows([only], [])).toEqual([
      { ...absent, base_status: status, head_status: null, base_score: 0.5, head_score: null, delta: 'removed' },
    ])
    expect(rows([], [only])).toEqual([
      { ...absent, base_status: null, head_status: status, base_score: null, head_score: 0.5, delta: 'added' },
    ])
  })
})

describe('what changed', () => {
  const changedCase = { status: 'fail', output_hash: 'other' } as const
  const other = { digests: { ...aRun().digests, grader: 'g2' } }
  const unknown = { digests: { ...aRun().digests, grader: null } }

  it('is the prompt before everything else', () => {
    expect(
      rowOf({}, { ...changedCase, prompt_digest: 'p2', provider_digest: 'v2', assert_digest: 'a2' }, {}, other)?.change,
    ).toBe('prompt_changed')
  })
  it('is the provider before assertions and grader', () => {
    expect(rowOf({}, { ...changedCase, provider_digest: 'v2', assert_digest: 'a2' }, {}, other)?.change).toBe(
      'provider_changed',
    )
  })
  it('is the assertions before the grader', () =>
    expect(rowOf({}, { ...changedCase, assert_digest: 'a2' }, {}, other)?.change).toBe('asserts_changed'))
  it('is the grader before drift', () => expect(rowOf({}, changedCase, {}, other)?.change).toBe('grader_changed'))

  it('is a known change, even next to something unknown', () => {
    expect(rowOf({ prompt_digest: null }, { ...changedCase, assert_digest: 'a2' }, {}, unknown)?.change).toBe(
      'asserts_changed',
    )
    expect(rowOf({ prompt_digest: null }, changedCase, {}, other)?.change).toBe('grader_changed')
  })

  it.each(['prompt_digest', 'provider_digest', 'assert_digest'] as const)(
    'is unknown if the %s of either case is null or empty',
    (digest) => {
      for (const missing of [null, '']) {
        expect(rowOf({ [digest]: missing }, {})?.change).toBe('unknown')
        expect(rowOf({}, { [digest]: missing })?.change).toBe('unknown')
        expect(rowOf({ [digest]: missing }, { [digest]: missing })?.change).toBe('unknown')
      }
    },
  )

  it('is unknown if either run has no grader digest', () => {
    expect(rowOf({}, changedCase, unknown)?.change).toBe('unknown')
    expect(rowOf({}, changedCase, {}, unknown)?.change).toBe('unknown')
  })

  it.each([
    ['other', 'fail', 'model_drift'],
    ['other', 'pass', 'output_drift'],
    ['h', 'fail', 'unstable_grader'],
    ['h', 'xpass', 'unstable_grader'],
    ['h', 'pass', 'stable'],
  ] as const)('with equal inputs, output %s and status %s, is %s', (output_hash, status, change) => {
    expect(rowOf({}, { output_hash, status })?.change).toBe(change)
  })
})

describe('a row', () => {
  it.each([
    ['h', 'h', false],
    ['h', 'i', true],
    [null, 'h', true],
    ['h', null, true],
    [null, null, false],
  ])('with output hashes %s and %s says that the output changed: %s', (base, head, changed) => {
    expect(rowOf({ output_hash: base }, { output_hash: head })?.output_changed).toBe(changed)
  })

  it('has the name of the head, or else of the base', () => {
    expect(rowOf({ name: 'old' }, { name: 'new' })?.name).toBe('new')
    expect(rowOf({ name: 'old' }, { name: null })?.name).toBe('old')
    expect(rowOf({ name: null }, { name: null })?.name).toBeNull()
  })

  it('has a score delta if both scores exist', () => {
    expect(rowOf({ score: 0.5 }, { score: 0.25 })?.score_delta).toBe(-0.25)
    expect(rowOf({ score: null }, { score: 0.25 })?.score_delta).toBeNull()
    expect(rowOf({ score: 0.5 }, { score: null })?.score_delta).toBeNull()
  })

  it('is sorted by the UTF-8 bytes of its key', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 4 }), { maxLength: 30 }), (keys) => {
        const cases = keys.map((case_key) => aCase({ case_key }))
        const half = Math.floor(cases.length / 2)
        const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(rows(cases.slice(half), cases.slice(0, half + 1)).map(({ case_key }) => case_key)).toEqual(sorted)
      }),
    ))

  it('sorts the highest code points last, unlike UTF-16', () => {
    const cases = ['\u{1f600}', '\uffee', '\ud7ff', 'a', 'aa'].map((case_key) => aCase({ case_key }))
    expect(rows(cases, []).map(({ case_key }) => case_key)).toEqual(['a', 'aa', '\ud7ff', '\uffee', '\u{1f600}'])
  })

  it('compares the first of several cases with the same key', () => {
    expect(rows([aCase({ status: 'fail' }), aCase({ status: 'pass' })], [aCase()])).toMatchObject([
      { base_status: 'fail' },
    ])
  })
})

describe('assertion flips', () => {
  const flips = (base: ComparedAssert[], head: ComparedAssert[]) =>
    rowOf({ asserts: base }, { asserts: head })?.assert_flips

  it('are paired by position if the kinds are equal and in equal order', () => {
    const base = [anAssert('regex', true), anAssert('regex', false), anAssert('cost', true)]
    const head = [anAssert('regex', true), anAssert('regex', true), anAssert('cost', false, 0.25)]
    expect(flips(base, head)).toEqual([
      { kind: 'regex', base_passed: false, head_passed: true, base_score: 0, head_score: 1 },
      { kind: 'cost', base_passed: true, head_passed: false, base_score: 1, head_score: 0.25 },
    ])
  })

  it('are paired by kind, in base order, if the order differs', () => {
    const base = [anAssert('regex', true), anAssert('cost', true)]
    const head = [anAssert('cost', false), anAssert('latency', false), anAssert('regex', false)]
    expect(flips(base, head)?.map(({ kind }) => kind)).toEqual(['regex', 'cost'])
  })

  it('leave out a kind that either case has twice or not at all', () => {
    const base = [anAssert('regex', true), anAssert('cost', true), anAssert('cost', true), anAssert('length', true)]
    const head = [
      anAssert('cost', false),
      anAssert('regex', false),
      anAssert('regex', false),
      anAssert('equals', false),
    ]
    expect(flips(base, head)).toEqual([])
  })

  it('require a different outcome; a different score is not enough', () =>
    expect(flips([anAssert('regex', true, 1)], [anAssert('regex', true, 0.5)])).toEqual([]))
})

describe('comparing whole runs', () => {
  const base = aRun({
    id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
    prompt_tokens: 2765,
    completion_tokens: 29,
    cost_usd: 0.00144,
    duration_ms: 42250,
    case_count: 5,
    pass_count: 2,
    config_digest: 'blake3:5d1f',
    digests: {
      prompts: 'blake3:p1',
      providers: 'blake3:v1',
      tests: 'blake3:t1',
      asserts: 'blake3:a1',
      grader: 'blake3:g1',
    },
    cases: [
      aCase({
        case_key: '07f1c0919d4689f8',
        name: 'eligible refund',
        score: 0.93,
        asserts: [anAssert('icontains', true), anAssert('llm-rubric', true, 0.9)],
      }),
      caseWithoutDigests({
        case_key: '8cb9b3fd0ce1b8d1',
        status: 'fail',
        score: 0.6,
        asserts: [anAssert('icontains', true), anAssert('llm-rubric', false, 0.4)],
      }),
      caseWithoutDigests({
        case_key: 'bd75180fbe9cd7fa',
        status: 'skip',
        score: 0,
        asserts: [anAssert('contains', false)],
      }),
      caseWithoutDigests({ case_key: 'b5f8bbee625b5b36', status: 'xpass', asserts: [anAssert('contains-json', true)] }),
      caseWithoutDigests({ case_key: '2e729be0ea27d081', asserts: [anAssert('icontains', true)] }),
    ],
  })
  const head = aRun({
    ...base,
    id: 'head',
    digests: { ...base.digests, prompts: null },
    cases: [
      ...base.cases.slice(0, 1),
      caseWithoutDigests({
        case_key: '8cb9b3fd0ce1b8d1',
        score: 1,
        output_hash: 'new',
        asserts: [anAssert('icontains', true), anAssert('llm-rubric', true)],
      }),
      ...base.cases.slice(2, 3),
      caseWithoutDigests({
        case_key: 'b5f8bbee625b5b36',
        status: 'fail',
        score: 0,
        asserts: [anAssert('contains-json', false)],
      }),
      aCase({ case_key: '11aa22bb33cc44dd' }),
    ],
  })
  const comparison = compareRuns(base, head)

  it('returns the rows of the worked example', () => {
    expect(
      comparison.cases.map((row) => [
        row.case_key.slice(0, 4),
        row.delta,
        row.output_changed,
        row.score_delta,
        row.change,
      ]),
    ).toEqual([
      ['07f1', 'still_passing', false, 0, 'stable'],
      ['11aa', 'added', false, null, 'unknown'],
      ['2e72', 'removed', false, null, 'unknown'],
      ['8cb9', 'newly_passing', true, 0.4, 'unknown'],
      ['b5f8', 'newly_failing', false, -1, 'unknown'],
      ['bd75', 'unchanged', false, 0, 'unknown'],
    ])
    expect(comparison.cases[3]?.assert_flips).toEqual([
      { kind: 'llm-rubric', base_passed: false, head_passed: true, base_score: 0.4, head_score: 1 },
    ])
  })

  it('returns the summary and statistics of the worked example', () => {
    expect(comparison.summary).toEqual({
      newly_failing: 1,
      newly_passing: 1,
      still_failing: 0,
      output_changed: 1,
      added: 1,
      removed: 1,
    })
    expect(comparison.stats.mcnemar).toEqual({ regressions: 1, fixes: 1, statistic: 0, significant: false, p_value: 1 })
    expect(comparison.stats.base_pass_rate).toMatchObject({ passed: 2, total: 5, rate: 0.4 })
    expect(comparison.stats.base_pass_rate.lower).toBeCloseTo(0.117621, 6)
    expect(comparison.stats.base_pass_rate.upper).toBeCloseTo(0.769276, 6)
  })

  it('returns totals and configuration; unknown does not mean unchanged', () => {
    const totals = {
      prompt_tokens: 2765,
      completion_tokens: 29,
      cost_usd: 0.00144,
      duration_ms: 42250,
      case_count: 5,
      pass_count: 2,
    }
    expect(comparison.totals).toEqual({ base: totals, head: totals })
    expect(comparison.config).toEqual({
      base_digest: 'blake3:5d1f',
      head_digest: 'blake3:5d1f',
      changed: false,
      components: [
        { component: 'prompts', base: 'blake3:p1', head: null, changed: null },
        { component: 'providers', base: 'blake3:v1', head: 'blake3:v1', changed: false },
        { component: 'tests', base: 'blake3:t1', head: 'blake3:t1', changed: false },
        { component: 'asserts', base: 'blake3:a1', head: 'blake3:a1', changed: false },
        { component: 'grader', base: 'blake3:g1', head: 'blake3:g1', changed: false },
      ],
    })
  })

  it('reads empty digests as null, and detects a digest that changed', () => {
    const { config } = compareRuns(
      aRun({ config_digest: '', digests: { tests: '' } }),
      aRun({ config_digest: 'k', digests: { tests: '', asserts: 'a2' } }),
    )
    expect(config).toMatchObject({ base_digest: null, head_digest: 'k', changed: null })
    expect(config.components[2]).toEqual({ component: 'tests', base: null, head: null, changed: null })
    expect(config.components[3]).toEqual({ component: 'asserts', base: 'a', head: 'a2', changed: true })
  })

  it('writes its keys in the documented order', () => {
    expect(Object.keys(comparison)).toEqual(['base', 'head', 'summary', 'cases', 'stats', 'totals', 'config'])
    expect(Object.keys(comparison.cases[0] ?? {})).toEqual([
      ...[
        'case_key',
        'name',
        'base_status',
        'head_status',
        'delta',
        'output_changed',
        'base_score',
        'head_score',
        'score_delta',
        'assert_flips',
        'change',
      ],
    ])
  })

  it('finds no difference between a run and itself', () => {
    const { summary, cases } = compareRuns(base, base)
    expect(summary).toEqual({
      newly_failing: 0,
      newly_passing: 0,
      still_failing: 1,
      output_changed: 0,
      added: 0,
      removed: 0,
    })
    expect(cases.every(({ assert_flips, output_changed }) => assert_flips.length === 0 && !output_changed)).toBe(true)
  })
})

describe('the pairs of two runs', () => {
  const HASHES = [null, Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const
  // Long common prefixes, keys that are prefixes of others, and characters that UTF-16 and UTF-8 sort differently.
  const key = fc
    .array(fc.constantFrom('a', 'b', '\0', 'common beginning/', 'é', '\ufb33', '\u{1f600}'), { maxLength: 4 })
    .map((parts) => parts.join(''))
  const runCases = fc.array(
    fc.record({
      case_key: key,
      status: fc.constantFrom<CaseStatus>('pass', 'fail', 'skip'),
      output_hash: fc.constantFrom(...HASHES),
    }),
    { maxLength: 12 },
  )
  const outlinesOf = (cases: readonly { case_key: string; status: CaseStatus; output_hash: Buffer | null }[]) => {
    const outlines = caseOutlines(cases.length)
    // The indexes have gaps, as with repeated keys.
    cases.forEach((fields, i) => outlines.add({ ...fields, n: i * 3 }))
    return outlines
  }

  it('cover all keys in the order of their code points, with the index of the first case of each key', () =>
    fc.assert(
      fc.property(runCases, runCases, (base, head) => {
        const { pairs } = pairCases(outlinesOf(base), outlinesOf(head))
        const first = (cases: typeof base, name: string) => cases.findIndex(({ case_key }) => case_key === name)
        const indexOf = (cases: typeof base, name: string): number =>
          first(cases, name) < 0 ? ABSENT : first(cases, name) * 3
        const names = [...new Set([...base, ...head].map(({ case_key }) => case_key))].sort(byCodePoint)
        expect([...pairs]).toEqual(names.flatMap((name) => [indexOf(base, name), indexOf(head, name)]))
      }),
      { numRuns: 1_000 },
    ))

  it('throw for more cases than announced', () => {
    const outlines = caseOutlines(1)
    const outline = { n: 0, case_key: 'a', status: 'pass', output_hash: null } as const
    outlines.add(outline)
    expect(() => outlines.add({ ...outline, n: 1 })).toThrow('more cases than 1')
  })
})
