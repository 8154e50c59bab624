import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EXPORT_FORMATS } from '../../../domain/report/export-formats.ts'
import { CASE_STATUSES, openDocument, outputText, type NormalCase } from '../../../domain/run/document.ts'
import { aCase, aDocument, type ADocument } from '../../support/documents/documents.ts'
import { exported } from '../../support/documents/exported.ts'
import { HOSTILE } from '../../support/documents/hostile-cases.ts'
import { countsOf, importBytes } from '../../support/interchange/import-files.ts'

// What the exporters write is read by the real importers, found by its content as in `ers import FILE`.

const FORMATS = ['jsonl', 'csv', 'parquet', 'junit', 'ctrf'] as const
type Format = (typeof FORMATS)[number]

const HOSTILE_TEXTS = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', "'", "''=1", '"', '""', ',', ';', '\\', '\\;', ' ', ''],
  ...['a\r\nb', '\r\n', '\n\n', ']]>', '<!--', '&amp;', '&#0;', '<b>&</b>', '{"a":1}', 'null', '[1', '\uFEFFstart'],
  ...['run_id,project', '\u2028', '👩‍👩‍👧‍👦', '-0', '1e400', '0x10', 'NaN'],
]
const text = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...HOSTILE_TEXTS), { maxLength: 4 }).map((parts) => parts.join('x')),
)
const output = fc.oneof(text, fc.constantFrom({ a: [1, '=2'] }, [1, 'two'], 12.5, true, { deep: { text: '"\r\n' } }))
const score = fc.constantFrom(0, 1, 0.5, 0.1 + 0.2, 1e-7, 0.123456789012345)

const drawnCase = fc
  .record({
    status: fc.constantFrom(...CASE_STATUSES),
    score,
    output,
    name: text,
    tags: fc.uniqueArray(text, { maxLength: 3 }),
    error: text,
  })
  .map(({ status, error, name, ...rest }) => ({
    status,
    ...rest,
    ...(name === '' ? {} : { name }),
    ...(status === 'error' ? { error, error_class: 'provider_timeout' } : {}),
  }))

const documentOf = (cases: ReadonlyArray<Record<string, unknown>>): ADocument =>
  aDocument({
    run_id: 'again-1',
    cases: cases.map((fields, n) =>
      aCase({ ...fields, cell: { test_id: `t${n >> 1}`, repeat: n & 1, ...(fields['cell'] as object | undefined) } }),
    ),
  })

const casesOf = (document: ADocument): NormalCase[] => {
  const opened = openDocument(Buffer.from(JSON.stringify(document)))
  return Array.from({ length: opened.caseCount }, (_, n) => opened.caseAt(n))
}

const importedCases = async (format: Format, document: ADocument): Promise<readonly NormalCase[]> => {
  const file = exported(format, document, { batch: 3, flaky: new Uint8Array([0b11]) })
  const results = await importBytes(`run${EXPORT_FORMATS[format].ending}`, file)
  expect(countsOf(results)[0]).not.toMatch(/^refused/)
  expect(results).toHaveLength(1)
  return results[0]?.document?.cases ?? []
}

/** What every format has of a case. */
const core = ({ cell, status, score: value }: NormalCase) => ({ cell, status, score: value })

/** A text without the characters that XML forbids. */
const asXml = (value: string): string =>
  value.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')

const expectSame = async (format: Format, document: ADocument): Promise<void> => {
  const before = casesOf(document)
  const after = await importedCases(format, document)
  expect(after.map(core), format).toEqual(before.map(core))
  const outputs = after.map((item) => item.output)
  switch (format) {
    case 'jsonl':
      expect(after).toEqual(before)
      return
    case 'csv':
    case 'parquet':
      expect(outputs.map((value) => value ?? null)).toEqual(
        before.map((item) => outputText(item.output)?.toWellFormed() ?? null),
      )
      expect(after.map(({ tags, name }) => ({ tags: tags ?? [], name }))).toEqual(
        before.map(({ tags, name }) => ({ tags: tags ?? [], name })),
      )
      // The CSV file has no variables.
      if (format === 'parquet')
        expect(after.map(({ vars }) => vars ?? {})).toEqual(before.map(({ vars }) => vars ?? {}))
      return
    case 'junit':
      expect(outputs.map((value) => value ?? null)).toEqual(
        before.map((item) => {
          const value = outputText(item.output)
          return value === null ? null : asXml(value)
        }),
      )
      return
    case 'ctrf':
      expect(outputs.map((value) => value ?? null)).toEqual(before.map((item) => outputText(item.output)))
  }
}

describe.each(FORMATS)('the %s export, imported again', (format) => {
  it('has the statuses, scores and outputs of any run', () =>
    fc.assert(
      fc.asyncProperty(fc.array(drawnCase, { minLength: 1, maxLength: 8 }), (cases) =>
        expectSame(format, documentOf(cases)),
      ),
      { numRuns: 40 },
    ))

  it('has every hostile text as an output', () =>
    expectSame(format, documentOf(HOSTILE_TEXTS.map((value) => ({ output: value })))))

  it('has the cases of a hostile run', () =>
    expectSame(format, aDocument({ run_id: 'hostile', cases: Object.values(HOSTILE) })))
})
