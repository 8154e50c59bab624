import { createHash, randomBytes } from 'node:crypto'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { listStaticTokens } from '../../queries/access/static-tokens.ts'
import type { OpenService } from '../../runtime/services.ts'
import type { StaticToken } from '../services.ts'
import { staticTokenId } from './static-tokens.ts'

const SALT_BYTES = 16

/** Long enough to notice a change (all but 1 in 65,536), and too short to find a weak secret. */
const DIGEST_BYTES = 2

const digestOf = (salt: Buffer, secret: string): Buffer =>
  createHash('sha256').update(salt).update(secret).digest().subarray(0, DIGEST_BYTES)

/**
 * Notes from which record on each static token has its present secret. Call it at each start, before the first request: an
 * id is a place in the list of tokens, and may belong to another token since the last start.
 */
export const noteStaticTokens = async (
  { reader, commit }: Pick<OpenService, 'reader' | 'commit'>,
  tokens: readonly StaticToken[],
): Promise<void> => {
  const known = new Map((await reader.read(listStaticTokens)).map((token) => [token.id, token]))
  const changed = tokens.flatMap((token) => {
    const id = staticTokenId(token)
    const before = known.get(id)
    if (before?.digest.equals(digestOf(before.salt, token.secret)) === true) return []
    const salt = randomBytes(SALT_BYTES)
    return [{ id, salt: salt.toString('hex'), digest: digestOf(salt, token.secret).toString('hex') }]
  })
  if (changed.length > 0) await commit('noteStaticTokens', SYSTEM, { tokens: changed })
}
