import type { CaseStatus } from '../run/document.ts'

/** What the report of a run needs. A run document has this shape. */
export type JunitRun = {
  readonly suite?: string | undefined
  readonly summary: {
    readonly total: number
    readonly failed: number
    readonly errored: number
    readonly xpassed?: number | undefined
  }
  readonly cases: readonly JunitCase[]
}

type JunitCase = {
  readonly cell: { readonly provider_id: string; readonly test_id: string }
  readonly name?: string | undefined
  readonly status: CaseStatus
  readonly score: number
  readonly latency_ms: number
  readonly error?: string | undefined
  readonly expect_fail_reason?: string | undefined
}

/**
 * Writes a run in the JUnit format that CI systems read: one `testsuite`, one `testcase` per case. The counts are those
 * of the summary, also if `cases` are only some cases of the run. An unexpected pass is a failure.
 */
export const junitReport = ({ suite, summary, cases }: JunitRun): string => {
  const failures = summary.failed + (summary.xpassed ?? 0)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escaped(suite ?? 'ers')}" tests="${summary.total}" failures="${failures}" errors="${summary.errored}">`,
    ...cases.map(caseLine),
    '</testsuite>',
  ]
  return `${lines.join('\n')}\n`
}

const caseLine = (result: JunitCase): string => {
  const { cell, name, latency_ms } = result
  const attributes = `classname="${escaped(cell.provider_id)}" name="${escaped(name ?? cell.test_id)}" time="${(latency_ms / 1000).toFixed(3)}"`
  return `  <testcase ${attributes}>${outcome(result)}</testcase>`
}

const outcome = ({ status, score, error, expect_fail_reason: reason }: JunitCase): string => {
  switch (status) {
    case 'pass':
      return ''
    case 'fail':
      return `<failure message="score ${score.toFixed(2)}"></failure>`
    case 'error':
      return `<error message="${escaped(error ?? '')}"></error>`
    case 'skip':
      return '<skipped></skipped>'
    case 'xfail':
      return `<skipped message="${escaped(reason === undefined || reason === '' ? 'expected failure' : `expected failure: ${reason}`)}"></skipped>`
    case 'xpass':
      return '<failure message="unexpectedly passed (strict expect_fail)"></failure>'
  }
}

/** All that is not a character of XML 1.0 (production 2 of the recommendation): no escape can write it. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** The references of characters in an attribute. A bare line break or tab would be read as a space. */
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** A text as the value of an attribute in double quotes. Characters that XML does not allow are dropped. */
const escaped = (text: string): string =>
  text.replace(NOT_XML, '').replace(/[&<>"\t\n\r]/g, (character) => REFERENCES[character] ?? '')
