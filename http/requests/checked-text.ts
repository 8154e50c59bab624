import { z } from 'zod'

/** A text of at most `max` characters, of which a function says what is wrong, or null. */
export const checkedText = (problemOf: (text: string) => string | null, max: number) =>
  z
    .string()
    .superRefine((text, context) => {
      const message = problemOf(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })
    .meta({ minLength: 1, maxLength: max })
