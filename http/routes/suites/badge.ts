import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { badgeTag, setTag } from '../../../commands/tags.ts'
import { Refused } from '../../../commands/refused.ts'
import { badge, UNKNOWN_BADGE } from '../../../domain/badge.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { opensBadge } from '../../../queries/sets/badge-keys.ts'
import { findNewestRun } from '../../../queries/sets/badge.ts'
import type { Score } from '../../../queries/sets/badge.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { answerError, ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { isOpenedByKey } from '../../requests/keyed-routes.ts'
import { hashOfToken, newBadgeKey } from '../../identity/secrets.ts'
import { baseUrl } from '../../requests/base-url.ts'
import { pathPart } from '../../requests/canonical-url.ts'
import { BadgeQuery, nameParameter, NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

const SuitePath = z.object({ project: nameParameter, suite: nameParameter })
type SuitePath = z.infer<typeof SuitePath>
const BadgeAddress = z.object({ url: z.string().meta({ description: 'The address of the image, with its key.' }) })

const HEADERS = {
  'content-type': 'image/svg+xml',
  'cache-control': 'max-age=300',
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

/**
 * Returns the newest result of a suite as an image for other pages, and makes and revokes keys for it: image proxies send no
 * credential. The function is long because it lists every route.
 */
export const badgeRoutes =
  ({ reader, commit, longReads, config: { publicUrl } }: Services): FastifyPluginAsyncZod =>
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
      keyed: true,
      cached: {
        headers: HEADERS,
        tags: ({ project, suite }: SuitePath) => [setTag({ project, suite }), badgeTag(project, suite)],
      },
    } as const

    /** The viewer whose image it is. A key sees the newest run of its suite, whatever its bearer may see. */
    const viewerOf = async (
      viewer: Viewer,
      suite: SuitePath,
      url: string,
      key: string | undefined,
    ): Promise<Viewer> => {
      const isOpened = isOpenedByKey(config, url)
      if (key === undefined && !isOpened) return viewer
      // The gate and this route must agree on whether there is a key.
      if (key === undefined || !isOpened || !(await reader.read(opensBadge(suite, hashOfToken(key)))))
        throw notFound('run set')
      return { ...viewer, sees_all: true }
    }

    app.get(
      '/projects/:project/suites/:suite/badge.svg',
      { config, schema, errorHandler: (...parts) => void answerBadgeError(...parts) },
      async ({ viewer: caller, params, query: { branch, metric, label, key }, url, clientLeft }, reply) => {
        const viewer = await viewerOf(caller, params, url, key)
        const run = await reader.read(findNewestRun(viewer, params, branch))
        if (!run) throw notFound('run set')
        const readScore = async (): Promise<number | null> => {
          const found = await longReads.runScore(viewer, { run_id: run.id }, clientLeft)
          if (!found) throw notFound('run set')
          const { body } = found
          return (JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Score).score
        }
        const score = metric === 'score' ? await readScore() : null
        return answerText(reply, badge(params.suite, { metric, label, run: { ...run, score } }))
      },
    )

    const path = '/projects/:project/suites/:suite/badge'
    const mint = {
      tags: ['sets'],
      operationId: 'createBadge',
      summary: 'Make an address of the image that needs no credential, until it is revoked',
      params: SuitePath,
      querystring: NoParameters,
      response: { 201: BadgeAddress, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody },
    }
    app.post(path, { config: { scope: 'write' }, schema: mint }, async (request, reply) => {
      const { viewer, params } = request
      const key = newBadgeKey()
      await commit.mintBadgeKey(viewer, { ...params, key_sha256: hashOfToken(key) })
      const image = `projects/${pathPart(params.project)}/suites/${pathPart(params.suite)}/badge.svg`
      return reply.code(201).send({ url: `${baseUrl(request, publicUrl)}/api/v1/${image}?key=${key}` })
    })

    const revoke = {
      tags: ['sets'],
      operationId: 'revokeBadges',
      summary: 'Revoke all keys of the image of a suite',
      params: SuitePath,
      querystring: NoParameters,
      response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody },
    }
    app.delete(path, { config: { scope: 'write' }, schema: revoke }, async ({ viewer, params }, reply) => {
      await commit.revokeBadgeKeys(viewer, params)
      return reply.code(204).send(null)
    })
  }
