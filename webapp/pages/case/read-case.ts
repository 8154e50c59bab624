import type { CaseDetail } from '../../../queries/cases/cases.ts'
import { mayLoseDigits, parseShown } from '../../text/exact-json.ts'

/**
 * Parses the response with a case. Numbers in free-form values keep all their digits; numbers in the service's own
 * fields are plain numbers. Throws: SyntaxError.
 */
export const readCaseDetail = (text: string): CaseDetail => {
  const plain = JSON.parse(text) as CaseDetail
  if (!mayLoseDigits.test(text)) return plain
  const exact = parseShown(text) as CaseDetail
  const { output, vars, request, raw, error_details, tool_calls, prompt } = exact
  const freeForm = Object.fromEntries(
    Object.entries({ output, vars, request, raw, error_details, tool_calls, prompt }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  const asserts = plain.asserts.map((assertion, n) => ({
    ...assertion,
    ...pick(exact.asserts[n], 'details'),
    ...pick(exact.asserts[n], 'criteria'),
  }))
  return { ...plain, ...freeForm, asserts }
}

const pick = <T extends object, K extends keyof T>(from: T | undefined, key: K): Partial<Pick<T, K>> =>
  from && from[key] !== undefined ? ({ [key]: from[key] } as Partial<Pick<T, K>>) : {}
