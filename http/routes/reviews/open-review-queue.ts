import { z } from 'zod'
import { MAX_PEOPLE } from '../../../commands/review/people.ts'
import { MAX_PER_ITEM } from '../../../commands/review/open-review-queue.ts'
import { Refused } from '../../../commands/refused.ts'
import { QUEUE_TARGETS, RESOLVES } from '../../../domain/review/final.ts'
import { MAX_METRIC } from '../../../domain/review/judge-id.ts'
import { MAX_ITEMS, MAX_RUNS } from '../../../domain/review/selection.ts'
import { IDENTITY_BYTES } from '../../../domain/run/readers.ts'
import type { NoSample, Sample } from '../../../queries/reviews/sample.ts'
import { ReviewQueue } from '../../../queries/reviews/queues.ts'
import { findRubric } from '../../../queries/reviews/rubrics.ts'
import { ErrorBody, LONG_READ, mustExist, notFound } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { newName } from '../../requests/new-name.ts'
import type { Route } from '../route.ts'
import { newSeed, peopleOf, readQueue, valueOf } from './queue.ts'

const Runs = z.array(z.string()).min(1).max(MAX_RUNS)
const Count = z.number().int().min(1).max(MAX_ITEMS)
const Group = z.number().int().min(0).max(MAX_ITEMS).optional()

const Selection = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('random'), runs: Runs, count: Count }),
  z
    .strictObject({
      kind: z.literal('by_verdict'),
      runs: Runs,
      passed: Group,
      failed: Group,
      half_width: z.number().gt(0).lt(0.5).optional().meta({
        description: 'In place of both: as many cases as bring the calibrated rate to this half width.',
      }),
    })
    .refine(
      ({ passed, failed, half_width }) => (half_width === undefined) !== (passed === undefined && failed === undefined),
      {
        message: 'give passed and failed, or half_width',
      },
    ),
  z.strictObject({ kind: z.literal('near_threshold'), runs: Runs, count: Count }),
  z.strictObject({ kind: z.literal('suspected'), runs: Runs, count: Count }),
  z
    .strictObject({
      kind: z.literal('disagreement'),
      runs: Runs,
      count: Count,
      with_run: z.string().optional().meta({ description: 'Another run: same tests and outputs, other verdicts.' }),
      with_metric: z.string().optional().meta({ description: 'Another metric of the same cases.' }),
    })
    .refine(({ with_run, with_metric }) => (with_run === undefined) !== (with_metric === undefined), {
      message: 'give either with_run or with_metric',
    }),
  z.strictObject({
    kind: z.literal('pairs').meta({
      description:
        'Of a preference: the same tests in two runs, with different outputs. The first run is A, the second B.',
    }),
    runs: z.array(z.string()).length(2),
    count: Count,
  }),
  z.strictObject({
    kind: z.literal('list'),
    cases: z
      .array(z.strictObject({ run_id: z.string(), case_key: z.string() }))
      .min(1)
      .max(MAX_ITEMS),
  }),
])

const People = z.array(z.string().min(1).max(IDENTITY_BYTES)).max(MAX_PEOPLE)
const Body = z
  .strictObject({
    project: newName,
    suite: newName,
    rubric_id: z.string().meta({ description: 'The queue uses its newest version.' }),
    target: z.enum(QUEUE_TARGETS).meta({ description: 'Whole cases, or one judged metric.' }),
    metric: z
      .string()
      .max(2 * MAX_METRIC)
      .nullish(),
    per_item: z.number().int().min(1).max(MAX_PER_ITEM).default(2).meta({ description: 'Labels that each case gets.' }),
    resolve: z.enum(RESOLVES).default('adjudicate'),
    reviewers: People.min(1).meta({ description: 'Names or ids of accounts.' }),
    adjudicators: People.default([]),
    selection: Selection,
    seed: z
      .string()
      .regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible characters of ASCII')
      .optional(),
    dry_run: z.boolean().default(false).meta({ description: 'Only counts: no queue is opened.' }),
  })
  .refine(({ target, metric }) => (target === 'metric') === (metric !== undefined && metric !== null), {
    path: ['metric'],
    message: 'name a metric for the target metric, and none for cases',
  })

const DrawnGroup = z.object({ cases: z.number().int(), taken: z.number().int() })
const Preview = z
  .object({
    items: z.number().int(),
    targeted: z.boolean(),
    seed: z.string(),
    groups: z.object({ passed: DrawnGroup, failed: DrawnGroup }),
    half_width: z.number().nullable().meta({ description: 'To expect of the calibrated pass rate' }),
  })
  .meta({ id: 'ReviewQueuePreview' })

/** A list of 2,000 cases with long keys. */
const MAX_BODY_BYTES = 2 * 1024 * 1024

export const openReviewQueueRoute: Route = (app, services) => {
  const { reader, commit, longReads } = services
  const mint = newIds()
  app.post(
    '/review-queues',
    {
      config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['reviews'],
        operationId: 'openReviewQueue',
        summary: 'Open a queue: a sample of cases that people label',
        body: Body,
        response: {
          200: Preview,
          201: ReviewQueue,
          404: ErrorBody,
          409: ErrorBody,
          413: ErrorBody,
          422: ErrorBody,
          ...LONG_READ,
        },
      },
    },
    async ({ viewer, body, clientLeft }, reply) => {
      const { project, suite, rubric_id, target, selection, per_item, resolve, reviewers, adjudicators } = body
      const rubric = mustExist(await reader.read(findRubric(viewer, rubric_id, null)), 'rubric')
      if (rubric.project !== project || rubric.suite !== suite) throw notFound('rubric')
      const seed = body.seed ?? newSeed()
      const metric = body.metric ?? null
      const asked = { project, suite, rubric_id, target, metric, selection, seed }
      // Safe: the read returns one of these.
      const sample = valueOf(await longReads.reviewSample(viewer, asked, clientLeft)) as Sample | NoSample
      if (sample.problem === 'run not found') throw notFound('run')
      if (sample.problem !== null) throw new Refused('unprocessable', sample.message)
      const { runs, items, targeted, groups, half_width } = sample
      if (body.dry_run) return reply.code(200).send({ items: items.length, targeted, seed, groups, half_width })
      const queue_id = mint()
      await commit.openReviewQueue(viewer, {
        ...{ queue_id, project, suite, rubric_id, target, metric, per_item, resolve, seed, targeted, runs, items },
        selection: sample.selection,
        people: peopleOf(reviewers, adjudicators),
      })
      return reply.code(201).send(await readQueue(services, viewer, queue_id))
    },
  )
}
