import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { FIXED_COLUMNS, MAX_ASSERTION_COLUMNS } from '../../../interchange/exporters/columns.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'
import { parseCsv } from '../../support/http/csv.ts'

const rowsOf = (csv: Buffer): Array<Record<string, string>> => {
  const [header = [], ...rows] = parseCsv(csv.toString())
  return rows.map((row) => Object.fromEntries(header.map((name, n) => [name, row[n] ?? ''])))
}

const assertion = (name: string | undefined, score: number, status = 'pass') => ({
  kind: 'contains',
  status,
  score,
  weight: 1,
  reason: '',
  ...(name === undefined ? {} : { criteria: { type: 'contains', name } }),
})

describe('the CSV of a run', () => {
  it('has the fixed columns, then a column of scores for each assertion, sorted', () => {
    const csv = exported(
      'csv',
      aDocument({
        run_id: 'r1',
        cases: [
          aCase({
            name: 'a "name"',
            tags: ['x', 'a;b', String.raw`c\d`],
            output: 'two\nlines',
            usage: { input_tokens: 5, output_tokens: 7 },
            cost_usd: 0.25,
            asserts: [assertion('tone', 0.5), assertion(undefined, 1), assertion(undefined, 0.25, 'fail')],
          }),
          aCase({
            cell: { repeat: 1, prompt_id: null },
            status: 'error',
            error: 'lost',
            error_class: 'provider_timeout',
            output: null,
            latency_ms: 0,
            asserts: [assertion('exact', 0, 'error'), assertion('tone', 0, 'skipped')],
          }),
        ],
      }),
    )
    const [header] = parseCsv(csv.toString())
    expect(header).toEqual([...FIXED_COLUMNS, 'contains', 'contains [2]', 'exact', 'tone'])
    expect(rowsOf(csv)).toEqual([
      {
        run_id: 'r1',
        project: 'chat',
        suite: 'smoke',
        created_at: '2026-05-04T09:00:01+00:00',
        case_key: aCase().case_key,
        provider: 'model',
        prompt: 'terse',
        test: 'greeting',
        repeat: '0',
        name: 'a "name"',
        status: 'pass',
        score: '1',
        cost_usd: '0.25',
        latency_ms: '10',
        input_tokens: '5',
        output_tokens: '7',
        error_class: '',
        error: '',
        tags: String.raw`x;a\;b;c\\d`,
        output: 'two\nlines',
        failure_reasons: 'contains: fail',
        contains: '1',
        'contains [2]': '0.25',
        exact: '',
        tone: '0.5',
      },
      expect.objectContaining({
        prompt: '',
        repeat: '1',
        status: 'error',
        score: '0',
        cost_usd: '',
        latency_ms: '',
        error_class: 'provider_timeout',
        error: 'lost',
        output: '',
        exact: '',
        tone: '',
      }),
    ])
  })

  it('has the comments on a case if any case has some, and those of a hidden case once', () => {
    const cases = [aCase(), aCase({ cell: { repeat: 1 } }), aCase({ output: 'again' })]
    const comment = { id: 'c', at: '2026-05-04T09:00:01Z', by: 'mira' }
    const of = (...comments: ReadonlyArray<readonly [string | null, string]>) =>
      rowsOf(
        exported('csv', aDocument({ cases }), {
          comments: comments.map(([case_key, text]) => ({ ...comment, case_key, text })),
        }),
      ).map((row) => row['added_comments'])
    expect(of([null, 'On the run'])).toEqual([undefined, undefined, undefined])
    expect(of([aCase().case_key, 'One; two'], [null, 'On the run'], [aCase().case_key, '=3'])).toEqual([
      String.raw`One\; two;=3`,
      '',
      '',
    ])
  })

  it('ends each line with CRLF, and has one line without cases', () => {
    expect(exported('csv', aDocument({ cases: [] })).toString()).toBe(`${FIXED_COLUMNS.join(',')}\r\n`)
    expect(exported('csv', aDocument()).toString().split('\r\n')).toHaveLength(3)
  })

  it('begins with a byte order mark if asked', () => {
    expect(exported('csv', aDocument(), { bom: true }).subarray(0, 6).toString('hex')).toBe('efbbbf72756e')
    expect(exported('csv', aDocument()).subarray(0, 3).toString()).toBe('run')
  })

  it('distinguishes the empty text from none', () => {
    const lines = exported(
      'csv',
      aDocument({
        cases: [aCase({ output: '', asserts: [] }), aCase({ output: null, asserts: [], cell: { repeat: 1 } })],
      }),
    )
      .toString()
      .split('\r\n')
    expect([lines[1]?.endsWith(',"",'), lines[2]?.endsWith(',,')]).toEqual([true, true])
  })

  it('gives an assertion that is named like a fixed column a number', () => {
    const [header] = parseCsv(
      exported(
        'csv',
        aDocument({ cases: [aCase({ asserts: [assertion('score', 1), assertion('output', 1)] })] }),
      ).toString(),
    )
    expect(header?.slice(FIXED_COLUMNS.length)).toEqual(['output [2]', 'score [2]'])
  })

  it('has the scores of further names in one column', () => {
    const names = Array.from({ length: MAX_ASSERTION_COLUMNS + 2 }, (_, n) => `n${n}`)
    const rows = rowsOf(
      exported('csv', aDocument({ cases: [aCase({ asserts: names.map((name, n) => assertion(name, n)) })] })),
    )
    expect(Object.keys(rows[0] ?? {})).toHaveLength(FIXED_COLUMNS.length + MAX_ASSERTION_COLUMNS + 1)
    expect(JSON.parse(rows[0]?.['other_scores'] ?? '')).toEqual({ n200: 200, n201: 201 })
  })

  it('gives the same file for batches of any size', () => {
    const cases = Array.from({ length: 7 }, (_, repeat) =>
      aCase({ cell: { repeat }, asserts: [assertion(`n${repeat % 3}`, 1)] }),
    )
    const whole = exported('csv', aDocument({ cases }), { batch: 100 })
    expect(exported('csv', aDocument({ cases }), { batch: 1 })).toEqual(whole)
  })
})

const PREFIXES = ['=', '+', '-', '@', '\t', '\r', '\n', "'", '=+', "'=", '@\t']
const BODIES = [
  '1+1',
  'SUM(A1:A9)',
  'cmd|"/C calc"!A0',
  'HYPERLINK("https://elsewhere.invalid","press")',
  'IMPORTXML("https://elsewhere.invalid","//a")',
  'DDE("cmd";"/C calc";"x")',
  "2+5+cmd|' /C notepad'!A1",
  '',
  ' ',
  '"quoted"',
]
const PAYLOADS = PREFIXES.flatMap((prefix) => BODIES.map((body) => `${prefix}${body}`))

describe('formulas in CSV', () => {
  it('are inert: more than 100 payloads in every field of text', () => {
    expect(PAYLOADS.length).toBeGreaterThanOrEqual(100)
    const csv = exported(
      'csv',
      aDocument({
        project: '=1+1',
        cases: PAYLOADS.map((payload, repeat) =>
          aCase({
            cell: { repeat, provider_id: payload, test_id: payload },
            name: payload,
            output: payload,
            error: payload,
            tags: [payload],
            asserts: [assertion(payload, 1)],
          }),
        ),
      }),
    )
    const rows = parse(csv, { relax_column_count: false })
    const fields = rows.flat().filter((field) => Number.isNaN(Number(field)) || /^\s/.test(field))
    expect(fields.filter((field) => /^[=+\-@\t\r]/.test(field))).toEqual([])
    // One apostrophe is removed, and everything is as before.
    for (const [n, payload] of PAYLOADS.entries()) {
      const row = rows[n + 1] ?? []
      const at = (name: string): string => (row[rows[0]?.indexOf(name) ?? -1] ?? '').replace(/^'/, '')
      expect([at('name'), at('output'), at('error'), at('provider')]).toEqual([payload, payload, payload, payload])
    }
  })

  it('are left as they are with raw', () => {
    const [row] = rowsOf(
      exported('csv', aDocument({ cases: [aCase({ output: '=1+1', name: "'quoted" })] }), { raw: true }),
    )
    expect([row?.['output'], row?.['name']]).toEqual(['=1+1', "'quoted"])
  })

  it('can be read back from any text', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (output, score) => {
          const rows = parse(exported('csv', aDocument({ cases: [aCase({ output, score, asserts: [] })] })), {
            columns: true,
          }) as Array<Record<string, string>>
          expect(rows[0]?.['output']?.replace(/^'/, '')).toBe(output.toWellFormed())
          expect(Number(rows[0]?.['score'])).toBe(score === 0 ? 0 : score)
        },
      ),
    ))
})
