import { assertionName } from '../lists/assertion-name.ts'
import { storedBeginning } from './document-values.ts'
import { outputText, type NormalCase } from './document.ts'

// What a list of cases can show and group by, beyond its own columns: the variables of a test and its assertions.

/** Maximum numbers of variables and of assertions of a case that lists show, and of characters of a name and of a value. */
const [MAX_VARS, MAX_ASSERTS, MAX_NAME, MAX_VALUE] = [20, 20, 60, 80] as const

/** Texts by the name of the field: `var.city`, `assert.accuracy`. */
export type CaseFields = Readonly<Record<string, string>>

/** Two decimals; a whole number has none. */
const scoreText = (score: number): string => String(Math.round(score * 100) / 100)

/**
 * The fields of a case. The value of an assertion is its status, with its score unless that is 0 or 1: `fail .2`. A name
 * that does not fit, or that has `=`, which ends the name in a filter, is left out.
 */
export const caseFields = ({ vars, asserts }: Pick<NormalCase, 'vars' | 'asserts'>): CaseFields => {
  const fields: Record<string, string> = {}
  const add = (name: string, value: string): void => {
    if (name.length <= MAX_NAME && !name.includes('=')) fields[name.toWellFormed()] = value
  }
  for (const [name, value] of Object.entries(vars ?? {}).slice(0, MAX_VARS)) {
    const text = outputText(value)
    if (text !== null) add(`var.${name}`, storedBeginning(text, MAX_VALUE))
  }
  for (const assertion of asserts.slice(0, MAX_ASSERTS)) {
    const { title, judge } = assertionName(assertion)
    const name = `assert.${title}${judge === null ? '' : ` · ${judge}`}`
    const { status, score } = assertion
    // Assertions of one name are one field, of which the first that failed counts.
    if (fields[name] === undefined || (fields[name].startsWith('pass') && status !== 'pass'))
      add(name, score === 0 || score === 1 ? status : `${status} ${scoreText(score)}`)
  }
  return fields
}

/**
 * The names of the assertions of a case in their order, by its stored fields: each with its judge. Null if two of them have
 * the same name, or one has a name that does not fit.
 */
export const assertNames = (count: number, stored: string | null): readonly string[] | null => {
  // Safe: `caseFields` made it.
  const names = Object.keys(JSON.parse(stored ?? '{}') as CaseFields).filter(isAssertField)
  return names.length === count ? names.map((name) => name.slice('assert.'.length)) : null
}

/** Whether the values of a field are statuses of assertions, of which groups and filters leave out the score. */
const isAssertField = (name: string): boolean => name.startsWith('assert.')

/** The value of a field by which cases are grouped. */
export const groupValue = (name: string, value: string): string =>
  isAssertField(name) ? (value.split(' ', 1)[0] ?? value) : value

/** The texts that the stored fields of a case contain if the field has the value; one of them suffices. */
export const fieldTokens = (name: string, value: string): readonly string[] => {
  const pair = JSON.stringify({ [name]: value }).slice(1, -1)
  return isAssertField(name) ? [pair, `${pair.slice(0, -1)} `] : [pair]
}
