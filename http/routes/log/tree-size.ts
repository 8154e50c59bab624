import { z } from 'zod'

export const NUMBER = /^(?:0|[1-9]\d{0,14})$/

/** For the API's document: parameters are text, but this one means a number. */
export const SIZE = { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 } as const

export const size = z
  .string()
  .refine((text) => NUMBER.test(text), 'must be a number of records')
  .transform(Number)
  .meta(SIZE)
