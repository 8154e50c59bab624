import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from '../../../domain/report/export-formats.ts'
import { BadParameter } from '../../../queries/bad-parameter.ts'
import { exportTag } from '../../../queries/export/export-run.ts'
import { findAdded } from '../../../queries/runs/annotations.ts'
import { listCommentIds } from '../../../queries/runs/comments.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { matches } from '../../answers/cache-rules.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { attachment, byteOrderMark } from '../../answers/csv.ts'
import { GZIP_LEVEL, gzipped, answerStream } from '../../answers/outgoing-bytes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { acceptedCodings } from '../../requests/accepted-codings.ts'
import { flag, nameParameter } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** Options of an export in another format. */
const ExportQuery = z.strictObject({
  bom: byteOrderMark('CSV alone: '),
  raw: flag.meta({
    default: 'false',
    description:
      'CSV alone: `true` leaves fields as they are. Otherwise a field that begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe gets an apostrophe in front.',
  }),
})

/** Formats that have the comments on a run. */
const WITH_COMMENTS: ReadonlySet<string> = new Set(['jsonl', 'csv', 'parquet'])

const compress = promisify(gzip)

/** The response for the document of the API: each format has a type of its own. */
const content = {
  description: 'The run in the format. `Content-Disposition` has a name for the file.',
  content: Object.fromEntries(
    EXPORT_FORMAT_NAMES.map((name) => [EXPORT_FORMATS[name].contentType.replace(/;.*/, ''), { schema: z.unknown() }]),
  ),
}

/** A compressed response is another representation, so it has another ETag (RFC 9110, 8.8.3.3). */
const gzipTag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`

export const exportRunAsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/export/:format',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'exportRunAs',
        summary: 'A run in a format of other tools',
        description:
          'Cases are in the order of the document. `export` without a format returns the uploaded document itself, byte for byte.',
        params: z.object({
          id: nameParameter,
          format: z.enum(EXPORT_FORMAT_NAMES).meta({
            description: EXPORT_FORMAT_NAMES.map((name) => `\`${name}\`: ${EXPORT_FORMATS[name].label}`).join('; '),
          }),
        }),
        querystring: ExportQuery,
        response: { 200: content, 304: z.undefined(), 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ method, viewer, params: { id, format }, query, headers, raw }, reply) => {
      const options = { bom: query.bom ?? false, raw: query.raw ?? false }
      if (format !== 'csv' && (options.bom || options.raw)) throw new BadParameter('bom and raw apply to csv alone')
      const run = mustExist(await reader.read(findRun(viewer, id)), 'run')
      const { document_sha256 } = run
      const added = await reader.read(findAdded(run.run_no))
      const comment_ids = WITH_COMMENTS.has(format) ? await reader.read(listCommentIds(run.run_no)) : []
      const { contentType, ending, isCompressible } = EXPORT_FORMATS[format]
      const plainTag = exportTag({ format, options, document_sha256, added, comment_ids }, run)
      const isGzip = isCompressible && acceptedCodings(headers['accept-encoding']).has('gzip')
      const etag = isGzip ? gzipTag(plainTag) : plainTag
      // A hook turns it into a 304. Nothing is exported.
      if (matches(headers['if-none-match'], etag)) return reply.header('etag', etag).send('')
      const send = (body: Readable | Uint8Array | string) => {
        const name = attachment(id, ending)
        void reply.type(contentType).headers({ etag, 'content-disposition': name })
        if (isGzip) void reply.header('content-encoding', 'gzip')
        return reply.send(body)
      }
      if (method === 'HEAD') return send(Readable.from([]))
      const asked = { run_id: id, document_sha256, added, comment_ids, format, options }
      const found = mustExist(await longReads.exportRun(viewer, asked, abortWhenClientLeaves(reply)), 'run')
      if (!found.rest) return send(isGzip ? await compress(found.body, { level: GZIP_LEVEL }) : found.body)
      const parts = answerStream(found.body, found.rest)
      const sent = isGzip ? gzipped(parts) : parts
      sent.once('error', () => {
        // Before the first byte, the answer becomes that of the error.
        for (const header of ['etag', 'content-disposition', 'content-encoding']) void reply.removeHeader(header)
        // An HTTP/1.0 answer ends when its connection is closed, so only a reset shows that it is incomplete.
        if (raw.httpVersion === '1.0') raw.socket.resetAndDestroy()
      })
      return send(sent)
    },
  )
