import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { SuiteFlakiness } from '../../../queries/cases/flakiness.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { fallbackOf, optionalText, SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const MAX_WINDOW = 100

const FlakinessQuery = z.strictObject({
  window: z
    .string()
    .refine(
      (given) => /^\d{1,3}$/.test(given) && Number(given) >= 2 && Number(given) <= MAX_WINDOW,
      `must be an integer from 2 to ${MAX_WINDOW}`,
    )
    .transform(Number)
    .optional()
    .transform((value) => value ?? 20)
    .meta({
      description:
        'Number of runs: the newest one, and the runs before it with the same providers and most of its cases.',
      type: 'integer',
      minimum: 2,
      maximum: MAX_WINDOW,
      ...fallbackOf(20),
    }),
  branch: optionalText,
})

export const getSuiteFlakinessRoute: Route = (app, { longReads }) =>
  app.get(
    '/projects/:project/suites/:suite/flakiness',
    {
      config: { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } },
      schema: {
        tags: ['sets'],
        operationId: 'getSuiteFlakiness',
        summary: 'The cases of a suite that change between passing and failing',
        params: SuitePath,
        querystring: FlakinessQuery,
        response: { 200: SuiteFlakiness, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) =>
      answerFound(reply, await longReads.flakiness(viewer, { ...params, ...query }, clientLeft), 'run set'),
  )
