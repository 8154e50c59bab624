import { z } from 'zod'

const SWITCH = { true: true, false: false, 1: true, 0: false, yes: true, no: false } as const

/** A switch: `true`, `1` and `yes`, or `false`, `0` and `no`. */
export const Switch = z
  .string()
  .refine(
    (text): text is `${keyof typeof SWITCH}` => Object.hasOwn(SWITCH, text),
    'must be true, false, 1, 0, yes or no',
  )
  .transform((text) => SWITCH[text])

/** The entries of a list that are separated by commas. White space around them and empty entries are ignored. */
export const listEntries = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** Names separated by commas, each once. */
export const Names = z.string().transform((text) => [...new Set(listEntries(text))])
