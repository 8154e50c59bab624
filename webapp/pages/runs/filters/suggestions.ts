import { FIELD_WORDS, FIELDS, valueWords, type Field, type RunFilters } from './run-filters.ts'

/** A value to choose; `count` is the number of runs that have it, if the server returned it. */
export type Value = { readonly value: string; readonly count?: number }
/** Values of a field; `all` is true if the field has no others. */
export type Values = { readonly all: boolean; readonly values: readonly Value[] }

export type Suggestion =
  | { readonly kind: 'field'; readonly field: Field; readonly words: string }
  | {
      readonly kind: 'value'
      readonly field: Field
      readonly value: string
      readonly words: string
      readonly count: number | null
    }

const START = new RegExp(`(?:^|\\s)(${FIELDS.join('|')}):`, 'g')
/**
 * Fields with few values, which users remember only roughly: values that match are suggested before the typed text. For
 * other fields the typed text comes first: it may be a complete value that is also part of a longer value.
 */
const MATCHES_FIRST: ReadonlySet<Field> = new Set(['project', 'suite', 'provider'])
/** Maximum number of values suggested for one field, and per field while no field is typed. */
const MAX_VALUES = 50
const MAX_VALUES_PER_FIELD = 4

/**
 * Splits the typed text at the names of fields: `suite:mini-agi status:fail`. `rest` is the text before the first
 * field.
 */
export const readTyped = (
  text: string,
): { readonly rest: string; readonly terms: ReadonlyArray<{ readonly field: Field; readonly value: string }> } => {
  const starts = [...text.matchAll(START)]
  const terms = starts.map((start, n) => ({
    field: start[1] as Field,
    value: text.slice(start.index + start[0].length, starts[n + 1]?.index).trim(),
  }))
  return { rest: text.slice(0, starts[0]?.index).trim(), terms }
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
const valueSuggestion = (field: Field, { value, count }: Value): Suggestion => ({
  kind: 'value',
  field,
  value,
  words: valueWords(field, value),
  count: count ?? null,
})
const matching = (field: Field, { values }: Values, typed: string): readonly Value[] =>
  values.filter(({ value }) => contains(value, typed) || contains(valueWords(field, value), typed))

/**
 * The suggestions for a text: fields that are not set, and values that match. The typed value itself is suggested too,
 * unless all values are known.
 */
export const suggest = (text: string, set: RunFilters, valuesOf: (field: Field) => Values): readonly Suggestion[] => {
  const { rest, terms } = readTyped(text)
  const last = terms.at(-1)
  if (last) {
    const fieldValues = valuesOf(last.field)
    const matches = matching(last.field, fieldValues, last.value)
      .toSorted((a, b) => Number(b.value === last.value) - Number(a.value === last.value))
      .slice(0, MAX_VALUES)
      .map((value) => valueSuggestion(last.field, value))
    if (
      fieldValues.all ||
      last.value === '' ||
      matches.some((each) => each.kind === 'value' && each.value === last.value)
    )
      return matches
    const typed = valueSuggestion(last.field, { value: last.value })
    return MATCHES_FIRST.has(last.field) ? [...matches, typed] : [typed, ...matches]
  }
  const fields = FIELDS.filter(
    (field) => set[field] === undefined && (contains(field, rest) || contains(FIELD_WORDS[field], rest)),
  ).map((field): Suggestion => ({ kind: 'field', field, words: FIELD_WORDS[field] }))
  if (rest === '') return fields
  return [
    ...fields,
    ...FIELDS.flatMap((field) =>
      matching(field, valuesOf(field), rest)
        .slice(0, MAX_VALUES_PER_FIELD)
        .map((value) => valueSuggestion(field, value)),
    ),
  ]
}
