import { PRINCIPALS, runTag, tagsOfSet } from '../../../commands/tags.ts'
import type { RunSet } from '../../../domain/sets.ts'
import { CaseInSuite, findCaseInSuite, MAX_TEST_CASES } from '../../../queries/cases/case-in-suite.ts'
import { findCaseInRun } from '../../../queries/cases/cases.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { answerFound, type CachedRequest } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import type { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { MANY_ASSERTS, MANY_CASES } from './case-lists.ts'
import { CasePath, LARGE_CASE_BYTES } from './get-case.ts'

export const getCaseInSuiteRoute: Route = (app, { reader, documents, longReads }) =>
  app.get(
    '/runs/:id/cases/:case_key/in-suite',
    {
      config: {
        scope: 'read',
        cached: {
          findSet: ({ viewer, params }: CachedRequest<IdPath>) => reader.read(findRun(viewer, params.id)),
          tags: ({ id }: IdPath, _: object, set: RunSet | null) => [runTag(id), PRINCIPALS, ...tagsOfSet(set)],
        },
      },
      schema: {
        tags: ['cases'],
        operationId: 'getCaseInSuite',
        summary: 'A case, the cases of its test in the run, its history, and the newest runs of its suite',
        params: CasePath,
        response: { 200: CaseInSuite, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, clientLeft }, reply) => {
      const run = mustExist(await reader.read(findRun(viewer, params.id)), 'case')
      const span = mustExist(await findCaseInRun(reader, viewer, params.id, params.case_key), 'case')
      const asked = { run_id: params.id, case_key: params.case_key }
      const isShort =
        run.stored_cases <= MANY_CASES &&
        run.largest_asserts * MAX_TEST_CASES <= MANY_ASSERTS &&
        span.document_length <= LARGE_CASE_BYTES
      const text = isShort
        ? await findCaseInSuite(reader, documents, viewer, asked)
        : await longReads.caseInSuite(viewer, asked, clientLeft)
      return answerFound(reply, text, 'case')
    },
  )
