import type { CaseDetail } from '../../../queries/cases/cases.ts'
import { mayLoseDigits, parseShown } from '../../text/exact-json.ts'

/**
 * Reads a case as it was answered. Free-form values keep their digits; the fields that the service knows are plain
 * numbers. Throws: SyntaxError.
 */
export const readCaseDetail = (text: string): CaseDetail => {
  const plain = JSON.parse(text) as CaseDetail
  if (!mayLoseDigits.test(text)) return plain
  const exact = parseShown(text) as CaseDetail
  const { output, vars, request, raw, error_details, tool_calls, prompt } = exact
  const free = Object.fromEntries(
    Object.entries({ output, vars, request, raw, error_details, tool_calls, prompt }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  const asserts = plain.asserts.map((each, n) => ({
    ...each,
    ...pick(exact.asserts[n], 'details'),
    ...pick(exact.asserts[n], 'criteria'),
  }))
  return { ...plain, ...free, asserts }
}

const pick = <T extends object, K extends keyof T>(from: T | undefined, key: K): Partial<Pick<T, K>> =>
  from && from[key] !== undefined ? ({ [key]: from[key] } as Partial<Pick<T, K>>) : {}
