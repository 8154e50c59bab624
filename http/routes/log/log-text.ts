import { z } from 'zod'

/** The content type of signed notes, keys, proofs and receipts. */
export const TEXT = 'text/plain; charset=utf-8'

/** Describes an answer that is text. */
export const textContent = (description: string) => ({
  description,
  content: { [TEXT]: { schema: z.string() } },
})

export const NUMBER = /^[1-9]\d{0,14}$/
