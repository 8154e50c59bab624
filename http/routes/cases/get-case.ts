import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { readCaseEvidence, CaseEvidenceCounts, withEvidence } from '../../../queries/evidence/counts.ts'
import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import { findCaseInRun, readCaseAt } from '../../../queries/cases/cases.ts'
import { deletedAsNull } from '../../../queries/runs/documents.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath, nameParameter } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** A larger case is parsed in a reader thread. */
export const LARGE_CASE_BYTES = 64 * 1024

export const CasePath = IdPath.extend({ case_key: nameParameter })

/** The answer with the counts of evidence. */
const answerWithEvidence = (answer: string | LongReadAnswer, evidence: CaseEvidenceCounts): string | LongReadAnswer => {
  if (typeof answer === 'string') return withEvidence(answer, evidence)
  const { body, rest } = answer
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  return { body: withEvidence(text, evidence), etag: null, ...(rest && { rest }) }
}

export const getCaseRoute: Route = (app, { reader, documents, longReads }) =>
  app.get(
    '/runs/:id/cases/:case_key',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['cases'],
        operationId: 'getCase',
        summary: 'A case with its prompt, output and assertions',
        params: CasePath,
        response: {
          200: z.looseObject({ case_key: z.string(), evidence: CaseEvidenceCounts.optional() }).meta({ id: 'Case' }),
          404: ErrorBody,
          ...LONG_READ,
        },
      },
    },
    async ({ viewer, params, clientLeft }, reply) => {
      const span = mustExist(await findCaseInRun(reader, viewer, params.id, params.case_key), 'case')
      const text =
        span.document_length > LARGE_CASE_BYTES
          ? await longReads.case(viewer, { run_id: params.id, case_key: params.case_key }, clientLeft)
          : await readCaseAt(documents, span).catch(deletedAsNull)
      const evidence = await readCaseEvidence(reader, viewer, params.id, params.case_key)
      return answerFound(reply, text !== null && evidence ? answerWithEvidence(text, evidence) : text, 'case')
    },
  )
