import { z } from 'zod'
import { MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import { Refused } from '../../../commands/refused.ts'
import { formBoundary, InvalidForm, readForm, type FormField } from '../../../domain/evidence/form.ts'
import { isDigest } from '../../../domain/evidence/manifest.ts'
import { ErrorBody } from '../../errors.ts'
import { encodingOf, receive } from '../../requests/body.ts'
import type { byteBudget } from '../../requests/byte-budget.ts'
import type { Route } from '../route.ts'

/** Parts of one form. */
const MAX_PARTS = 1000

const Received = z
  .object({ parts: z.array(z.object({ sha256: z.string(), bytes: z.int() })) })
  .meta({ id: 'PartsReceived' })

export const putPartsRoute =
  (uploads: ReturnType<typeof byteBudget>): Route =>
  (app, { partStore, config }) => {
    app.post(
      '/parts',
      {
        config: { scope: 'write', bodyType: 'multipart/form-data' },
        schema: {
          tags: ['evidence'],
          operationId: 'putParts',
          summary:
            'Send many small parts of evidence as a form, each file named by its digest: all are stored, or none',
          response: { 200: Received, 409: ErrorBody, 413: ErrorBody, 415: ErrorBody, 422: ErrorBody, 503: ErrorBody },
        },
      },
      async ({ viewer, raw, contentType }) => {
        const boundary = formBoundary(contentType ?? '')
        if (boundary === null)
          throw new Refused('bad_request', 'Content-Type must be multipart/form-data with a boundary')
        if (encodingOf(raw) !== null)
          throw new Refused('unsupported_encoding', 'parts are sent as they are, without a Content-Encoding')
        const reservation = uploads.enter()
        try {
          const body = await receive(raw, MAX_BODY_BYTES, reservation.grow)
          const files = fieldsOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), boundary)
          const { maxBytes } = config.parts
          if (files.some(({ bytes }) => bytes.length > maxBytes))
            throw new Refused('too_large', `a part is larger than ${maxBytes} bytes`)
          const odd = files.find(({ name }) => !isDigest(name))
          if (odd)
            throw new Refused('unprocessable', 'each file of the form must be named by its SHA-256 in lower-case hex')
          await partStore.storeMany(
            viewer,
            files.map(({ name, bytes }) => ({ sha256: name, bytes })),
          )
          return { parts: files.map(({ name, bytes }) => ({ sha256: name, bytes: bytes.length })) }
        } finally {
          reservation.leave()
        }
      },
    )
  }

const fieldsOf = (body: Buffer, boundary: string): FormField[] => {
  try {
    return readForm(body, boundary, MAX_PARTS)
  } catch (error) {
    if (error instanceof InvalidForm) throw new Refused('unprocessable', `invalid form: ${error.message}`)
    throw error
  }
}
