import { FIELD_WORDS, FIELDS, valueWords } from './run-filters.ts'
import type { Field, RunFilters } from './run-filters.ts'

/** A value to choose, with how many runs have it where the server told. */
export type Value = { readonly value: string; readonly count?: number }
/** Values of a field; `all` where there are no others. */
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
 * Fields whose values are few and known roughly: what fits goes before what is typed. Of others what is typed in full
 * would else be taken for another that holds it.
 */
const ROUGHLY: ReadonlySet<Field> = new Set(['project', 'suite'])
/** Values offered at once, and of each field where no field was named yet. */
const MOST = 50
const MAX_OF_EACH = 4

/**
 * What is typed, split at the names of fields: `suite:mini-agi status:fail`. `rest` is what stands before the first
 * one.
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

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
const suggested = (field: Field, { value, count }: Value): Suggestion => ({
  kind: 'value',
  field,
  value,
  words: valueWords(field, value),
  count: count ?? null,
})
const matching = (field: Field, { values }: Values, typed: string): readonly Value[] =>
  values.filter(({ value }) => holds(value, typed) || holds(valueWords(field, value), typed))

/**
 * What the text may become: fields not yet set, values that fit, and, where not all values are known, the one that was
 * typed.
 */
export const suggest = (text: string, set: RunFilters, valuesOf: (field: Field) => Values): readonly Suggestion[] => {
  const { rest, terms } = readTyped(text)
  const last = terms.at(-1)
  if (last) {
    const known = valuesOf(last.field)
    const fits = matching(last.field, known, last.value)
      .toSorted((a, b) => Number(b.value === last.value) - Number(a.value === last.value))
      .slice(0, MOST)
      .map((value) => suggested(last.field, value))
    if (known.all || last.value === '' || fits.some((each) => each.kind === 'value' && each.value === last.value))
      return fits
    const typed = suggested(last.field, { value: last.value })
    return ROUGHLY.has(last.field) ? [...fits, typed] : [typed, ...fits]
  }
  const fields = FIELDS.filter(
    (field) => set[field] === undefined && (holds(field, rest) || holds(FIELD_WORDS[field], rest)),
  ).map((field): Suggestion => ({ kind: 'field', field, words: FIELD_WORDS[field] }))
  if (rest === '') return fields
  return [
    ...fields,
    ...FIELDS.flatMap((field) =>
      matching(field, valuesOf(field), rest)
        .slice(0, MAX_OF_EACH)
        .map((value) => suggested(field, value)),
    ),
  ]
}
