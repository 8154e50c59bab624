import { z } from 'zod'
import type { RunSet } from '../../domain/sets.ts'
import { page, rfc3339 } from '../../domain/wire.ts'
import { any, constant, mapped, maybeOne, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { idInCursor } from '../tuple-cursor.ts'
import type { Suite } from '../sets/baselines.ts'

// Plans that were registered before the runs that follow them. A plan is visible to the viewers of its run set.

const count = z.number().int()
const text = z.string().nullable()

export const COMPARATORS = ['>=', '>'] as const

const Fields = z.object({
  project: z.string(),
  suite: z.string(),
  plan_sha256: z.string(),
  /** Null until the text is known. */
  plan_bytes: count.nullable(),
  config_digest: text,
  metric: z.literal('pass_rate').nullable(),
  comparator: z.enum(COMPARATORS).nullable(),
  threshold: z.number().nullable(),
  case_count: count.nullable(),
  registered_by: text,
  /** How many runs ever followed the plan, deleted ones included. */
  attempts: count,
})
const Row = Fields.extend({
  plan_id: z.string(),
  registered_at: z.number(),
  revealed_at: z.number().nullable(),
  withdrawn_at: z.number().nullable(),
})

const Plan = z
  .object({
    id: z.string(),
    ...Fields.shape,
    registered_at: z.string(),
    revealed_at: text,
    withdrawn_at: text,
  })
  .meta({ id: 'Plan' })
type Plan = z.infer<typeof Plan>

export const PlanList = z.object({ plans: z.array(Plan), next_cursor: text }).meta({ id: 'PlanList' })
export type PlanList = z.infer<typeof PlanList>

/** A plan with its text; `text` is null until it is known. */
export const PlanDetail = Plan.extend({ text }).meta({ id: 'PlanDetail' })
export type PlanDetail = z.infer<typeof PlanDetail>

/** How many runs ever followed the plan `plans.plan_id`. Attempts are numbered from 1 without gaps. */
export const ATTEMPTS = sql.fragment`(
  SELECT coalesce(max(tried.attempt), 0) FROM plan_runs tried
  WHERE tried.plan_id = plans.plan_id) AS attempts`

const COLUMNS = sql.fragment`
  plans.plan_id, plans.project, plans.suite, plans.plan_sha256, plans.plan_bytes, plans.config_digest, plans.metric, plans.comparator,
  plans.threshold, plans.case_count, plans.registered_at, plans.revealed_at, plans.withdrawn_at,
  (SELECT label FROM principals WHERE principals.id = plans.registered_by) AS registered_by, ${ATTEMPTS}`

const instantOrNull = (at: number | null): string | null => (at === null ? null : rfc3339(at))

const planView = ({ plan_id, registered_at, revealed_at, withdrawn_at, ...fields }: z.infer<typeof Row>): Plan => ({
  id: plan_id,
  ...fields,
  registered_at: rfc3339(registered_at),
  revealed_at: instantOrNull(revealed_at),
  withdrawn_at: instantOrNull(withdrawn_at),
})

type Filters = { readonly project?: string | undefined; readonly suite?: string | undefined }
type Page = { readonly limit: number; readonly cursor?: string | undefined }

/** Plans of a project, of a suite or of all sets, the newest first. The cursor is the id of the last plan of a page. */
export const listPlans = (viewer: Viewer, { project, suite }: Filters, { limit, cursor }: Page): Query<PlanList> => {
  const after = idInCursor(cursor)
  const conditions: Fragment[] = [
    visible(viewer, 'plans'),
    ...(project === undefined ? [] : [sql.fragment`plans.project = ${project}`]),
    ...(suite === undefined ? [] : [sql.fragment`plans.suite = ${suite}`]),
    ...(after === undefined ? [] : [sql.fragment`plans.plan_id < ${after}`]),
  ]
  return mapped(
    any(sql.type(Row)`
      SELECT ${COLUMNS} FROM plans WHERE ${sql.join(conditions, sql.fragment` AND `)}
      ORDER BY plans.plan_id DESC LIMIT ${limit + 1}`),
    (rows) => {
      const { rows: plans, next_cursor } = page(rows.map(planView), limit, ({ id }) => id)
      return { plans: [...plans], next_cursor }
    },
  )
}

/** A visible plan with its text, or null. */
export const findPlan = (viewer: Viewer, plan_id: string): Query<PlanDetail | null> =>
  mapped(
    maybeOne(sql.type(Row.extend({ bytes: z.instanceof(Buffer).nullable() }))`
      SELECT ${COLUMNS}, (SELECT bytes FROM plan_texts WHERE plan_texts.plan_id = plans.plan_id) AS bytes
      FROM plans WHERE plans.plan_id = ${plan_id} AND ${visible(viewer, 'plans')}`),
    (row) => {
      if (!row) return null
      const { bytes, ...plan } = row
      return { ...planView(plan), text: bytes === null ? null : bytes.toString() }
    },
  )

/** The set of a visible plan, or null. */
export const findPlanSet = (viewer: Viewer, plan_id: string): Query<Suite | null> =>
  maybeOne(sql.type(Fields.pick({ project: true, suite: true }))`
    SELECT plans.project, plans.suite FROM plans WHERE plans.plan_id = ${plan_id} AND ${visible(viewer, 'plans')}`)

/** The number of the record that registered a visible plan, or null. No answer shows it but a receipt. */
export const findPlanSeq = (viewer: Viewer, plan_id: string): Query<number | null> =>
  mapped(
    maybeOne(sql.type(z.object({ registered_seq: count }))`
      SELECT plans.registered_seq FROM plans WHERE plans.plan_id = ${plan_id} AND ${visible(viewer, 'plans')}`),
    (row) => row && row.registered_seq,
  )

const State = z.object({
  plan_id: z.string(),
  project: z.string(),
  suite: z.string(),
  plan_sha256: z.string(),
  plan_bytes: count.nullable(),
  withdrawn_at: z.number().nullable(),
})
/** What the decisions about a plan need. */
export type PlanState = z.infer<typeof State>

/** The state of a visible plan, or null. */
export const findPlanState = (viewer: Viewer, plan_id: string): Query<PlanState | null> =>
  maybeOne(sql.type(State)`
    SELECT plans.plan_id, plans.project, plans.suite, plans.plan_sha256, plans.plan_bytes, plans.withdrawn_at
    FROM plans WHERE plans.plan_id = ${plan_id} AND ${visible(viewer, 'plans')}`)

const Followed = z.object({ plan_id: z.string(), attempts: count })
/** A plan that an upload follows, and how many runs followed it before. */
export type FollowedPlan = z.infer<typeof Followed>

type Follower = RunSet & {
  /** The plan that the upload names, or null. */
  readonly plan_id: string | null
  readonly config_digest: string | null
}

/**
 * The plan that a new run of a set follows, or null: the plan that the upload names, else the newest one with the same
 * configuration digest. Plans of other sets and withdrawn plans are never followed.
 */
export const findFollowedPlan = (
  viewer: Viewer,
  { project, suite, plan_id, config_digest }: Follower,
): Query<FollowedPlan | null> => {
  if (project === null || suite === null || (plan_id ?? config_digest) === null) return constant(null)
  const isMeant =
    plan_id === null ? sql.fragment`plans.config_digest = ${config_digest}` : sql.fragment`plans.plan_id = ${plan_id}`
  return maybeOne(sql.type(Followed)`
    SELECT plans.plan_id, ${ATTEMPTS} FROM plans
    WHERE ${isMeant} AND plans.project = ${project} AND plans.suite = ${suite} AND plans.withdrawn_at IS NULL AND ${visible(viewer, 'plans')}
    ORDER BY plans.registered_seq DESC LIMIT 1`)
}
