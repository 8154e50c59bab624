import { junitReport } from '../../domain/report/junit.ts'
import { printableLines } from '../../domain/text/printable.ts'
import type { CaseDocument, RunDocument } from '../runner/run-document.ts'
import { runChunks, runText } from '../store/run-file.ts'
import { runMarkdown } from './markdown.ts'
import { paintOf } from './paint.ts'
import { failedCases } from './select-cases.ts'
import { tableReport } from './table.ts'

export const RUN_FORMATS = ['table', 'json', 'jsonl', 'junit', 'md'] as const
export type RunFormat = (typeof RUN_FORMATS)[number]

type RunReportOptions = {
  /** Only failed, errored and unexpectedly passed cases. Totals stay those of the whole run. */
  readonly failed?: boolean
  /** Whether the table has colours, for a terminal. The other formats have none. */
  readonly colour?: boolean
}

/** A run in one of the formats, with a line break at its end. */
export const runReport = (
  run: RunDocument,
  format: RunFormat,
  { failed = false, colour = false }: RunReportOptions = {},
): string => {
  const cases = failed ? failedCases(run.cases) : run.cases
  switch (format) {
    case 'table':
      return tableReport(run, cases, paintOf(colour))
    case 'json':
      return printableLines(runText({ ...run, cases }))
    case 'jsonl':
      return caseLines(cases)
    case 'junit':
      return junitReport({ ...run, cases })
    case 'md':
      return runMarkdown(run)
  }
}

/** A run in one of the formats, in pieces: a document of thousands of cases is never one text. */
export function* runReportChunks(
  run: RunDocument,
  format: RunFormat,
  options: Pick<RunReportOptions, 'colour'>,
): Generator<string> {
  if (format === 'json') for (const chunk of runChunks(run)) yield printableLines(chunk)
  else if (format === 'jsonl') for (const item of run.cases) yield caseLines([item])
  else yield runReport(run, format, options)
}

/** Cases as compact JSON, one on each line. */
export const caseLines = (cases: readonly CaseDocument[]): string =>
  printableLines(cases.map((item) => `${JSON.stringify(item)}\n`).join(''))
