import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { MAX_BODY_BYTES } from '../../commands/run/inflate.ts'
import { PLANS, PRINCIPALS, projectTag, RUNS, runTag, setTag, tagsOfHolds, tagsOfSet } from '../../commands/tags.ts'
import type { Tag } from '../../commands/tags.ts'
import type { RunSet } from '../../domain/sets.ts'
import { findUploaded } from '../../queries/runs/claims.ts'
import { EXPORTERS } from '../../interchange/exporters/index.ts'
import { findMatrixTag, findMatrixWidth, Matrix, matrixLimit } from '../../queries/cases/matrix.ts'
import { findComparisonTag, RunComparison } from '../../queries/runs/compare.ts'
import { findConfig, findConfigSize, RunConfig } from '../../queries/runs/config.ts'
import { exportDocument } from '../../queries/runs/documents.ts'
import { runLongReadStep } from '../../queries/long-reads.ts'
import { listRunFacets, RunFacets } from '../../queries/runs/run-facets.ts'
import { findRunInSuite, RunInSuite } from '../../queries/runs/run-in-suite.ts'
import { findPreviousRun, PreviousRun } from '../../queries/runs/previous-run.ts'
import { findRunDetail, RunDetail } from '../../queries/runs/run-detail.ts'
import { listRuns, RunList } from '../../queries/runs/run-list.ts'
import { isNewestFirst } from '../../queries/runs/sorted-runs.ts'
import { findRun } from '../../queries/runs/run.ts'
import { findHoldsOfRun } from '../../queries/runs/holds.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { isStillAllowed } from '../../queries/access/current-access.ts'
import { byteBudget } from '../requests/byte-budget.ts'
import { baseUrl } from '../requests/base-url.ts'
import { checkJsonType, encodingOf, receive } from '../requests/body.ts'
import { answerText } from '../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../answers/client-left.ts'
import { csvContent, sendCsv } from '../answers/csv.ts'
import { pathPart } from '../requests/canonical-url.ts'
import { ErrorBody, LONG_READ, notFound } from '../errors.ts'
import { bytesHeldBy, EXPORT_BYTES } from '../answers/outgoing-bytes.ts'
import {
  MatrixQuery,
  nameParameter,
  NoParameters,
  RunListQuery,
  RunsCsvQuery,
  UploadQuery,
} from '../requests/shared-parameters.ts'
import { RunDocument } from './runs/run-document.ts'
import type { Services } from '../services.ts'
import { runInSteps } from '../../runtime/reads/in-steps.ts'

/** Maximum bytes of all uploads that are being received or wait for their commit. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024

/** Larger texts are decompressed in a reader thread. */
const LARGE_TEXT_BYTES = 128 * 1024

/** Larger documents are hashed by the writer: a mebibyte takes 0.6 ms. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024

/** A run with more cases is compared with the previous one in a reader thread. */
const MANY_CASES = 2_000

/** A page of a matrix with more cells is built in a reader thread. */
const MANY_CELLS = 5_000

const RunPath = z.object({ id: nameParameter })

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

/**
 * What a list of runs depends on: its suite, its project, or all runs. It also depends on `PRINCIPALS`, since each row
 * shows who uploaded the run.
 */
const tagsOfList = (_: object, { project, suite }: { readonly project?: string; readonly suite?: string }): Tag[] => [
  PRINCIPALS,
  project === undefined ? RUNS : suite === undefined ? projectTag(project) : setTag({ project, suite }),
]

type ReadRequest<Params, Query> = { readonly viewer: Viewer; readonly params: Params; readonly query: Query }
type Page = z.infer<typeof MatrixQuery>

const tagsOfRun = ({ id }: { readonly id: string }): string[] => [runTag(id)]

/** Uploads, lists, returns, compares and deletes runs. The function is long because it lists every route. */
export const runRoutes =
  ({ reader, documents, sharedCache, commit, longReads, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['runs']
    const uploads = byteBudget(MAX_WAITING_BYTES)
    const read = { scope: 'read', cached: { tags: tagsOfRun } } as const

    const ingest = {
      tags,
      operationId: 'uploadRun',
      summary: 'Upload a run document',
      querystring: UploadQuery,
      response: {
        200: Ingested,
        201: Ingested,
        400: ErrorBody,
        403: ErrorBody,
        409: Clash,
        413: ErrorBody,
        422: ErrorBody,
        503: ErrorBody,
      },
    }
    app.post('/runs', { config: { scope: 'write', document: RunDocument }, schema: ingest }, async (request, reply) => {
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
            : commit.ingestRun(request.viewer, { body, encoding, document_sha256, plan_id })
        })
        .finally(reservation.leave)
      return reply.code(created ? 201 : 200).send({
        id,
        url: `${baseUrl(request, config.publicUrl)}/runs/${pathPart(id)}`,
        ...(hidden_cases > 0 && { hidden_cases }),
      })
    })

    const list = {
      tags,
      operationId: 'listRuns',
      summary: 'List runs, newest first unless another order is given',
      querystring: RunListQuery,
      response: { 200: RunList, 400: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/runs',
      { config: { scope: 'read', cached: { tags: tagsOfList } }, schema: list },
      async ({ viewer, query, clientLeft }, reply) => {
        const { limit, cursor, sort, order, ...filters } = query
        if (isNewestFirst({ sort, order }))
          return answerText(reply, await listRuns(reader, viewer, filters, { limit, cursor }))
        const asked = { filters, order: { sort, order }, limit, cursor }
        return answerText(reply, (await longReads.sortedRuns(viewer, asked, clientLeft)) ?? '')
      },
    )

    const facets = {
      tags,
      operationId: 'listRunFacets',
      summary: 'Projects and suites by which the list of runs can be filtered, with their number of runs',
      querystring: NoParameters,
      response: { 200: RunFacets },
    }
    app.get(
      '/run-facets',
      { config: { scope: 'read', cached: { tags: () => [RUNS] } }, schema: facets },
      async ({ viewer }) => reader.read(listRunFacets(viewer)),
    )

    const csv = {
      tags,
      operationId: 'exportRunsCsv',
      summary: 'The filtered list of runs as CSV (RFC 4180)',
      querystring: RunsCsvQuery,
      response: { 200: csvContent, 400: ErrorBody, ...LONG_READ },
    }
    app.get('/runs.csv', { config: { scope: 'read' }, schema: csv }, async ({ method, viewer, query }, reply) => {
      const { sort, order, bom = false, ...filters } = query
      return sendCsv(
        method,
        reply,
        'runs',
        await longReads.runsCsv(viewer, { filters, order: { sort, order } }, abortWhenClientLeaves(reply)),
        bom,
      )
    })

    const readSchema = (response: z.ZodType) => ({
      tags,
      params: RunPath,
      querystring: NoParameters,
      response: { 200: response, 404: ErrorBody },
    })
    const longReadSchema = (response: z.ZodType) => ({
      ...readSchema(response),
      response: { 200: response, 404: ErrorBody, ...LONG_READ },
    })

    type HeldRun = RunSet & { readonly holds: readonly string[] }
    const findHolds = ({ viewer, params }: { readonly viewer: Viewer; readonly params: { readonly id: string } }) =>
      reader.read(findHoldsOfRun(viewer, params.id))
    const detail = {
      scope: 'read',
      cached: {
        findSet: findHolds,
        tags: ({ id }: { id: string }, _: object, run: HeldRun | null) => [
          runTag(id),
          PRINCIPALS,
          PLANS,
          ...tagsOfHolds(run),
        ],
      },
    } as const
    app.get(
      '/runs/:id',
      {
        config: detail,
        schema: {
          ...readSchema(RunDetail),
          operationId: 'getRun',
          summary: 'A run with its summary, without its cases',
        },
      },
      async ({ viewer, params }) => {
        const run = await reader.read(findRunDetail(viewer, params.id))
        if (!run) throw notFound('run')
        return run
      },
    )

    const findSet = ({ viewer, params }: { readonly viewer: Viewer; readonly params: { readonly id: string } }) =>
      reader.read(findRun(viewer, params.id))
    const inSuite = {
      scope: 'read',
      cached: {
        levels: true,
        findSet: findHolds,
        tags: ({ id }: { id: string }, _: object, run: HeldRun | null) => [
          runTag(id),
          PRINCIPALS,
          ...tagsOfSet(run),
          ...tagsOfHolds(run),
        ],
      },
    } as const
    app.get(
      '/runs/:id/in-suite',
      {
        config: inSuite,
        schema: {
          ...readSchema(RunInSuite),
          operationId: 'getRunInSuite',
          summary: 'A run, the baseline of its suite, what the viewer may do there, and the previous like run',
          response: { 200: RunInSuite, 404: ErrorBody, ...LONG_READ },
        },
      },
      async ({ viewer, params, clientLeft }) => {
        const run = await findRunInSuite(reader, viewer, params.id)
        if (!run) throw notFound('run')
        const previous =
          run.case_count > MANY_CASES
            ? previousIn((await longReads.previous(viewer, { run_id: params.id }, clientLeft))?.body)
            : await findPreviousRun(reader, viewer, params.id)
        // The run was deleted meanwhile.
        if (!previous) throw notFound('run')
        return { ...run, previous: previous.previous }
      },
    )

    const previous = {
      scope: 'read',
      cached: {
        findSet,
        tags: ({ id }: { id: string }, _: object, set: RunSet | null) => [runTag(id), ...tagsOfSet(set)],
      },
    } as const
    app.get(
      '/runs/:id/previous',
      {
        config: previous,
        schema: {
          ...longReadSchema(PreviousRun),
          operationId: 'getPreviousRun',
          summary: 'The previous run of the suite that is like a run, and the cases that changed between the two',
        },
      },
      async ({ viewer, params, clientLeft }, reply) => {
        const text = await longReads.previous(viewer, { run_id: params.id }, clientLeft)
        if (text === null) throw notFound('run')
        return answerText(reply, text)
      },
    )

    app.delete(
      '/runs/:id',
      {
        config: { scope: 'admin' },
        schema: {
          ...readSchema(z.null()),
          operationId: 'deleteRun',
          summary: 'Delete a run',
          response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody },
        },
      },
      async ({ viewer, params }, reply) => {
        await commit.deleteRun(viewer, { run_id: params.id })
        return reply.code(204).send(null)
      },
    )

    // Works for any id: clients remove `.` and `..` from a path, and would then request another path.
    const removeById = {
      tags,
      operationId: 'deleteRunById',
      summary: 'Delete a run, whatever its id',
      querystring: z.strictObject({ run_id: z.string() }),
      response: { 204: z.null(), 400: ErrorBody, 404: ErrorBody, 409: ErrorBody },
    }
    app.delete('/runs', { config: { scope: 'admin' }, schema: removeById }, async ({ viewer, query }, reply) => {
      await commit.deleteRun(viewer, query)
      return reply.code(204).send(null)
    })

    app.get(
      '/runs/:id/export',
      {
        config: { scope: 'read' },
        schema: {
          ...readSchema(z.unknown()),
          operationId: 'exportRun',
          response: { 200: z.unknown(), 404: ErrorBody, 503: ErrorBody },
          summary: 'The uploaded document, byte for byte',
        },
      },
      async ({ method, viewer, params }, reply) => {
        const run = await reader.read(findRun(viewer, params.id))
        if (!run) throw notFound('run')
        void reply
          .type('application/json')
          .header('content-length', run.document_bytes)
          .header('etag', `"${run.document_sha256}"`)
        // For HEAD the document is not read.
        if (method === 'HEAD') return reply.send(Readable.from([]))
        const mayContinue = async (): Promise<boolean> =>
          (await isStillAllowed(reader, viewer)) &&
          (await reader.read(findRun(viewer, params.id)))?.run_no === run.run_no
        return reply.send(
          bytesHeldBy(
            Readable.from(exportDocument(reader, run, mayContinue), { objectMode: false, highWaterMark: 512 * 1024 }),
            Math.min(run.document_bytes, EXPORT_BYTES),
          ),
        )
      },
    )

    app.get(
      '/runs/:id/config',
      {
        config: read,
        schema: { ...longReadSchema(RunConfig), operationId: 'getRunConfig', summary: 'The configuration of a run' },
      },
      async ({ viewer, params, clientLeft }, reply) => {
        const size = await reader.read(findConfigSize(viewer, params.id))
        if (size === null) throw notFound('run')
        const text =
          size > LARGE_TEXT_BYTES
            ? await longReads.config(viewer, { run_id: params.id }, clientLeft)
            : await findConfig(reader, viewer, params.id)
        if (text === null) throw notFound('run')
        return answerText(reply, text)
      },
    )

    /** The same reads in this thread, for short ones. */
    const readHere = runInSteps((name, viewer, args, _signal, resumed) =>
      runLongReadStep(
        { reader, cache: sharedCache.reader, documents, exporters: EXPORTERS, viewer },
        name,
        args,
        resumed,
      ),
    )

    const matrix = {
      scope: 'read',
      cached: {
        tags: tagsOfRun,
        tag: ({ viewer, params, query }: ReadRequest<{ id: string }, Page>) =>
          findMatrixTag(reader, viewer, { run_id: params.id, ...query }),
      },
    } as const
    app.get(
      '/runs/:id/matrix',
      {
        config: matrix,
        schema: {
          ...longReadSchema(Matrix),
          operationId: 'getMatrix',
          summary: 'Tests as rows, and columns of provider and prompt, with one cell for each case',
          querystring: MatrixQuery,
        },
      },
      async ({ viewer, params, query, clientLeft }, reply) => {
        const width = await reader.read(findMatrixWidth(viewer, params.id))
        if (width === null) throw notFound('run')
        const isLarge = matrixLimit(query.limit, width) * width > MANY_CELLS
        const reads = isLarge ? longReads : readHere
        const text = await reads.matrix(viewer, { run_id: params.id, ...query }, clientLeft)
        if (text === null) throw notFound('run')
        return answerText(reply, text)
      },
    )

    const compareSchema = {
      ...longReadSchema(RunComparison),
      operationId: 'compareRuns',
      summary: 'Two runs: what got worse, what got better, and the difference of the totals',
      params: RunPath.extend({ other: nameParameter }),
    }
    const compareConfig = {
      scope: 'read',
      cached: {
        tags: ({ id, other }: { id: string; other: string }) => [runTag(id), runTag(other)],
        tag: ({ viewer, params }: ReadRequest<{ id: string; other: string }, object>) =>
          findComparisonTag(reader, viewer, { base: params.id, head: params.other }),
      },
    } as const
    app.get(
      '/runs/:id/compare/:other',
      { config: compareConfig, schema: compareSchema },
      async ({ viewer, params, clientLeft }, reply) => {
        const text = await longReads.compare(viewer, { base: params.id, head: params.other }, clientLeft)
        if (text === null) throw notFound('run')
        return answerText(reply, text)
      },
    )
  }

const previousIn = (body: string | Uint8Array | undefined): PreviousRun | null =>
  body === undefined
    ? null
    : (JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString()) as PreviousRun)
