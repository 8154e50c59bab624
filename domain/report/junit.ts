import type { CaseStatus } from '../run/document.ts'

/** What the report of a run needs. A run document has this shape. */
export type JunitRun = JunitHead & { readonly cases: readonly JunitCase[] }

/** The run without its cases. */
export type JunitHead = {
  readonly suite?: string | undefined
  readonly summary: {
    readonly total: number
    readonly failed: number
    readonly errored: number
    readonly xpassed?: number | undefined
  }
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

type Properties = ReadonlyArray<readonly [name: string, value: string | number | null | undefined]>

/** What a report may say of a run beyond the short form. */
export type JunitRunDetails = { readonly timestamp?: string; readonly properties: Properties }

/** What a report may say of a case beyond the short form. */
export type JunitCaseDetails = {
  readonly properties: Properties
  /** Why the case failed or ended with an error: the text of its element. */
  readonly reasons: readonly string[]
  /** The output of the provider, or null. */
  readonly output: string | null
}

/**
 * Writes a run in the JUnit format that CI systems read: one `testsuite`, one `testcase` per case. The counts are those
 * of the summary, also if `cases` are only some cases of the run. An unexpected pass is a failure.
 */
export const junitReport = (run: JunitRun): string =>
  [junitStart(run), ...run.cases.map((result) => junitCase(result)), JUNIT_END].join('')

/** The lines before the first case. */
export const junitStart = ({ suite, summary }: JunitHead, details?: JunitRunDetails): string => {
  const failures = summary.failed + (summary.xpassed ?? 0)
  const timestamp = details?.timestamp === undefined ? '' : ` timestamp="${escaped(details.timestamp)}"`
  const start = `<testsuite name="${escaped(suite ?? 'ers')}" tests="${summary.total}" failures="${failures}" errors="${summary.errored}"${timestamp}>`
  const properties = details ? propertiesElement(details.properties) : ''
  return `<?xml version="1.0" encoding="UTF-8"?>\n${start}\n${properties === '' ? '' : `  ${properties}\n`}`
}

/** The line after the last case. */
export const JUNIT_END = '</testsuite>\n'

/** One case, with its line break. */
export const junitCase = (result: JunitCase, details?: JunitCaseDetails): string => {
  const { cell, name, latency_ms } = result
  const attributes = `classname="${escaped(cell.provider_id)}" name="${escaped(name ?? cell.test_id)}" time="${(latency_ms / 1000).toFixed(3)}"`
  const properties = details ? propertiesElement(details.properties) : ''
  const output =
    details === undefined || details.output === null ? '' : `<system-out>${content(details.output)}</system-out>`
  const reasons = content(details?.reasons.join('\n\n') ?? '')
  return `  <testcase ${attributes}>${properties}${outcome(result, reasons)}${output}</testcase>\n`
}

const propertiesElement = (properties: Properties): string => {
  const elements = properties.flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [`<property name="${escaped(name)}" value="${escaped(String(value))}"></property>`],
  )
  return elements.length === 0 ? '' : `<properties>${elements.join('')}</properties>`
}

const outcome = ({ status, score, error, expect_fail_reason: reason }: JunitCase, reasons: string): string => {
  switch (status) {
    case 'pass':
      return ''
    case 'fail':
      return `<failure message="score ${score.toFixed(2)}">${reasons}</failure>`
    case 'error':
      return `<error message="${escaped(error ?? '')}">${reasons}</error>`
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

const withReferences = (text: string, characters: RegExp): string =>
  text.replace(NOT_XML, '').replace(characters, (character) => REFERENCES[character] ?? '')

/** A text as the value of an attribute in double quotes. Characters that XML does not allow are dropped. */
const escaped = (text: string): string => withReferences(text, /[&<>"\t\n\r]/g)

/** A text between two tags. Only a bare carriage return would be read as another character. */
const content = (text: string): string => withReferences(text, /[&<>\r]/g)
