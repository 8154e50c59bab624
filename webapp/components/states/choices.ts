/** A part of the address that selects one of some values; `words` name it to the user. See UnknownChoices.vue. */
export type Choice = {
  readonly name: string
  readonly words: string
  readonly accepts: (value: string) => boolean
}

export const oneOf = (name: string, words: string, values: readonly string[]): Choice => ({
  name,
  words,
  accepts: (value) => values.includes(value),
})
