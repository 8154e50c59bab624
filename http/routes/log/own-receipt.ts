import { Refused } from '../../../commands/refused.ts'
import { findStaticToken } from '../../../queries/access/static-tokens.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { isRecordedBy, type OpenRecord } from '../../../queries/log/receipts.ts'
import { startOfToken } from '../../identity/static-tokens.ts'
import type { Services } from '../../services.ts'

export const ERASED = 'receipt not found: the record was erased'

type Parts = Pick<Services, 'reader' | 'signer' | 'config'>

/** A standby may not know yet that a token has a new secret. */
const tokenStart = async ({ reader, signer, config }: Parts, { actor }: Viewer): Promise<number | null> =>
  actor.kind === 'static' && actor.credential_id !== null
    ? startOfToken(config.tokens, await (signer?.reader ?? reader).read(findStaticToken(actor.credential_id)))
    : null

/** Refuses: forbidden, if the viewer may not read the whole body of the record; not_found, if it was erased. */
export const checkOwn = async (
  services: Parts,
  viewer: Viewer,
  record: OpenRecord | null,
  { thing, act }: { readonly thing: string; readonly act: string },
): Promise<OpenRecord> => {
  if (!viewer.sees_all) {
    if (services.config.proof.receipts === 'admin')
      throw new Refused('forbidden', `only an admin may have the receipt of a ${thing}`)
    if (record && !isRecordedBy(viewer, record, await tokenStart(services, viewer)))
      throw new Refused('forbidden', `only who ${act} this ${thing}, or an admin, may have its receipt`)
  }
  if (!record) throw new Refused('not_found', ERASED)
  return record
}
