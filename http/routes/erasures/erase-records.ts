import { z } from 'zod'
import type { ErasureTarget } from '../../../commands/erasure/erasable.ts'
import { MAX_ERASED } from '../../../commands/erasure/erase-records.ts'
import { erase } from '../../../runtime/proof/erase.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { Reference } from '../../requests/reference.ts'
import type { Route } from '../route.ts'

const count = z.number().int()

const Erased = z
  .object({
    erasure_id: z.string(),
    records: count,
    kept: count,
    documents: count,
    parts: count.meta({ description: 'Parts of evidence that were erased' }),
    shared_parts: count.meta({ description: 'Parts that stay because another run has them' }),
    objects_pending: count.meta({
      description:
        'Sealed bytes that are removed after this answer. Their keys are erased: nothing opens them any more',
    }),
    dry_run: z.boolean(),
  })
  .meta({ id: 'Erased' })

/** Room for the largest number of records, each with as many digits as a number can have. */
const MAX_BODY_BYTES = 32 * 1024

const Seq = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

const ErasureBody = z
  .strictObject({
    reference: Reference,
    dry_run: z.boolean().nullish(),
    run_id: z.string().min(1).nullish(),
    user_id: z.string().min(1).nullish(),
    seqs: z.array(Seq).min(1).max(MAX_ERASED).nullish(),
  })
  .refine((body) => targetsOf(body).length === 1, 'give exactly one of run_id, user_id and seqs')

type Targets = {
  readonly run_id?: string | null | undefined
  readonly user_id?: string | null | undefined
  readonly seqs?: readonly number[] | null | undefined
}

const targetsOf = ({ run_id = null, user_id = null, seqs = null }: Targets): ErasureTarget[] => [
  ...(run_id === null ? [] : [{ run_id }]),
  ...(user_id === null ? [] : [{ user_id }]),
  ...(seqs === null ? [] : [{ seqs }]),
]

export const eraseRecordsRoute: Route = (app, { commit, wipe, partStore, logger }) => {
  const newId = newIds()
  const closing = new AbortController()
  let removal: Promise<unknown> = Promise.resolve()
  /** Their keys are deleted already. What cannot be removed now is tried again each hour. */
  const removeDropped = (): Promise<unknown> =>
    partStore
      .removeDropped(closing.signal)
      .catch((err: unknown) => logger.warn({ err }, 'the bytes of erased parts cannot be removed yet'))
  app.addHook('onClose', async () => {
    closing.abort()
    await removal
  })
  app.post(
    '/erasures',
    {
      config: { scope: 'admin', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['audit'],
        operationId: 'eraseRecords',
        summary: 'Erase the records of a run, of a deleted account, or with given numbers; what proofs need is kept',
        body: ErasureBody,
        response: { 200: Erased, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body: { reference, dry_run: isDryRun, ...targets } }) => {
      checkSeesAll(viewer, 'an erasure')
      const [target] = targetsOf(targets)
      if (!target) throw new Error('an erasure without a target passed its schema')
      const dry_run = isDryRun ?? false
      const erasure_id = newId()
      const erased = await erase({ commit, wipe }, viewer, { erasure_id, reference, target, dry_run })
      // Nothing can read them any more, so the answer does not wait.
      if (!dry_run) removal = removal.then(removeDropped)
      const { actor, request_id } = viewer
      logger.info({ actor, request_id, erasure_id, reference, dry_run, ...erased }, 'records erased')
      return { erasure_id, ...erased, dry_run }
    },
  )
}
