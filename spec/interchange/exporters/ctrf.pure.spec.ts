import { Ajv } from 'ajv'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CASE_STATUSES } from '../../../domain/run/document.ts'
import { COMPLETE_CASE } from '../../support/documents/complete-run.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { HOSTILE } from '../../support/documents/hostile-cases.ts'
import { exported } from '../../support/documents/exported.ts'

type Report = {
  readonly results: {
    readonly summary: object
    readonly environment: object
    readonly tests: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
}

// The formats are only documented: a program that reads them would need another package.
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
  JSON.parse(readFileSync('spec/fixtures/schemas/ctrf.schema.json', 'utf8')) as object,
)

const reportOf = (...args: Parameters<typeof exported> extends [unknown, ...infer Rest] ? Rest : never): Report => {
  const report = JSON.parse(exported('ctrf', ...args).toString()) as Report
  validate(report)
  expect(validate.errors).toBe(null)
  return report
}

describe('the CTRF report of a run', () => {
  it('has a status for each of ours, and counts them', () => {
    const cases = CASE_STATUSES.map((status, n) => aCase({ cell: { test_id: `t${n}` }, status }))
    const { tests, summary } = reportOf(aDocument({ cases })).results
    expect(tests.map(({ status, rawStatus }) => `${String(rawStatus)} ${String(status)}`)).toEqual([
      'pass passed',
      'fail failed',
      'error other',
      'skip skipped',
      'xfail passed',
      'xpass failed',
    ])
    expect(summary).toEqual({
      tests: 6,
      passed: 2,
      failed: 2,
      skipped: 1,
      pending: 0,
      other: 1,
      flaky: 0,
      start: Date.UTC(2026, 4, 4, 9),
      stop: Date.UTC(2026, 4, 4, 9, 0, 1),
    })
  })

  it('says what a case was, and why it failed', () => {
    const { tests, environment } = reportOf(
      aDocument({
        git: { branch: 'main', commit: 'abc' },
        ci: { provider: 'github', run_url: 'https://ci.invalid/1' },
        cases: [
          aCase({
            cell: { repeat: 1 },
            status: 'fail',
            tags: ['smoke'],
            vars: { order: 'A-77' },
            attempts: 3,
            output: 'two\nlines\n',
            asserts: [{ kind: 'contains', status: 'fail', score: 0, weight: 1, reason: 'missing' }],
          }),
        ],
      }),
    ).results
    expect(environment).toMatchObject({ branchName: 'main', commit: 'abc', buildUrl: 'https://ci.invalid/1' })
    expect(tests[0]).toMatchObject({
      name: 'order=A-77 [2]',
      duration: 10,
      suite: ['smoke', 'model', 'terse'],
      message: 'contains: missing',
      tags: ['smoke'],
      retries: 2,
      stdout: ['two', 'lines', ''],
      parameters: { order: 'A-77' },
      extra: { score: 0, test_id: 'greeting', repeat: 1 },
    })
  })

  it('marks trials that disagree as flaky', () => {
    const cases = [0, 1, 2].map((repeat) => aCase({ cell: { repeat }, status: repeat === 1 ? 'fail' : 'pass' }))
    const { tests, summary } = reportOf(aDocument({ cases }), { flaky: new Uint8Array([0b011]) }).results
    expect(tests.map(({ flaky }) => flaky)).toEqual([true, true, undefined])
    expect(summary).toMatchObject({ flaky: 2 })
  })

  it('fits the published schema for hostile, complete and missing content', () => {
    reportOf(aDocument({ cases: [] }))
    reportOf(aDocument({ project: null, suite: null, cases: Object.values(HOSTILE) }))
    reportOf(aDocument({ cases: [{ ...COMPLETE_CASE }, aCase({ name: '', cell: { test_id: '' } })] }))
  })
})
