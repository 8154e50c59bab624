import { z } from 'zod'
import { isDigest } from '../../../domain/evidence/manifest.ts'
import { IdPath } from '../../requests/shared-parameters.ts'

/** The digest by which a part is named. */
export const digest = z
  .string()
  .refine(isDigest, 'must be 64 lower-case hex digits')
  .meta({ description: 'The SHA-256 of the bytes, in lower-case hex.', pattern: '^[0-9a-f]{64}$' })

/** The path of a part that is sent. */
export const PartPath = z.object({ sha256: digest })

/** The path of a part of a run. Any text is accepted: what is no digest names no part. */
export const RunPartPath = IdPath.extend({
  sha256: z.string().meta({ description: 'The SHA-256 of the bytes, in lower-case hex.', pattern: '^[0-9a-f]{64}$' }),
})

/** An answer with bytes. The document names no other type, because a part may have any. */
export const partContent = (description: string) => ({
  description,
  content: { 'application/octet-stream': { schema: z.unknown() } },
})
