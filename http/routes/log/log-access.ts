import { Refused } from '../../../commands/refused.ts'
import type { Scope, Viewer } from '../../../queries/access/viewer.ts'
import { isTreeComplete } from '../../../queries/log/tree.ts'
import type { CheckpointSigner, CosignedCheckpoint } from '../../../runtime/proof/signer.ts'
import { CACHE_RULES } from '../../answers/cache-rules.ts'
import { NotYet } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Services } from '../../services.ts'

/** Whether an answer never changes, or another one may follow under the same address. */
type Lifetime = 'immutable' | 'changing'

/** Who may read checkpoints, hashes and proofs, and how long their answers may be kept. */
export type LogAccess = {
  /** The rules of such a route. */
  readonly rules: { readonly scope: Scope | null }
  /** Refuses: forbidden, if the viewer must see every run set but does not. */
  readonly check: (viewer: Viewer) => void
  /** The headers of an answer. */
  readonly headers: (lifetime: Lifetime) => Readonly<Record<string, string>>
}

const IMMUTABLE = 'max-age=31536000, immutable'

/**
 * The access that SERVICE_CHECKPOINT_ACCESS gives. Hashes reveal nothing of a record, but their number shows how much
 * happens in all run sets, so by default they have the gate of the audit trail, in every authentication mode.
 */
export const logAccess = ({ proof: { checkpointAccess } }: Pick<Services['config'], 'proof'>): LogAccess => ({
  rules: { scope: SCOPE[checkpointAccess] },
  check: (viewer) => {
    if (checkpointAccess === 'admin') checkSeesAll(viewer)
  },
  headers: (lifetime) => {
    if (checkpointAccess !== 'public')
      return lifetime === 'immutable' ? { 'cache-control': `private, ${IMMUTABLE}` } : {}
    const kept = lifetime === 'immutable' ? IMMUTABLE : 'max-age=5'
    // The same for every caller, so that a shared cache may answer any of them.
    return { 'cache-control': `public, ${kept}`, vary: 'Accept-Encoding' }
  },
})

const SCOPE = { admin: 'admin', read: 'read', public: null } as const

/** The rules of reads that show records of all run sets, whatever SERVICE_CHECKPOINT_ACCESS is. */
export const RECORDS_ACCESS = { scope: 'admin' } as const

/** The headers of an entry bundle: private, whatever the access to hashes is. */
export const recordsHeaders = (lifetime: Lifetime): Readonly<Record<string, string>> =>
  lifetime === 'immutable' ? { 'cache-control': `private, ${IMMUTABLE}` } : {}

/** Adds `Accept` to the headers of an answer that depends on it. */
export const varyByAccept = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...headers,
  vary: `${headers['vary'] ?? CACHE_RULES.vary}, Accept`,
})

/** Whether a caller asks for JSON in place of text. */
export const asksForJson = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((range) => /^\s*application\/json\s*(?:;|$)/i.test(range))

/** The signer. Refuses: not_found, if the service has none. */
export const neededSigner = (signer: CheckpointSigner | null): CheckpointSigner => {
  if (!signer) throw new Refused('not_found', 'this service signs no checkpoints')
  return signer
}

/** Why a caller that asks for a cosigned checkpoint gets none from this service. */
export const NO_POLICY = 'this service has no witness policy, so no checkpoint is cosigned'

/** The newest checkpoint. Refuses: not_found, if the service has not signed one yet. */
export const newestCheckpoint = async (signer: CheckpointSigner): Promise<CosignedCheckpoint> => {
  const newest = await signer.newest()
  if (!newest) throw new Refused('not_found', 'no checkpoint was signed yet')
  return newest
}

/** Throws `NotYet` while an upgrade computes the tree of earlier records. */
export const checkTree = async ({ reader }: Pick<CheckpointSigner, 'reader'>): Promise<void> => {
  if (!(await isTreeComplete(reader))) throw new NotYet('the tree of the log is not complete yet; try again')
}
