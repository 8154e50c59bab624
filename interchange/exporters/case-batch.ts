import { caseName } from '../../domain/lists/case-name.ts'
import { readCase, readCaseTexts, type NormalCase } from '../../domain/run/document.ts'
import type { CaseText } from '../../domain/report/exporter.ts'

/** The batch of a format that is written case by case. */
export const SMALL_BATCH = { maxCases: 500, maxBytes: 256 * 1024 }

/** A case in its normal form, as the case detail returns it: an empty reason counts as none. */
export const parsedCase = ({ bytes }: CaseText): Omit<NormalCase, 'empty_reason'> & Partial<NormalCase> => {
  const read = readCase(bytes)
  const { empty_reason, ...rest } = read
  return empty_reason === '' ? rest : read
}

/** The same for formats of texts and measures: numbers in other free-form values may lose digits. Takes half the time. */
export const caseTextsOf = ({ bytes }: CaseText): NormalCase => readCaseTexts(bytes)

/** The name of a case; a further trial of a test has its number, from 2. */
export const trialName = (item: Pick<NormalCase, 'cell' | 'name' | 'vars'>): string =>
  `${caseName(item)}${item.cell.repeat > 0 ? ` [${item.cell.repeat + 1}]` : ''}`
