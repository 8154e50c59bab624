import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Receipt, receiptJson, receiptText, type OpenRecord } from '../../../queries/log/receipts.ts'
import type { CheckpointSigner, CosignedCheckpoint } from '../../../runtime/proof/signer.ts'
import { CACHE_RULES } from '../../answers/cache-rules.ts'
import { ErrorBody, NotYet } from '../../errors.ts'
import { flag } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { asksForJson, checkTree, neededSigner, NO_POLICY } from './log-access.ts'
import { TEXT } from './log-text.ts'

/** The parameters of a route that answers with a receipt. */
export const ReceiptQuery = z.strictObject({
  cosigned: flag.meta({ description: 'Whether the checkpoint of the receipt must meet the witness policy.' }),
})

/** The answers of such a route. */
export const RECEIPT_ANSWERS = {
  200: {
    description: 'A proof of c2sp.org/tlog-proof that contains the record, or its parts.',
    content: { [TEXT]: { schema: z.string() }, 'application/json': { schema: Receipt } },
  },
  403: ErrorBody,
  404: ErrorBody,
  503: ErrorBody,
}

/**
 * The checkpoint of a receipt for a log of at least `size` records. It is signed now if there is none; witnesses cannot
 * be asked to hurry, so a cosigned one may have to be waited for.
 */
const checkpointOf = async (
  signer: CheckpointSigner,
  size: number,
  isCosigned: boolean,
): Promise<CosignedCheckpoint> => {
  if (!isCosigned) return signer.covering(size)
  const found = await signer.newestCosigned()
  if (!signer.hasPolicy()) throw new NotYet(NO_POLICY)
  if (!found || found.size < size) throw new NotYet('no cosigned checkpoint covers this record yet; try again')
  return found
}

/**
 * Answers with the receipt of a record, under a checkpoint that covers it. The caller has checked that the viewer may
 * read the whole body of the record. `name` is what the receipt is about, for the name of the file. Refuses: not_found,
 * if the service signs no checkpoints.
 */
export const sendReceipt = async (
  { headers, query }: FastifyRequest<{ Querystring: z.infer<typeof ReceiptQuery> }>,
  reply: FastifyReply,
  signer: Services['signer'],
  record: OpenRecord,
  name: string,
): Promise<FastifyReply> => {
  const needed = neededSigner(signer)
  await checkTree(needed)
  const { reader } = needed
  const checkpoint = await checkpointOf(needed, record.seq, query.cosigned === true)
  void reply.headers({ 'cache-control': 'private, no-store', vary: `${CACHE_RULES.vary}, Accept` })
  if (asksForJson(headers.accept)) return reply.send(await receiptJson(reader, record, checkpoint))
  return reply
    .type(TEXT)
    .header('content-disposition', `attachment; filename="${encodeURIComponent(name)}.tlog-proof"`)
    .send(await receiptText(reader, record, checkpoint))
}
