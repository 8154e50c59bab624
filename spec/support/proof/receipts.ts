import { createHash } from 'node:crypto'
import { utf8 } from '../../../domain/proof/bytes.ts'
import { checkpointText } from '../../../domain/proof/checkpoint.ts'
import { signedNote } from '../../../domain/proof/note.ts'
import { openingText, type Opening } from '../../../domain/proof/opening.ts'
import { proofText } from '../../../domain/proof/tlog-proof.ts'
import { recordCommitment, recordLeaf } from '../../../storage/log/event.ts'
import { nodeHash } from '../../../storage/log/merkle.ts'
import { OPENING } from './check-value.ts'
import { logKey } from './keys.ts'

const leafOfOpening = ({ salt, body, recorded_at, type }: Opening): Buffer =>
  recordLeaf(recordCommitment(Buffer.from(salt, 'hex'), body), recorded_at, type)

/** The body of the check value with other members. */
export const bodyWith = (changes: object): string => {
  const members = { ...(JSON.parse(OPENING.body) as Record<string, unknown>), ...changes } as Record<string, unknown>
  const { actor, data, request_id, stream, version } = members
  return JSON.stringify({ actor, data, request_id, stream, version })
}

type Sole = Partial<Opening> & { readonly origin?: string; readonly seed?: number }

/** A receipt of the only record of a log, with the vkey of the log. */
export const soleReceipt = async ({ origin = 'log.example', seed = 1, ...changes }: Sole) => {
  const key = await logKey(origin, seed)
  const opening = { ...OPENING, ...changes }
  const text = checkpointText({ origin, size: 1, root: leafOfOpening(opening) })
  const checkpoint = signedNote(text, [key.sign(text)])
  return {
    receipt: proofText({ extra: utf8(openingText(opening)), index: 0, path: [], checkpoint }),
    vkey: key.vkey.text,
  }
}

/** The receipts of a plan with the text `the plan`, and of a run that was recorded after it and follows it. */
export const planReceipt = async (changes: Partial<Opening> = {}) => {
  const key = await logKey('log.example', 7)
  const plan_sha256 = createHash('sha256').update('the plan').digest('hex')
  const planned = { plan_bytes: 8, plan_id: 'p', plan_sha256, project: 'chat', suite: 'smoke' }
  const openings: [Opening, Opening] = [
    { ...OPENING, ...changes, type: 'PlanRegistered', body: bodyWith({ data: planned, stream: 'plan/p' }) },
    OPENING,
  ]
  const [first, second] = openings.map(leafOfOpening) as [Buffer, Buffer]
  const text = checkpointText({ origin: 'log.example', size: 2, root: nodeHash(first, second) })
  const checkpoint = signedNote(text, [key.sign(text)])
  const receiptOf = (index: 0 | 1, sibling: Buffer): string =>
    proofText({ extra: utf8(openingText(openings[index])), index, path: [sibling], checkpoint })
  return { plan: receiptOf(0, second), run: receiptOf(1, first), vkey: key.vkey.text }
}
