import { isObject } from '../plain/is-object.ts'

/** What an assertion is named by. */
export type NamedAssertion = { readonly kind: string; readonly criteria?: unknown; readonly details?: unknown }

type Fields = Readonly<Record<string, unknown>>
const asFields = (value: unknown): Fields => (isObject(value) ? value : {})

const TITLE_FIELDS = ['name', 'metric', 'title', 'label', 'check', 'scorer']
const JUDGE_FIELDS = ['judge', 'judge_model', 'grader']
/** Fields that say what is asserted, for a kind that has no name. */
const VALUE_FIELDS = ['value', 'values', 'criteria', 'target', 'answer', 'expected', 'pattern', 'question']

const textIn = (fields: Fields, names: readonly string[]): readonly [name: string, text: string] | null => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return [name, value]
  }
  return null
}

export type AssertionName = {
  /** Its name or metric; its kind if it has neither. */
  readonly title: string
  /** Its judge. */
  readonly judge: string | null
  /** The judge; for an assertion that only its kind names, the value that is asserted. */
  readonly detail: string | null
  /** Fields of the definition that the name already shows in full. */
  readonly shown: readonly string[]
}

/** How an assertion is named: by its name or metric, then its judge. The kind is used only if nothing else names it. */
export const assertionName = ({ kind, criteria, details }: NamedAssertion): AssertionName => {
  const fields = asFields(criteria)
  const title = textIn(fields, TITLE_FIELDS) ?? textIn(asFields(details), ['name', 'metric'])
  const judge = textIn(fields, JUDGE_FIELDS) ?? textIn(asFields(details), ['judge'])
  const by = judge?.[1] ?? null
  const negation = fields['negate'] === true ? 'not-' : ''
  const shown = ['type', 'kind', 'negate', ...(judge ? [judge[0]] : [])]
  if (title)
    return {
      title: negation === '' ? title[1] : `not ${title[1]}`,
      judge: by,
      detail: by,
      shown: [...shown, title[0]],
    }
  const value = judge ?? textIn(fields, VALUE_FIELDS)
  return { title: `${negation}${kind}`, judge: by, detail: value?.[1] ?? null, shown }
}
