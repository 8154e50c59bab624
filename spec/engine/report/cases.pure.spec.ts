import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../engine/json.ts'
import { caseDetail } from '../../../engine/report/case-detail.ts'
import { paintOf } from '../../../engine/report/paint.ts'
import { selectCases } from '../../../engine/report/select-cases.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

const run = engineRun('r1', [
  engineCase('refund/eligible', { name: 'eligible refund' }),
  engineCase('refund/eligible', { name: 'eligible refund', repeat: 1 }),
  engineCase('refund/abuse', { name: 'abuse' }),
  engineCase('07f1', { name: 'named like a key' }),
])
const keys = run.cases.map(({ case_key }) => case_key)

describe('selectCases', () => {
  const selected = (...selectors: string[]) => selectCases(run, selectors).map((item) => run.cases.indexOf(item))

  it('prefers a case key, then the start of one, then a test id, then a part of the name', () => {
    expect(selected('07f1c0919d4689f8')).toEqual([0])
    expect(selected('8cb9')).toEqual([1])
    // The start of a key comes before the test that is named so.
    expect(selected('07f1')).toEqual([0])
    // Three characters are too few for the start of a key.
    expect(() => selected('07f')).toThrow(UsageError)
  })

  it('selects all repetitions of a test, and parts of names', () => {
    expect(selected('refund/eligible')).toEqual([0, 1])
    expect(selected('refund')).toEqual([0, 1])
    expect(selected('abuse', keys[0] ?? '')).toEqual([0, 2])
  })

  it('suggests the most similar names where nothing matches', () => {
    expect(() => selectCases(run, ['eligable refund'])).toThrow(UsageError)
    expect(() => selectCases(run, ['eligable refund'])).toThrow('there are eligible refund, refund/eligible')
    expect(() => selectCases(run, [''])).toThrow('no case matches ""')
  })
})

describe('caseDetail', () => {
  const item = engineCase('refund/eligible', {
    name: 'eligible refund',
    status: 'xpass',
    score: 0.6,
    model: 'fast-model-2026-04',
    repeat: 1,
    attempts: 2,
    cached: true,
    answered_by_provider_id: 'crm-bot',
    fallback_attempts: [
      { provider_id: 'fast-model', empty_reason: 'refusal' },
      { provider_id: 'slow-model', error_class: 'provider_timeout' },
    ],
    expect_fail_reason: 'ticket 4411',
    latency_ms: 1290,
    usage: { input_tokens: 720, output_tokens: 8, cache_read_tokens: 300 },
    cost_usd: 0.00044,
    stop_reason: 'end_turn',
    tags: ['smoke', 'refunds'],
    prompt: {
      messages: [
        { role: 'system', content: 'Be terse.' },
        { role: 'user', content: [{ type: 'text', text: 'How long\ncan I return it?' }] },
        { role: 'assistant', tool_calls: [{ name: 'orders', arguments: { id: 7 } }] },
      ],
    },
    output: { days: 30 },
    asserts: [
      {
        kind: 'llm-rubric',
        status: 'fail',
        score: 0.4,
        weight: 2,
        reason: 'Start of the window is wrong.',
        details: { found: false },
        criteria: null,
        cached: false,
      },
    ],
    error: 'the program ended\nwith code 1',
    error_details: { code: 1 },
    raw: { id: 'r1' },
  })

  it('shows all parts of a case', () =>
    expect(caseDetail(item, { paint: paintOf(false), raw: true }))
      .toBe(`XPASS  eligible refund                                        [8cb9b3fd0ce1b8d1]
provider fast-model · prompt terse · test refund/eligible · model fast-model-2026-04 · repeat 1 · 2 attempts · cached · answered by crm-bot (fallback)
expected to fail: ticket 4411
score 0.60 · 1290 ms · 1.0k in / 8 out tokens · $0.0004 · stop: end_turn
tags: smoke, refunds
fallback: tried fast-model (refusal), slow-model (provider_timeout)

prompt
  [system] Be terse.
  [user] How long
  can I return it?
  [assistant] → orders {"id":7}

asserts
  FAIL  llm-rubric  0.40  ×2  Start of the window is wrong.
        {
          "found": false
        }

output
  {
    "days": 30
  }

error: the program ended
with code 1

error details
  {
    "code": 1
  }

raw
  {
    "id": "r1"
  }
`))

  it('leaves out what is not known, and says that raw metadata was not recorded', () => {
    expect(
      caseDetail(engineCase('a'), { paint: paintOf(false), raw: false })
        .split('\n')
        .slice(1),
    ).toEqual([
      'provider fast-model · prompt terse · test a · 1 attempt',
      'score 1.00 · 350 ms',
      '',
      'output',
      '  an answer to a',
      '',
    ])
    expect(caseDetail(engineCase('a'), { paint: paintOf(false), raw: true })).toContain('raw: not recorded')
  })

  it('escapes what controls a terminal, in every text', () => {
    const odd = 'x\x1b[2J\x9by'
    const text = caseDetail(
      engineCase(odd, {
        name: odd,
        model: odd,
        tags: [odd],
        prompt: { text: odd },
        output: odd,
        error: odd,
        error_details: odd,
        raw: odd,
        stop_reason: odd,
        expect_fail_reason: odd,
        answered_by_provider_id: odd,
        fallback_attempts: [{ provider_id: odd, error_class: odd }],
        asserts: [
          {
            kind: 'contains',
            status: 'pass',
            score: 1,
            weight: 1,
            reason: odd,
            details: odd,
            criteria: null,
            cached: false,
          },
        ],
        tool_calls: [{ name: odd, arguments: odd }],
      }),
      { paint: paintOf(false), raw: true },
    )
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u)
  })
})
