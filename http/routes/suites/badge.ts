import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { Refused } from '../../../commands/refused.ts'
import { badge, UNKNOWN_BADGE } from '../../../domain/badge.ts'
import { findNewestRun } from '../../../queries/sets/badge.ts'
import type { Score } from '../../../queries/sets/badge.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { answerError, ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { BadgeQuery, nameParameter } from '../../requests/parameters.ts'
import type { Services } from '../../services.ts'

const SuitePath = z.object({ project: nameParameter, suite: nameParameter })

const HEADERS = {
  'content-type': 'image/svg+xml',
  'cache-control': 'max-age=300',
  // For a browser that opens the image itself.
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
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

/** Returns the newest result of a suite as an image for other pages. */
export const badgeRoutes =
  ({ reader, runLongRead }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const schema = {
      tags: ['sets'],
      operationId: 'getBadge',
      summary: 'The newest result of a suite as an image (SVG)',
      params: SuitePath,
      querystring: BadgeQuery,
      response: {
        200: image('The badge'),
        400: ErrorBody,
        404: image('The suite has no such run, or the caller may not see it'),
        ...LONG_READ,
      },
    }
    const config = {
      scope: 'read',
      cached: { headers: HEADERS, tags: (suite: { project: string; suite: string }) => [setTag(suite)] },
    } as const
    app.get(
      '/projects/:project/suites/:suite/badge.svg',
      { config, schema, errorHandler: (...parts) => void answerBadgeError(...parts) },
      async ({ viewer, params, query: { branch, metric, label }, clientLeft }, reply) => {
        const run = await reader.read(findNewestRun(viewer, params, branch))
        if (!run) throw notFound('run set')
        const readScore = async (): Promise<number | null> => {
          const found = await runLongRead('runScore', viewer, { run_id: run.id }, clientLeft)
          if (!found) throw notFound('run set')
          const { body } = found
          return (JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Score).score
        }
        const score = metric === 'score' ? await readScore() : null
        return answerText(reply, badge(params.suite, { metric, label, run: { ...run, score } }))
      },
    )
  }
