import { Readable } from 'node:stream'
import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { MAX_SHARED_OUTPUT_BYTES, SHARED_PARTS } from '../../../domain/report/shared-parts.ts'
import { findCaseInRun } from '../../../queries/cases/cases.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { attachment } from '../../answers/csv.ts'
import { answerStream, withAround } from '../../answers/outgoing-bytes.ts'
import { ErrorBody, LONG_READ, mustExist, notFound } from '../../errors.ts'
import { flag, IdPath, optionalText } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from '../statistics/comparable.ts'

/** Larger documents make files that browsers open slowly or not at all. The program writes them without a limit. */
const MAX_SHARED_DOCUMENT_BYTES = 64 * 1024 * 1024

const Part = z.enum(SHARED_PARTS)

const ShareQuery = z.strictObject({
  compare: optionalText.meta({ description: 'The id of a run that it is compared with.' }),
  without: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(Part))
    .optional()
    .meta({
      description: `Parts of the cases to leave out, separated by commas: ${SHARED_PARTS.join(', ')}.`,
      type: 'string',
      items: undefined,
      pattern: `^(?:${SHARED_PARTS.join('|')})(?:,(?:${SHARED_PARTS.join('|')}))*$`,
    }),
  full: flag.meta({
    default: 'false',
    description: `Whole outputs. Without it, those beyond ${MAX_SHARED_OUTPUT_BYTES / 1024} KiB are cut.`,
  }),
  case: optionalText.meta({ description: 'The key of the case with which the page opens.' }),
})

const content = {
  description: 'The page. `Content-Disposition` has a name for the file.',
  content: { 'text/html': { schema: z.unknown() } },
}

export const shareRunRoute: Route = (app, { reader, longReads, web }) =>
  app.get(
    '/runs/:id/share.html',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'exportRunAsPage',
        summary: 'A run, and its comparison with another, as one HTML file that needs no server',
        description: 'Everyone who has the file can read all that is in it. It is what `ers share-html` writes.',
        params: IdPath,
        querystring: ShareQuery,
        response: { 200: content, 404: ErrorBody, 422: ErrorBody, ...LONG_READ },
      },
    },
    async ({ method, viewer, params: { id }, query, raw }, reply) => {
      const base = query.compare ?? null
      if (base === id) throw new Refused('unprocessable', 'compare names the run itself: give another run')
      const runs = await findComparable(reader, viewer, base === null ? [id] : [id, base])
      const bytes = runs.reduce((sum, { document_bytes }) => sum + document_bytes, 0)
      if (bytes > MAX_SHARED_DOCUMENT_BYTES)
        throw new Refused(
          'unprocessable',
          `the documents have ${bytes} bytes; a file covers at most ${MAX_SHARED_DOCUMENT_BYTES}. ers share-html has no limit`,
        )
      if (query.case !== undefined) mustExist(await findCaseInRun(reader, viewer, id, query.case), 'case')
      if (!web) throw notFound('the page of a file')
      void reply.type('text/html; charset=utf-8').headers({
        'content-disposition': attachment(base === null ? id : `${base}-${id}`, '.html'),
      })
      const asked = {
        run_id: id,
        base,
        without: query.without ?? [],
        max_output_bytes: query.full ? null : MAX_SHARED_OUTPUT_BYTES,
        case_key: query.case ?? null,
      }
      const found = mustExist(await longReads.share(viewer, asked, abortWhenClientLeaves(reply)), 'run')
      const { before, after } = web.share()
      if (!found.rest) return reply.send(Buffer.concat([before, found.body, after].map((part) => Buffer.from(part))))
      const sent = withAround(answerStream(found.body, found.rest), { before, after })
      if (method === 'HEAD') {
        sent.destroy()
        return reply.send(Readable.from([]))
      }
      sent.once('error', () => {
        // An HTTP/1.0 answer ends when its connection is closed, so only a reset shows that it is incomplete.
        if (raw.httpVersion === '1.0') raw.socket.resetAndDestroy()
      })
      return reply.send(sent)
    },
  )
