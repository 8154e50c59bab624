import { MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { ImportResult } from '../../../queries/imports/import-result.ts'
import { importQueue } from '../../../runtime/import/import-queue.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody } from '../../errors.ts'
import { baseUrl } from '../../requests/base-url.ts'
import { encodingOf, inflated, receive } from '../../requests/body.ts'
import { byteBudget } from '../../requests/byte-budget.ts'
import { pathPart } from '../../requests/canonical-url.ts'
import type { Route } from '../route.ts'
import { ImportQuery } from './import-query.ts'
import { IMPORT_DEADLINE_MS, recordFile } from './record-file.ts'
import { uploadedFile } from './uploaded-file.ts'

/** Maximum bytes of all files that are being received or wait for their import. */
const MAX_WAITING_BYTES = 192 * 1024 * 1024

const AllRefused = ErrorBody.extend({ refused: ImportResult.shape.refused.optional() }).meta({ id: 'ImportRefused' })

export const importFileRoute: Route = (app, services) => {
  const queue = importQueue()
  const waiting = byteBudget(MAX_WAITING_BYTES, 'too many imports are waiting')
  app.post(
    '/import',
    {
      config: { scope: 'write', bodyType: 'application/octet-stream' },
      schema: {
        tags: ['runs'],
        operationId: 'importFile',
        summary: 'Import a file with results of another tool',
        querystring: ImportQuery,
        response: { 200: ImportResult, 413: ErrorBody, 415: ErrorBody, 422: AllRefused, 503: ErrorBody },
      },
    },
    async (request, reply) => {
      const encoding = encodingOf(request)
      const reservation = waiting.enter()
      const signal = abortWhenClientLeaves(reply)
      try {
        const body = await receive(request.raw, MAX_BODY_BYTES, reservation.grow)
        const file = await uploadedFile(
          request.contentType,
          await inflated(body, encoding, MAX_BODY_BYTES),
          request.query,
        )
        reservation.grow(file.bytes.length)
        const result = await queue.run(
          importOwner(request.viewer),
          () =>
            recordFile(services, request.viewer, file, {
              query: request.query,
              signal,
              deadline: AbortSignal.timeout(IMPORT_DEADLINE_MS),
              urlOf: (id) => `${baseUrl(request, services.config.publicUrl)}/runs/${pathPart(id)}`,
            }),
          signal,
        )
        if (result.runs.length > 0) return result
        return await reply.code(422).send({ error: refusalText(result), refused: result.refused })
      } catch (error) {
        throw signal.aborted ? new Unavailable('the client disconnected', { cause: error }) : error
      } finally {
        reservation.leave()
      }
    },
  )
}

/** The account that imports; without accounts, the address. */
const importOwner = ({ actor: { user_id, credential_id, address } }: Viewer): string =>
  user_id ?? credential_id ?? address ?? ''

const refusalText = ({ refused }: ImportResult): string => {
  const [first] = refused
  if (first === undefined) return 'the file holds no runs'
  return refused.length === 1 ? first.reason : `all ${refused.length} runs are refused; the first: ${first.reason}`
}
