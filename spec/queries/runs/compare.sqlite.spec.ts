import { afterAll, describe, expect, it } from 'vitest'
import type { Comparison } from '../../../domain/statistics/comparison.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, realDocuments, summaryOf, theExample } from '../../support/documents/documents.ts'
import type { ADocument } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const compare = async (base: string, head: string): Promise<Comparison> => {
  return spec.getJson<Comparison>(`/runs/${encodeURIComponent(base)}/compare/${encodeURIComponent(head)}`)
}

/** The later run of the worked example. */
const laterRun = (): ADocument => {
  const base = theExample()
  const cases = base.cases.flatMap((each) => {
    if (each.case_key === '8cb9b3fd0ce1b8d1')
      return [{ ...each, status: 'pass' as const, output: 'Yes, within 30 days.', score: 1 }]
    if (each.case_key === 'b5f8bbee625b5b36') return [{ ...each, status: 'fail' as const, score: 0 }]
    return each.case_key === '2e729be0ea27d081' ? [] : [each]
  })
  const all = [...cases, aCase({ case_key: '11aa22bb33cc44dd' })]
  return {
    ...base,
    run_id: 'later',
    started_at: '2026-05-05T09:00:00Z',
    finished_at: '2026-05-05T09:00:01Z',
    cases: all,
    digests: { ...(base['digests'] as object), prompts: null },
    summary: summaryOf(all),
  }
}
const spec = await openApp()

describe('comparing two runs', () => {
  it('returns the documented values for the worked example', async () => {
    await spec.ingest(theExample())
    await spec.ingest(laterRun())
    const found = await compare(theExample().run_id, 'later')
    expect(found).toMatchObject({
      base: theExample().run_id,
      head: 'later',
      summary: { newly_failing: 1, newly_passing: 1, still_failing: 0, output_changed: 1, added: 1, removed: 1 },
      stats: {
        mcnemar: { regressions: 1, fixes: 1, statistic: 0, significant: false, p_value: 1 },
        base_pass_rate: { passed: 2, total: 5, rate: 0.4 },
      },
      totals: {
        base: {
          prompt_tokens: 2765,
          completion_tokens: 29,
          cost_usd: 0.00144,
          duration_ms: 42250,
          case_count: 5,
          pass_count: 2,
        },
        head: { case_count: 5, pass_count: 3, duration_ms: 1000 },
      },
      config: { base_digest: 'blake3:5d1f', head_digest: 'blake3:5d1f', changed: false },
    })
    expect(found.stats.base_pass_rate.lower).toBeCloseTo(0.117621, 6)
    expect(found.stats.base_pass_rate.upper).toBeCloseTo(0.769276, 6)
    expect(found.config.components).toEqual([
      { component: 'prompts', base: 'blake3:p1', head: null, changed: null },
      ...(['providers', 'tests', 'asserts', 'grader'] as const).map((component) => ({
        component,
        base: expect.stringMatching(/^blake3:/) as string,
        head: expect.stringMatching(/^blake3:/) as string,
        changed: false,
      })),
    ])
    expect(
      found.cases.map(({ case_key, delta, output_changed, score_delta, change }) => [
        case_key,
        delta,
        output_changed,
        score_delta === null ? null : Math.round(score_delta * 100) / 100,
        change,
      ]),
    ).toEqual([
      ['07f1c0919d4689f8', 'still_passing', false, 0, 'stable'],
      ['11aa22bb33cc44dd', 'added', false, null, 'unknown'],
      ['2e729be0ea27d081', 'removed', false, null, 'unknown'],
      ['8cb9b3fd0ce1b8d1', 'newly_passing', true, 0.4, 'unknown'],
      ['b5f8bbee625b5b36', 'newly_failing', false, -1, 'unknown'],
      ['bd75180fbe9cd7fa', 'unchanged', false, 0, 'unknown'],
    ])
    expect(found.cases[1]).toMatchObject({
      base_status: null,
      head_status: 'pass',
      base_score: null,
      head_score: 1,
      assert_flips: [],
    })
    expect(found.cases[0]).toMatchObject({ name: 'eligible refund' })
  })

  it('finds no difference between a run and itself', async () => {
    const { summary, cases, stats } = await compare(theExample().run_id, theExample().run_id)
    expect(summary).toEqual({
      newly_failing: 0,
      newly_passing: 0,
      still_failing: 1,
      output_changed: 0,
      added: 0,
      removed: 0,
    })
    expect(cases.every((row) => row.score_delta === 0 && row.assert_flips.length === 0)).toBe(true)
    expect(stats.mcnemar).toMatchObject({ statistic: 0, significant: false })
  })

  it('does not require a common suite, and reads empty digests as null', async () => {
    await spec.ingest(
      aDocument({ run_id: 'elsewhere', project: null, suite: null, digests: { prompts: '', tests: 't' } }),
    )
    const found = await compare(theExample().run_id, 'elsewhere')
    expect(found.summary).toMatchObject({ added: 1, removed: 5 })
    expect(found.config).toMatchObject({ head_digest: null, changed: null })
    expect(found.config.components.map(({ component, head, changed }) => [component, head, changed])).toEqual([
      ['prompts', null, null],
      ['providers', null, null],
      ['tests', 't', true],
      ['asserts', null, null],
      ['grader', null, null],
    ])
  })

  it('shows which assertions flipped', async () => {
    const asserts = (passed: boolean) => [
      { kind: 'regex', status: passed ? 'pass' : 'error', score: Number(passed), weight: 1 },
      { kind: 'length', status: 'pass', score: 1, weight: 1 },
    ]
    await spec.ingest(
      aDocument({
        run_id: 'before',
        cases: [aCase({ asserts: asserts(true), prompt_digest: 'p', provider_digest: 'v', assert_digest: 'a' })],
        digests: { grader: 'g' },
      }),
    )
    await spec.ingest(
      aDocument({
        run_id: 'after',
        cases: [
          aCase({
            asserts: asserts(false),
            status: 'fail',
            prompt_digest: 'p',
            provider_digest: 'v',
            assert_digest: 'a',
          }),
        ],
        digests: { grader: 'g' },
      }),
    )
    const [row] = (await compare('before', 'after')).cases
    expect(row).toMatchObject({
      delta: 'newly_failing',
      change: 'unstable_grader',
      assert_flips: [{ kind: 'regex', base_passed: true, head_passed: false, base_score: 1, head_score: 0 }],
    })
  })

  it('swaps regressions and fixes when base and head are swapped, for real runs', async () => {
    const documents = realDocuments().filter(
      ({ name }) => name.startsWith('agbenchmark/mini-agi') || name.startsWith('inspect/popularity'),
    )
    const ids = documents.map(({ bytes }) => (JSON.parse(bytes.toString('utf8')) as ADocument).run_id)
    for (const { bytes } of documents) await spec.ingest(bytes)
    for (const [n, base] of ids.entries()) {
      const head = ids[(n + 1) % ids.length] ?? base
      const [there, back] = [await compare(base, head), await compare(head, base)]
      expect(back.summary).toEqual({
        ...there.summary,
        newly_failing: there.summary.newly_passing,
        newly_passing: there.summary.newly_failing,
        added: there.summary.removed,
        removed: there.summary.added,
      })
      expect(back.stats.mcnemar.statistic).toBe(there.stats.mcnemar.statistic)
      expect(back.stats.base_pass_rate).toEqual(there.stats.head_pass_rate)
      expect(back.cases.map(({ case_key }) => case_key)).toEqual(there.cases.map(({ case_key }) => case_key))
    }
  })
})
