import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { CASE_SORTS } from '../../../domain/lists/case-order.ts'
import { listCases } from '../../../queries/cases/cases.ts'
import { isDocumentOrder } from '../../../queries/cases/sorted-cases.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { answerFound, type CachedRequest } from '../../answers/cached-routes.ts'
import { mustExist } from '../../errors.ts'
import { flag, freeText, optionalText, paged, sorted, type IdPath } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

/** A run with more cases than this is filtered and summarized in a reader thread, because that reads all its rows. */
export const MANY_CASES = 2_000

/** A page with more assertions is built in a reader thread. */
export const MANY_ASSERTS = 5_000

/** A bound of a measure: a number in the syntax of JSON. */
const bound = (description: string) =>
  z
    .string()
    .refine(
      (text) => /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)),
      'must be a number',
    )
    .transform(Number)
    .optional()
    .meta({ description, type: 'number' })

/** Filters of a run's case list. */
export const CaseFilters = z.strictObject({
  status: z.enum(['pass', 'fail', 'error', 'skip', 'xfail', 'xpass']).optional(),
  tag: optionalText,
  q: freeText,
  provider: optionalText,
  prompt: optionalText,
  test: optionalText,
  stop_reason: optionalText,
  error_class: optionalText,
  empty_reason: optionalText,
  cached: flag,
  field: optionalText.meta({
    description:
      'A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing.',
  }),
})

/** Filters for a part of a run's distribution: those of the case list, and bounds of the measures. */
export const DistributionFilters = CaseFilters.extend({
  score_from: bound('Scores from this on.'),
  score_below: bound('Scores below this.'),
  latency_from: bound('Latencies from this on, in milliseconds.'),
  latency_below: bound('Latencies below this, in milliseconds.'),
})

export const caseOrder = sorted(CASE_SORTS, 'asc')
export const casePage = { ...caseOrder, ...paged(50, 200) }

/** The cases in one part of a distribution. */
export const DistributionCases = DistributionFilters.extend(casePage)

/** Answers with a page of the cases of a run. */
export const answerCases = async (
  { reader, documents, longReads }: Services,
  {
    viewer,
    params,
    query,
    clientLeft,
  }: CachedRequest<IdPath, z.infer<typeof DistributionCases>> & {
    readonly clientLeft: AbortSignal
  },
  reply: FastifyReply,
): Promise<void> => {
  const { limit, cursor, sort, order: direction, ...filters } = query
  const run = mustExist(await reader.read(findRun(viewer, params.id)), 'run')
  const order = { sort, order: direction }
  const readsAll = !isDocumentOrder(order) || Object.values(filters).some((value) => value !== undefined)
  const isLong =
    filters.q !== undefined || (run.stored_cases > MANY_CASES && readsAll) || run.largest_asserts * limit > MANY_ASSERTS
  const text = isLong
    ? await longReads.cases(viewer, { run_id: params.id, filters, order, limit, cursor }, clientLeft)
    : await listCases(reader, documents, viewer, run, filters, { limit, cursor }, order)
  answerFound(reply, text, 'run')
}
