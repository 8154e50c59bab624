import type { z } from 'zod'
import { Refused } from '../../commands/refused.ts'

/** A check of a schema that reports what a function refuses. So a body is refused before access is checked. */
export const refusedBy =
  <T>(check: (given: T) => unknown) =>
  (given: T, context: z.RefinementCtx): void => {
    try {
      check(given)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  }
