import { z } from 'zod'
import { contentOfPlan } from '../../../commands/plan/register-plan.ts'
import { COMPARATORS, PlanDetail } from '../../../queries/plans/plans.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { filledName, newName } from '../../requests/new-name.ts'
import { refusedBy } from '../../requests/refused-by.ts'
import type { Route } from '../route.ts'
import { MAX_BODY_BYTES, readPlan, Text } from './plan.ts'

const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal digits')
  .meta({ description: 'SHA-256 of the bytes of the text, for a plan whose text is revealed later.' })

const NewPlan = z
  .strictObject({
    project: newName,
    suite: newName,
    text: Text.nullish(),
    plan_sha256: Sha256.nullish(),
    config_digest: filledName
      .nullish()
      .meta({ description: 'New runs of the suite with this digest follow the plan.' }),
    metric: z.literal('pass_rate').nullish(),
    comparator: z.enum(COMPARATORS).nullish(),
    threshold: z.number().min(0).max(1).nullish(),
    case_count: z.number().int().min(1).nullish(),
  })
  .superRefine(
    refusedBy(({ text = null, plan_sha256 = null, metric = null, comparator = null, threshold = null }) =>
      contentOfPlan({ text, plan_sha256, metric, comparator, threshold }),
    ),
  )

export const registerPlanRoute: Route = (app, { reader, commit }) => {
  const mint = newIds()
  app.post(
    '/plans',
    {
      config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['plans'],
        operationId: 'registerPlan',
        summary: 'Register a plan for future runs of a suite',
        body: NewPlan,
        response: { 201: PlanDetail, 413: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body: { project, suite, ...given } }, reply) => {
      const plan_id = mint()
      await commit.registerPlan(viewer, {
        plan_id,
        project,
        suite,
        text: given.text ?? null,
        plan_sha256: given.plan_sha256 ?? null,
        config_digest: given.config_digest ?? null,
        metric: given.metric ?? null,
        comparator: given.comparator ?? null,
        threshold: given.threshold ?? null,
        case_count: given.case_count ?? null,
      })
      return reply.code(201).send(await readPlan(reader, viewer, plan_id))
    },
  )
}
