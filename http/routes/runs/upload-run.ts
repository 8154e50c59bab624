import { hash } from 'node:crypto'
import { z } from 'zod'
import { MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import { findUploaded } from '../../../queries/runs/claims.ts'
import { ErrorBody } from '../../errors.ts'
import { baseUrl } from '../../requests/base-url.ts'
import { checkJsonType, encodingOf, receive } from '../../requests/body.ts'
import type { byteBudget } from '../../requests/byte-budget.ts'
import { pathPart } from '../../requests/canonical-url.ts'
import { optionalText } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { RunDocument } from './run-document.ts'

/** Larger documents are hashed by the writer: a mebibyte takes 0.6 ms. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024

const Ingested = z
  .object({
    id: z.string(),
    url: z.string(),
    hidden_cases: z
      .number()
      .int()
      .meta({ description: 'The number of cases that no list shows, because they have the key of another case' })
      .optional(),
  })
  .meta({ id: 'Ingested' })

const Clash = ErrorBody.extend({ id: z.string().optional() }).meta({ id: 'Clash' })

export const uploadRunRoute =
  (uploads: ReturnType<typeof byteBudget>): Route =>
  (app, { reader, commit, config }) => {
    app.post(
      '/runs',
      {
        config: { scope: 'write', document: RunDocument },
        schema: {
          tags: ['runs'],
          operationId: 'uploadRun',
          summary: 'Upload a run document',
          querystring: z.strictObject({
            plan: optionalText.meta({
              description:
                'Id of the plan that the run follows. Without it, the run follows the newest plan of its suite with the same `config_digest`.',
            }),
          }),
          response: { 200: Ingested, 201: Ingested, 409: Clash, 413: ErrorBody, 422: ErrorBody, 503: ErrorBody },
        },
      },
      async (request, reply) => {
        checkJsonType(request)
        const encoding = encodingOf(request)
        const plan_id = request.query.plan ?? null
        const reservation = uploads.enter()
        const { id, created, hidden_cases } = await receive(request.raw, MAX_BODY_BYTES, reservation.grow)
          .then(async (body) => {
            const document_sha256 =
              encoding === null && body.length <= MAX_HASHED_BYTES ? hash('sha256', body, 'hex') : null
            const duplicate = document_sha256 && (await findUploaded(reader, request.viewer, document_sha256))
            return duplicate
              ? { id: duplicate, created: false, hidden_cases: 0 }
              : commit.ingestRun(request.viewer, {
                  body,
                  encoding,
                  document_sha256,
                  plan_id,
                  maxPartBytes: config.parts.maxRunBytes,
                })
          })
          .finally(reservation.leave)
        return reply.code(created ? 201 : 200).send({
          id,
          url: `${baseUrl(request, config.publicUrl)}/runs/${pathPart(id)}`,
          ...(hidden_cases > 0 && { hidden_cases }),
        })
      },
    )
  }
