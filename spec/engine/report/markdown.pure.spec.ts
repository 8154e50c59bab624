import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparisonMarkdown } from '../../../engine/report/compare-markdown.ts'
import { compareRuns } from '../../../engine/report/compare.ts'
import { runMarkdown } from '../../../engine/report/markdown.ts'
import { code, codeBlock, htmlCode, link, name, table } from '../../../domain/text/markdown.ts'
import { HOSTILE, liveIn, rendered } from '../../support/ci/rendered.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

const failing = (reason: string) => ({
  status: 'fail' as const,
  asserts: [
    {
      kind: 'contains' as const,
      status: 'pass' as const,
      score: 1,
      weight: 1,
      reason: 'found',
      criteria: null,
      cached: false,
    },
    { kind: 'contains' as const, status: 'fail' as const, score: 0, weight: 1, reason, criteria: null, cached: false },
  ],
})

describe('runMarkdown', () => {
  it('shows the verdict, the measures and the failing cases', () => {
    const run = engineRun(
      'r1',
      [
        engineCase('a'),
        engineCase('b', failing('no | pipe\nhere')),
        engineCase('c', { status: 'xpass' }),
        engineCase('d', { status: 'error', error_class: 'provider_timeout', error: 'x'.repeat(200) }),
        engineCase('e', { status: 'error', error: 'lost' }),
      ],
      {
        summary: {
          fallback_cases: 1,
          empty_counts: { refusal: 1, blank: 1 },
          cache_hits: 3,
          cache_misses: 7,
          prompt_tokens: 1900,
          completion_tokens: 20,
          cache_read_tokens: 300,
          cost_usd: 0.0012,
          cache_savings_usd: 0.0003,
          grader_cost_usd: 0.0083,
          retried_cases: 1,
        },
      },
    )
    expect(runMarkdown(run, { runUrl: 'https://results.example/runs/r1', ciUrl: 'https://ci.example/8' }))
      .toBe(`### ers run — refunds

**Fail** — 1 passed, 1 failed, 2 errored, 1 xpassed (1 via fallback)

| Metric | Value |
|---|---|
| Pass rate | 20.0% (95% CI 3.6–62.4%, n=5) |
| Empty | 2 (blank × 1, refusal × 1) |
| Errors | 2 (provider_timeout × 1, unknown × 1) |
| Cache | 3/10 cases from cache (30.0%) |
| Tokens | 1.9k in / 20 out |
| Cache tokens | 300 read / 0 written |
| Cost | $0.0012 |
| Saved by cache | $0.0003 |
| Grading cost | $0.0083 |
| Retries | 1 case |
| Answered by fallback | 1 of 5 cases |
| Duration | 12.3s |

| Test | Provider | Class | Error |
|---|---|---|---|
| \`d\` | fast-model | provider_timeout | \`${'x'.repeat(159)}…\` |
| \`e\` | fast-model | unknown | \`lost\` |

| Test | Provider | Score | Reason |
|---|---|---|---|
| \`b\` | fast-model | 0.00 | \`no \\| pipe here\` |
| \`c\` | fast-model | 1.00 | \`unexpectedly passed\` |

[View run](https://results.example/runs/r1) · [CI run](https://ci.example/8)
`)
  })

  it('gives as reason the first failed assertion that counts', () => {
    const failed = (reason: string, weight: number) => ({
      ...failing(reason).asserts[1]!,
      weight,
    })
    const item = engineCase('a', { status: 'fail', asserts: [failed('does not count', 0), failed('counts', 1)] })
    expect(runMarkdown(engineRun('r1', [item]))).toContain('| `a` | fast-model | 0.00 | `counts` |\n')
  })

  it('leaves out what is zero or unknown', () =>
    expect(runMarkdown(engineRun('r1', [engineCase('a')]))).toBe(`### ers run — refunds

**Pass** — 1 passed

| Metric | Value |
|---|---|
| Pass rate | 100.0% (95% CI 20.7–100.0%, n=1) |
| Duration | 12.3s |
`))

  it('shows ten cases of a table, and how many more there are', () => {
    const text = runMarkdown(
      engineRun(
        'r1',
        Array.from({ length: 13 }, (_, n) => engineCase(`c${n}`, failing('no'))),
      ),
    )
    expect(text).toContain('| `c9` | fast-model | 0.00 | `no` |\n\n_…and 3 more._\n')
    expect(text).not.toContain('c10')
  })

  it('shows the comparison in place of the failing cases', () => {
    const base = engineRun('older', [engineCase('a', { output: 'one\ntwo' }), engineCase('b')])
    const head = engineRun(
      'newer',
      [engineCase('a', { ...failing('no'), output: 'one\n```\nthree' }), engineCase('b')],
      {
        config_digest: 'blake3:ffffffffffff',
      },
    )
    expect(runMarkdown(head, { comparison: compareRuns(base, head) }).split('\n\n### Comparison')[1])
      .toBe(` with baseline

**Regressions detected** — 1 newly failing

Baseline older → this run newer

1 newly failing, 0 newly passing, 0 still failing, 1 output-changed, 0 added, 0 removed

McNemar: 1 regressions vs 0 fixes, statistic 0.00 (not significant at 95%)

Configuration changed: \`blake3:5d1f5d1f…\` → \`blake3:ffffffff…\`

#### Newly failing

| Test | Provider | Score |
|---|---|---|
| \`a\` | fast-model | 1.00 → 0.00 |

<details><summary><code>a</code></summary>

\`\`\`\`diff
@@ -1,2 +1,3 @@
 one
-two
+\`\`\`
+three
\`\`\`\`

</details>
`)
  })

  it('cuts diffs, of a case and of all', () => {
    const lines = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`).join('\n')
    const diffs = (full: boolean, cases = 30) => {
      const names = Array.from({ length: cases }, (_, n) => `<b>${n}`)
      const base = engineRun(
        'a',
        names.map((name) => engineCase(name, { output: lines(40, 'old') })),
      )
      const head = engineRun(
        'b',
        names.map((name) => engineCase(name, { ...failing('no'), output: lines(40, 'new') })),
      )
      return comparisonMarkdown(compareRuns(base, head), { full })
        .flat()
        .filter((line) => /^(?:<details|[-+@ ]|… |_)/.test(line))
    }
    const shown = diffs(false)
    expect(shown[0]).toBe('<details><summary><code>&lt;b&gt;0</code></summary>')
    expect(shown.filter((line) => line === '… 51 more lines')).toHaveLength(9)
    expect(shown.filter((line) => /^[-+@… ]/.test(line)).length).toBeLessThanOrEqual(301)
    expect(shown.at(-1)).toMatch(/^_…and \d+ more diffs\._$/)
    expect(diffs(false, 11).at(-1)).toBe('_…and 1 more diff._')
    expect(diffs(true).filter((line) => /^[-+@]/.test(line))).toHaveLength(30 * 81)
  })

  it('says why there is no comparison', () =>
    expect(runMarkdown(engineRun('r1', [engineCase('a')]), { note: 'No comparison: gone' })).toMatch(
      /\n`No comparison: gone`\n$/,
    ))
})

const hostile = fc.array(fc.constantFrom(...HOSTILE), { maxLength: 6 }).map((parts) => parts.join(''))

describe('stored text in Markdown', () => {
  it('is never a link, an image, HTML, a mention or a reference, wherever it stands', () =>
    fc.assert(
      fc.property(hostile, hostile, (text, other) => {
        const failed = { ...failing(other), output: other }
        const errored = { status: 'error' as const, error_class: other, error: text, output: text }
        const base = engineRun(text, [engineCase(text, { output: text }), engineCase(other)], { config_digest: other })
        const cases = [engineCase(text, { ...failed, provider_id: other }), engineCase(other, errored)]
        const head = engineRun(other, cases, { suite: text, config_digest: text })
        const compared = runMarkdown(head, { comparison: compareRuns(base, head), note: other })
        for (const markdown of [runMarkdown(head), compared]) expect(liveIn(markdown)).toBeNull()
      }),
    ))

  it('breaks no table: each cell has its text, and the next cell its own', () =>
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const html = rendered(table(['a', 'b'], [[code(first), name(second)]]).join('\n'))
        expect(html.match(/<td>/g)).toHaveLength(2)
        expect(html.match(/<tr>/g)).toHaveLength(2)
      }),
    ))

  it('shows itself', () => {
    expect(code('a `b` c')).toBe('``a `b` c``')
    expect(code('`b`')).toBe('`` `b` ``')
    expect(code('x\ny')).toBe('`x y`')
    expect(code('abcdef', 4)).toBe('`abc…`')
    expect(code(' ')).toBe('')
    expect(table(['a'], [['`a|b\\|c`']])[2]).toBe('| `a\\|b\\|c` |')
    expect(rendered('``a `b` c``')).toBe('<p><code>a `b` c</code></p>')
  })

  it('leaves plain names and ids as they are, and only those', () => {
    for (const text of ['provider_timeout', 'a-b/c.d', 'large suite 2', '01K2ZQ7C8V4T9E6M3B5N1R0WXA'])
      expect(name(text)).toBe(text)
    for (const text of ['a #4', '@me', 'www.a.example', 'GH-4', 'deadbeef', 'a:b', '_a_', '- a', 'a_', '<b>'])
      expect(name(text)).toBe(`\`${text}\``)
  })
})

describe('the other texts of Markdown', () => {
  it('close every code block', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n', '~') }), (text) => {
        const [open = '', ...rest] = codeBlock('', text)
        expect(rest.filter((line) => line.startsWith(open))).toEqual([open])
      }),
    ))

  it('link only to pages of the web', () => {
    expect(link('run', 'https://results.example/runs/a)b')).toBe('[run](https://results.example/runs/a%29b)')
    for (const address of ['javascript:alert(1)', 'nothing', undefined]) expect(link('run', address)).toBeNull()
  })

  it('show text inside HTML as code', () =>
    expect(htmlCode('<b>a</b>\n| & *c*')).toBe('<code>&lt;b&gt;a&lt;/b&gt; | &amp; *c*</code>'))
})
