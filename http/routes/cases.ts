import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { PRINCIPALS, runTag, setTag, tagsOfSet } from '../../commands/tags.ts'
import type { RunSet } from '../../domain/sets.ts'
import { CaseInSuite, findCaseInSuite, MAX_TEST_CASES } from '../../queries/cases/case-in-suite.ts'
import { CaseRows, listCaseRows } from '../../queries/cases/case-rows.ts'
import { CaseList, findCaseInRun, listCases, readCaseAt } from '../../queries/cases/cases.ts'
import { Distribution, findDistribution } from '../../queries/cases/distribution.ts'
import { deletedAsNull } from '../../queries/runs/documents.ts'
import { CaseHistory, findHistory } from '../../queries/cases/history.ts'
import { isDocumentOrder } from '../../queries/cases/sorted-cases.ts'
import { findRun } from '../../queries/runs/run.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { answerText } from '../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../answers/client-left.ts'
import { csvContent, sendCsv } from '../answers/csv.ts'
import { ErrorBody, LONG_READ, notFound } from '../errors.ts'
import {
  CaseListQuery,
  CaseRowsQuery,
  CasesCsvQuery,
  DistributionCasesQuery,
  HistoryQuery,
  nameParameter,
  NoParameters,
} from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

const CasesPath = z.object({ id: nameParameter })
const CasePath = CasesPath.extend({ case_key: nameParameter })
const HistoryPath = z.object({ project: nameParameter, suite: nameParameter, case_key: nameParameter })

type CasesRequest = {
  readonly viewer: Viewer
  readonly params: { readonly id: string }
  readonly clientLeft: AbortSignal
}

/** A run with more cases than this is filtered and summarized in a reader thread, because that reads all its rows. */
const MANY_CASES = 2_000

/** A page with more assertions is built in a reader thread. */
const MANY_ASSERTS = 5_000

/** A larger case is parsed in a reader thread. */
const LARGE_CASE_BYTES = 64 * 1024

/**
 * Returns the cases of a run, one case in full, and a case across runs. The function is long because it lists every
 * route.
 */
export const caseRoutes =
  ({ reader, documents, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['cases']
    const read = { scope: 'read', cached: { tags: ({ id }: { id: string }) => [runTag(id)] } } as const

    const answerCases = async (
      { viewer, params, clientLeft }: CasesRequest,
      { limit, cursor, sort, order: direction, ...filters }: z.infer<typeof DistributionCasesQuery>,
      reply: FastifyReply,
    ) => {
      const run = await reader.read(findRun(viewer, params.id))
      if (!run) throw notFound('run')
      const order = { sort, order: direction }
      const readsAll = !isDocumentOrder(order) || Object.values(filters).some((value) => value !== undefined)
      const isLong =
        filters.q !== undefined ||
        (run.stored_cases > MANY_CASES && readsAll) ||
        run.largest_asserts * limit > MANY_ASSERTS
      if (!isLong) {
        const body = await listCases(reader, documents, viewer, run, filters, { limit, cursor }, order)
        if (body === null) throw notFound('run')
        return answerText(reply, body)
      }
      const text = await longReads.cases(viewer, { run_id: params.id, filters, order, limit, cursor }, clientLeft)
      if (text === null) throw notFound('run')
      return answerText(reply, text)
    }

    const list = {
      tags,
      operationId: 'listCases',
      summary: 'The cases of a run',
      params: CasesPath,
      querystring: CaseListQuery,
      response: { 200: CaseList, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    app.get('/runs/:id/cases', { config: read, schema: list }, async (request, reply) =>
      answerCases(request, request.query, reply),
    )

    const partOfDistribution = {
      ...list,
      operationId: 'listDistributionCases',
      summary: 'The cases in one part of the distribution',
      querystring: DistributionCasesQuery,
    }
    app.get('/runs/:id/distribution/cases', { config: read, schema: partOfDistribution }, async (request, reply) =>
      answerCases(request, request.query, reply),
    )

    const rows = {
      ...list,
      operationId: 'listCaseRows',
      summary: 'A part of the cases by its place in the list, with one line about the call and the failure of each',
      querystring: CaseRowsQuery,
      response: { ...list.response, 200: CaseRows },
    }
    app.get(
      '/runs/:id/case-rows',
      { config: read, schema: rows },
      async ({ viewer, params, query, clientLeft }, reply) => {
        const { sort, order, limit, offset = 0, around, ...filters } = query
        const run = await reader.read(findRun(viewer, params.id))
        if (!run) throw notFound('run')
        const asked = { filters, order: { sort, order }, limit, offset, around }
        const isShort =
          filters.q === undefined && run.stored_cases <= MANY_CASES && run.largest_asserts * limit <= MANY_ASSERTS
        const text = isShort
          ? await listCaseRows(reader, documents, viewer, run, asked)
          : await longReads.caseRows(viewer, { run_id: params.id, ...asked }, clientLeft)
        if (text === null) throw notFound('run')
        return answerText(reply, text)
      },
    )

    const csv = {
      ...list,
      operationId: 'exportCasesCsv',
      summary: 'The filtered cases of a run as CSV (RFC 4180)',
      querystring: CasesCsvQuery,
      response: { ...list.response, 200: csvContent },
    }
    app.get(
      '/runs/:id/cases.csv',
      { config: { scope: 'read' }, schema: csv },
      async ({ method, viewer, params, query }, reply) => {
        const { sort, order, bom = false, ...filters } = query
        const asked = { run_id: params.id, filters, order: { sort, order } }
        const found = await longReads.casesCsv(viewer, asked, abortWhenClientLeaves(reply))
        if (!found) throw notFound('run')
        return sendCsv(method, reply, `${params.id}-cases`, found, bom)
      },
    )

    const caseSchema = {
      tags,
      operationId: 'getCase',
      summary: 'A case with its prompt, output and assertions',
      params: CasePath,
      querystring: NoParameters,
      response: { 200: z.looseObject({ case_key: z.string() }).meta({ id: 'Case' }), 404: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/runs/:id/cases/:case_key',
      { config: read, schema: caseSchema },
      async ({ viewer, params, clientLeft }, reply) => {
        const span = await findCaseInRun(reader, viewer, params.id, params.case_key)
        if (!span) throw notFound('case')
        const text =
          span.document_length > LARGE_CASE_BYTES
            ? await longReads.case(viewer, { run_id: params.id, case_key: params.case_key }, clientLeft)
            : await readCaseAt(documents, span).catch(deletedAsNull)
        if (text === null) throw notFound('case')
        return answerText(reply, text)
      },
    )

    const inSuite = {
      scope: 'read',
      cached: {
        findSet: ({ viewer, params }: CasesRequest) => reader.read(findRun(viewer, params.id)),
        tags: ({ id }: { id: string }, _: object, set: RunSet | null) => [runTag(id), PRINCIPALS, ...tagsOfSet(set)],
      },
    } as const
    const inSuiteSchema = {
      ...caseSchema,
      operationId: 'getCaseInSuite',
      summary: 'A case, the cases of its test in the run, its history, and the newest runs of its suite',
      response: { ...caseSchema.response, 200: CaseInSuite },
    }
    app.get(
      '/runs/:id/cases/:case_key/in-suite',
      { config: inSuite, schema: inSuiteSchema },
      async ({ viewer, params, clientLeft }, reply) => {
        const run = await reader.read(findRun(viewer, params.id))
        const span = run && (await findCaseInRun(reader, viewer, params.id, params.case_key))
        if (!span) throw notFound('case')
        const asked = { run_id: params.id, case_key: params.case_key }
        const isShort =
          run.stored_cases <= MANY_CASES &&
          run.largest_asserts * MAX_TEST_CASES <= MANY_ASSERTS &&
          span.document_length <= LARGE_CASE_BYTES
        const text = isShort
          ? await findCaseInSuite(reader, documents, viewer, asked)
          : await longReads.caseInSuite(viewer, asked, clientLeft)
        if (text === null) throw notFound('case')
        return answerText(reply, text)
      },
    )

    const distribution = {
      tags,
      operationId: 'getDistribution',
      summary: 'The distribution of the cases of a run',
      params: CasesPath,
      querystring: NoParameters,
      response: { 200: Distribution, 404: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/runs/:id/distribution',
      { config: read, schema: distribution },
      async ({ viewer, params, clientLeft }, reply) => {
        const run = await reader.read(findRun(viewer, params.id))
        if (!run) throw notFound('run')
        if (run.stored_cases <= MANY_CASES) {
          const body = await findDistribution(reader, viewer, params.id)
          if (!body) throw notFound('run')
          return body
        }
        const text = await longReads.distribution(viewer, { run_id: params.id }, clientLeft)
        if (text === null) throw notFound('run')
        return answerText(reply, text)
      },
    )

    const history = {
      tags,
      operationId: 'getCaseHistory',
      summary: 'A case in the newest runs of its suite',
      params: HistoryPath,
      querystring: HistoryQuery,
      response: { 200: CaseHistory, 400: ErrorBody, 404: ErrorBody },
    }
    const historyConfig = {
      scope: 'read',
      cached: { tags: (suite: { project: string; suite: string }) => [setTag(suite)] },
    } as const
    app.get(
      '/projects/:project/suites/:suite/cases/:case_key/history',
      { config: historyConfig, schema: history },
      async ({ viewer, params, query }) => {
        const found = await findHistory(reader, viewer, params, query.limit)
        if (!found) throw notFound('case')
        return found
      },
    )
  }
