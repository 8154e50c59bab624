import type { CaseDetail } from '../../../queries/cases/cases.ts'
import { mayLoseDigits, parseShown } from '../../text/exact-json.ts'

/**
 * Parses the response with a case, or with a case as one of its members. Numbers in free-form values keep all their
 * digits; numbers in the service's own fields are plain numbers. Throws: SyntaxError.
 */
export const readCaseDetail = (text: string, member?: 'case'): CaseDetail => {
  const detailOf = (parsed: unknown): CaseDetail =>
    member === undefined ? (parsed as CaseDetail) : (parsed as Readonly<Record<'case', CaseDetail>>)[member]
  const plain = detailOf(JSON.parse(text))
  if (!mayLoseDigits.test(text)) return plain
  const exact = detailOf(parseShown(text))
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
