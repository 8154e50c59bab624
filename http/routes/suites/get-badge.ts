import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { badgeTag, setTag } from '../../../commands/tags.ts'
import { badge, BADGE_METRICS, MAX_LABEL, UNKNOWN_BADGE } from '../../../domain/badge.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import type { RunCalibration } from '../../../queries/reviews/calibration.ts'
import { opensBadge } from '../../../queries/sets/badge-keys.ts'
import { findNewestRun, type Score } from '../../../queries/sets/badge.ts'
import { MAX_COMPARED_CASES } from '../../../queries/statistics/outcomes.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { answerError } from '../../answer-error.ts'
import { LONG_READ, mustExist, notFound } from '../../errors.ts'
import { hashOfToken } from '../../identity/secrets.ts'
import { isOpenedByKey } from '../../requests/keyed-routes.ts'
import { fallbackOf, optionalText, SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const BadgeQuery = z.strictObject({
  branch: optionalText.meta({ description: 'Only runs of this branch.' }),
  metric: z
    .enum(BADGE_METRICS)
    .optional()
    .transform((given) => given ?? 'pass-rate')
    .meta({
      ...fallbackOf('pass-rate'),
      description:
        '`status`: whether any case failed or ended with an error. `calibrated`: the pass rate that people would give, by their labels.',
    }),
  label: z
    .string()
    .refine((given) => [...given].length <= MAX_LABEL, `must have at most ${MAX_LABEL} characters`)
    .optional()
    .meta({
      maxLength: MAX_LABEL,
      description: 'The text on the left side of the image. Default: the name of the suite.',
    }),
  key: optionalText.meta({
    description: 'A key of the suite, from `POST …/badge`: with it, no other credential is needed.',
  }),
})

const HEADERS = {
  'content-type': 'image/svg+xml',
  'cache-control': 'max-age=300',
} as const

const config = {
  scope: 'read',
  keyed: true,
  cached: {
    headers: HEADERS,
    tags: ({ project, suite }: SuitePath) => [setTag({ project, suite }), badgeTag(project, suite)],
    // Labels that are given, and those that are too old, change a calibrated rate.
    everyMs: 300_000,
  },
} as const

const image = (description: string) => ({ description, content: { 'image/svg+xml': { schema: z.string() } } })

/**
 * A page shows an image for every answer. So whatever the caller may not see, for want of a credential or of a grant,
 * is the image of an unknown suite.
 */
const answerBadgeError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const isUnseen = error instanceof Refused && ['not_found', 'unauthenticated', 'forbidden'].includes(error.reason)
  return isUnseen ? reply.code(404).headers(HEADERS).send(UNKNOWN_BADGE) : answerError(error, request, reply)
}

export const getBadgeRoute: Route = (app, { reader, longReads, now }) => {
  /** The viewer whose image it is. A key sees the newest run of its suite, whatever its bearer may see. */
  const viewerOf = async (viewer: Viewer, suite: SuitePath, url: string, key: string | undefined): Promise<Viewer> => {
    const isOpened = isOpenedByKey(config, url)
    if (key === undefined && !isOpened) return viewer
    // The gate and this route must agree on whether there is a key.
    if (key === undefined || !isOpened || !(await reader.read(opensBadge(suite, hashOfToken(key)))))
      throw notFound('run set')
    return { ...viewer, sees_all: true, limit: null }
  }
  app.get(
    '/projects/:project/suites/:suite/badge.svg',
    {
      config,
      schema: {
        tags: ['sets'],
        operationId: 'getBadge',
        summary: 'The newest result of a suite as an image (SVG)',
        params: SuitePath,
        querystring: BadgeQuery,
        response: {
          200: image('The badge'),
          404: image('The suite has no such run, or the caller may not see it'),
          ...LONG_READ,
        },
      },
      errorHandler: (...parts) => void answerBadgeError(...parts),
    },
    async ({ viewer: caller, params, query: { branch, metric, label, key }, url, clientLeft }, reply) => {
      const viewer = await viewerOf(caller, params, url, key)
      const run = mustExist(await reader.read(findNewestRun(viewer, params, branch)), 'run set')
      const found = async <T>(reading: Promise<LongReadAnswer | null>): Promise<T> => {
        const { body } = mustExist(await reading, 'run set')
        return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as T
      }
      const readScore = async (): Promise<number | null> =>
        (await found<Score>(longReads.runScore(viewer, { run_id: run.id }, clientLeft))).score
      const readCalibrated = async () => {
        const asked = { run_id: run.id, cluster_by: { by: 'test' as const }, now: now() }
        const { state, rate } = await found<RunCalibration>(longReads.calibration(viewer, asked, clientLeft))
        return state === 'good' && rate.reason === null ? rate : null
      }
      const score = metric === 'score' ? await readScore() : null
      const calibrated = metric === 'calibrated' && run.case_count <= MAX_COMPARED_CASES ? await readCalibrated() : null
      return answerText(reply, badge(params.suite, { metric, label, run: { ...run, score, calibrated } }))
    },
  )
}
