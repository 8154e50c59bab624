import { z } from 'zod'
import { isReference, REFERENCE } from '../../domain/reference.ts'

/** A reference to a case that is described elsewhere. */
export const Reference = z
  .string()
  .refine(isReference, `must be 1 to 64 of the characters ${REFERENCE.characters}`)
  .meta({ pattern: REFERENCE.pattern })
