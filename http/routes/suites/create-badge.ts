import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { hashOfToken, newBadgeKey } from '../../identity/secrets.ts'
import { baseUrl } from '../../requests/base-url.ts'
import { pathPart } from '../../requests/canonical-url.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const BadgeAddress = z.object({ url: z.string().meta({ description: 'The address of the image, with its key.' }) })

export const createBadgeRoute: Route = (app, { commit, config }) =>
  app.post(
    '/projects/:project/suites/:suite/badge',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['sets'],
        operationId: 'createBadge',
        summary: 'Create an address of the image that needs no credential until it is revoked',
        params: SuitePath,
        response: { 201: BadgeAddress, 404: ErrorBody, 409: ErrorBody },
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      const key = newBadgeKey()
      await commit.mintBadgeKey(viewer, { ...params, key_sha256: hashOfToken(key) })
      const image = `projects/${pathPart(params.project)}/suites/${pathPart(params.suite)}/badge.svg`
      return reply.code(201).send({ url: `${baseUrl(request, config.publicUrl)}/api/v1/${image}?key=${key}` })
    },
  )
