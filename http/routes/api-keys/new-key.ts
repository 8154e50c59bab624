import { z } from 'zod'
import type { NewKey } from '../../../commands/key/mint-key.ts'
import { DOT_NAME, isDotName } from '../../../domain/run/dot-names.ts'
import { parseInstant } from '../../../domain/instants.ts'
import { isName } from '../../../domain/run/readers.ts'
import { SCOPES } from '../../../queries/access/viewer.ts'
import { Label } from '../../identity/fields.ts'
import { boundedHashOf, hashOfToken, newApiKey, shownPrefixOf } from '../../identity/secrets.ts'
import { NAME } from '../../requests/shared-parameters.ts'

/** The latest end of a key: the last millisecond of the year 9999. */
const LATEST_MS = Date.UTC(10_000, 0) - 1

/** The name of a project or suite that a run can have. */
export const SetName = z
  .string()
  .refine((text) => text !== '' && isName(text), 'must be a name that a run can have: 1 to 400 bytes of UTF-8, no NUL')
  .refine((text) => !isDotName(text), DOT_NAME)
  .meta(NAME)

const End = z
  .string()
  .superRefine((given, context) => {
    const ms = parseInstant(given)
    if (ms === null || ms > LATEST_MS)
      context.addIssue({ code: 'custom', message: 'must be an RFC 3339 instant before the year 10000' })
  })
  .meta({ format: 'date-time', description: 'When the key ends. Without it, the key does not end.' })

/** The body of a request for a key. */
export const NewApiKey = z
  .strictObject({
    name: Label.nullish(),
    scope: z.enum(SCOPES).nullish(),
    expires_at: End.nullish(),
    project: SetName.nullish().meta({
      description: 'Limits the key to this project: everything else is absent for it. Its scope is at most `write`.',
    }),
    suite: SetName.nullish().meta({ description: 'Limits the key to this suite of the project.' }),
  })
  .refine(({ project, suite }) => !suite || project, { path: ['suite'], message: 'give its project too' })

type Parts = { readonly mint: () => string; readonly now: () => number }

/** Draws the secret of a key. Returns it with what the command stores. */
export const newKey = (
  { name = null, scope = null, expires_at = null, project = null, suite = null }: z.infer<typeof NewApiKey>,
  { mint, now }: Parts,
): { readonly key: string; readonly made: NewKey } => {
  const key = newApiKey()
  const end = expires_at === null ? null : parseInstant(expires_at)
  const digest = hashOfToken(key)
  const isBounded = end !== null || project !== null
  return {
    key,
    made: {
      key_id: mint(),
      name,
      scope,
      expires_at: end,
      limit: project === null ? null : { project, suite },
      at: now(),
      prefix: shownPrefixOf(key),
      secret_hash: isBounded ? boundedHashOf(digest) : digest,
    },
  }
}
