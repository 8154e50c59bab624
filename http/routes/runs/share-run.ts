import { Readable } from 'node:stream'
import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { columnText, type Column } from '../../../domain/lists/column.ts'
import {
  COMMENTS_MAY_QUOTE,
  MAX_SHARED_OUTPUT_BYTES,
  mayHaveComments,
  SHARED_EXTRAS,
  SHARED_PARTS,
} from '../../../domain/report/shared-parts.ts'
import { findCaseInRun } from '../../../queries/cases/cases.ts'
import type { Run } from '../../../queries/runs/run.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { attachment } from '../../answers/csv.ts'
import { answerStream, withAround } from '../../answers/outgoing-bytes.ts'
import { ErrorBody, LONG_READ, mustExist, notFound } from '../../errors.ts'
import { flag, IdPath, optionalText } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { column } from '../statistics/parameters.ts'
import { findComparable } from '../statistics/comparable.ts'

/** Larger documents make files that browsers open slowly or not at all. The program writes them without a limit. */
const MAX_SHARED_DOCUMENT_BYTES = 64 * 1024 * 1024

const PART = `(?:${SHARED_PARTS.join('|')})`

const ShareQuery = z.strictObject({
  compare: optionalText.meta({
    description: 'The id of a run that it is compared with; with columns also the run itself.',
  }),
  base_column: column('With `compare`: the column of the run that it names, instead of all its cases.'),
  head_column: column('With `compare`: the column of the run of the file, instead of all its cases.'),
  without: z
    .string()
    // One look at the whole text: a message for each wrong part would cost time.
    .regex(
      new RegExp(`^${PART}(?:,${PART})*$`),
      `must be one or more of ${SHARED_PARTS.join(', ')}, separated by commas`,
    )
    .optional()
    .meta({ description: `Parts of the cases to leave out, separated by commas: ${SHARED_PARTS.join(', ')}.` }),
  with: z
    .enum(SHARED_EXTRAS)
    .optional()
    .meta({ description: 'What the file has besides: `comments` on the runs and their cases, without their authors.' }),
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

/** Characters of a note in the name of a file. */
const MAX_NOTE = 40

/**
 * The name of the file: the suite, then the run, after the one that it is compared with. A run is named by its note; without
 * one, or if both have the same, by when it finished. Then the columns that are compared.
 */
const fileName = (runs: readonly Run[], columns: ReadonlyArray<Column | undefined>): string => {
  const suites = new Set(runs.map(({ project, suite }) => suite ?? project ?? 'run'))
  const notes = runs.map(({ note }) => (note ?? '').slice(0, MAX_NOTE))
  const areEqual = new Set(notes).size < notes.length
  const names = runs.map(({ created_at }, n) => {
    const time = new Date(created_at).toISOString().slice(0, 19).replaceAll(':', '')
    return areEqual || notes[n] === '' ? [notes[n], time].filter(Boolean).join('-') : notes[n]
  })
  const compared = columns.flatMap((column) => (column ? columnText(column) : []))
  return [...suites, names.toReversed().join('-and-'), ...(compared.length > 0 ? [compared.join('-and-')] : [])].join(
    '-',
  )
}

export const shareRunRoute: Route = (app, { reader, longReads, web, now }) =>
  app.get(
    '/runs/:id/share.html',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'exportRunAsPage',
        summary:
          'A run, and its comparison with another or of two of its columns, as one HTML file that needs no server',
        description: 'Everyone who has the file can read all that is in it. It is what `ers share-html` writes.',
        params: IdPath,
        querystring: ShareQuery,
        response: { 200: content, 404: ErrorBody, 422: ErrorBody, ...LONG_READ },
      },
    },
    async ({ method, viewer, params: { id }, query, raw }, reply) => {
      const base = query.compare ?? null
      const { base_column, head_column } = query
      const hasColumns = base_column !== undefined || head_column !== undefined
      if (base === id && !hasColumns)
        throw new Refused('unprocessable', 'compare names the run itself: give another run, or columns of it')
      if (base === null && hasColumns)
        throw new Refused(
          'unprocessable',
          'base_column and head_column need compare, which names the run to compare with',
        )
      const without = SHARED_PARTS.filter((part) => query.without?.split(',').includes(part))
      if (query.with === 'comments' && !mayHaveComments(without))
        throw new Refused('unprocessable', `with and without exclude each other: ${COMMENTS_MAY_QUOTE}`)
      const runs = await findComparable(reader, viewer, base === null || base === id ? [id] : [id, base])
      const bytes = runs.reduce((sum, { document_bytes }) => sum + document_bytes, 0)
      if (bytes > MAX_SHARED_DOCUMENT_BYTES)
        throw new Refused(
          'unprocessable',
          `the documents have ${bytes} bytes; a file covers at most ${MAX_SHARED_DOCUMENT_BYTES}. ers share-html has no limit`,
        )
      if (query.case !== undefined) mustExist(await findCaseInRun(reader, viewer, id, query.case), 'case')
      if (!web) throw notFound('the page of a file')
      void reply.type('text/html; charset=utf-8').headers({
        'content-disposition': attachment(fileName(runs, [base_column, head_column]), '.html'),
      })
      const asked = {
        run_id: id,
        base,
        base_column,
        head_column,
        without,
        with: query.with === undefined ? [] : [query.with],
        max_output_bytes: query.full ? null : MAX_SHARED_OUTPUT_BYTES,
        case_key: query.case ?? null,
        now: now(),
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
