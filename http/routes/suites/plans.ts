import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { contentOfPlan, MAX_PLAN_BYTES, planText } from '../../../commands/plan/register-plan.ts'
import { Refused } from '../../../commands/refused.ts'
import { DOT_NAME, isDotName } from '../../../domain/run/dot-names.ts'
import { isName } from '../../../domain/run/readers.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { COMPARATORS, findPlan, findPlanSet, listPlans, PlanDetail, PlanList } from '../../../queries/plans/plans.ts'
import type { Suite } from '../../../queries/sets/baselines.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { NAME, nameParameter, NoParameters, PlanListQuery } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

/** JSON writes a byte of text with at most six characters; the other fields are short. */
const MAX_BODY_BYTES = 6 * MAX_PLAN_BYTES + 16 * 1024

// The event log stores the names for ever, even if no run ever has them.
const isFilledName = (text: string): boolean => text !== '' && isName(text)
const Filled = z
  .string()
  .refine(isFilledName, 'must be a name that a run can have: 1 to 400 bytes of UTF-8, no NUL')
  .meta(NAME)
const Name = Filled.refine((name) => !isDotName(name), DOT_NAME)

/** Reports what the command would refuse, before access is checked. */
const refusedBy =
  <T>(check: (given: T) => unknown) =>
  (given: T, context: z.RefinementCtx): void => {
    try {
      check(given)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  }

const Text = z.string().meta({
  minLength: 1,
  description: `Any text, of at most ${MAX_PLAN_BYTES} bytes of UTF-8. It is stored byte for byte.`,
})
const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal digits')
  .meta({ description: 'SHA-256 of the bytes of the text, for a plan whose text is revealed later.' })

const NewPlan = z
  .strictObject({
    project: Name,
    suite: Name,
    text: Text.nullish(),
    plan_sha256: Sha256.nullish(),
    config_digest: Filled.nullish().meta({ description: 'New runs of the suite with this digest follow the plan.' }),
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
const Reveal = z.strictObject({ text: Text }).superRefine(refusedBy(({ text }) => planText(text)))
const PlanPath = z.object({ id: nameParameter })

/** Registers, lists, reveals and withdraws plans. The function is long because it lists every route. */
export const planRoutes =
  ({ reader, commit }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const mint = newIds()
    const tags = ['plans']
    const querystring = NoParameters

    const find = async (viewer: Viewer, id: string): Promise<PlanDetail> => {
      const plan = await reader.read(findPlan(viewer, id))
      if (!plan) throw notFound('plan')
      return plan
    }
    /** The set of a plan never changes, so it can be read before the command that checks the level on it. */
    const findSet = async (viewer: Viewer, id: string): Promise<Suite> => {
      const set = await reader.read(findPlanSet(viewer, id))
      if (!set) throw notFound('plan')
      return set
    }

    const list = {
      tags,
      operationId: 'listPlans',
      summary: 'Plans, the newest first',
      querystring: PlanListQuery,
      response: { 200: PlanList, 400: ErrorBody },
    }
    app.get(
      '/plans',
      { config: { scope: 'read' }, schema: list },
      async ({ viewer, query: { limit, cursor, ...filters } }) =>
        reader.read(listPlans(viewer, filters, { limit, cursor })),
    )

    const register = {
      tags,
      operationId: 'registerPlan',
      summary: 'Register a plan for runs of a suite that are still to come',
      querystring,
      body: NewPlan,
      response: { 201: PlanDetail, 400: ErrorBody, 403: ErrorBody, 413: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/plans',
      { config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES }, schema: register },
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
        return reply.code(201).send(await find(viewer, plan_id))
      },
    )

    const one = {
      tags,
      operationId: 'getPlan',
      summary: 'A plan, and the runs that follow it',
      params: PlanPath,
      querystring,
      response: { 200: PlanDetail, 404: ErrorBody },
    }
    app.get('/plans/:id', { config: { scope: 'read' }, schema: one }, async ({ viewer, params: { id } }) =>
      find(viewer, id),
    )

    const change = { ...one, response: { ...one.response, 403: ErrorBody } }
    const reveal = {
      ...change,
      operationId: 'revealPlan',
      summary: 'Make the text of a plan known that was registered by its digest',
      body: Reveal,
      response: { ...change.response, 400: ErrorBody, 409: ErrorBody, 413: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/plans/:id/reveal',
      { config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES }, schema: reveal },
      async ({ viewer, params: { id }, body: { text } }) => {
        await commit.revealPlan(viewer, { plan_id: id, set: await findSet(viewer, id), text })
        return find(viewer, id)
      },
    )

    const withdraw = { ...change, operationId: 'withdrawPlan', summary: 'Withdraw a plan: later runs do not follow it' }
    app.post(
      '/plans/:id/withdraw',
      { config: { scope: 'write' }, schema: withdraw },
      async ({ viewer, params: { id } }) => {
        await commit.withdrawPlan(viewer, { plan_id: id, set: await findSet(viewer, id) })
        return find(viewer, id)
      },
    )
  }
