import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { isName } from '../../domain/run/readers.ts'
import { AccessList, findAccessList, findAccounts, FoundAccounts } from '../../queries/access/access.ts'
import { AccessOverview, listAccess } from '../../queries/access/access-overview.ts'
import { LEVELS } from '../../queries/access/levels.ts'
import { ErrorBody, notFound } from '../errors.ts'
import { checkSeesAll } from '../identity/sees-all.ts'
import { AccessQuery, AccountsQuery, NAME, nameParameter, NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

// The event log stores the name for ever, even if no run ever has it.
const Name = z
  .string()
  .refine(isName, 'must be a name that a run can have: at most 400 bytes of UTF-8, no NUL')
  .meta(NAME)
const Level = z.strictObject({ level: z.enum(LEVELS) })

/** A whole project or one of its suites: both have the same routes. */
const SCOPES = [
  { path: '/sets/:project', noun: 'Project', scope: { project: Name } },
  { path: '/sets/:project/suites/:suite', noun: 'Suite', scope: { project: Name, suite: Name } },
] as const

/** Restricts run sets, and grants users levels on them. The function is long because it lists every route. */
export const accessRoutes =
  ({ reader, commit }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['access']
    const querystring = NoParameters
    const noContent = { 204: z.null() }

    for (const { path, noun, scope } of SCOPES) {
      const thing = `a ${noun.toLowerCase()}`
      const params = z
        .object(scope)
        .transform((given): { project: string; suite: string | null } => ({ suite: null, ...given }))

      // Not cached: the answer depends on the account, and requests are rare.
      app.get(
        `${path}/access`,
        {
          config: { scope: 'read' },
          schema: {
            tags,
            operationId: `get${noun}Access`,
            summary: `The restriction of ${thing}, and who was granted what`,
            params,
            querystring,
            response: { 200: AccessList, 404: ErrorBody },
          },
        },
        async ({ viewer, params }) => {
          const found = await findAccessList(reader, viewer, params)
          if (!found) throw notFound('run set')
          return found
        },
      )

      // Only who may grant access needs the accounts, so the scope is that of a grant.
      app.get(
        `${path}/accounts`,
        {
          config: { scope: 'write' },
          schema: {
            tags,
            operationId: `find${noun}Accounts`,
            summary: 'Accounts that can be granted a level, by the beginning of their name',
            params,
            querystring: AccountsQuery,
            response: { 200: FoundAccounts, 400: ErrorBody, 404: ErrorBody },
          },
        },
        async ({ viewer, params, query: { name } }) => {
          const found = await findAccounts(reader, viewer, params, name)
          if (!found) throw notFound('run set')
          return found
        },
      )

      app.put(
        `${path}/restriction`,
        {
          config: { scope: 'admin' },
          schema: {
            tags,
            operationId: `restrict${noun}`,
            summary: `Restrict ${thing}: only granted accounts and admins see it`,
            params,
            querystring,
            response: { ...noContent, 422: ErrorBody },
          },
        },
        async ({ viewer, params }, reply) => {
          await commit.restrictSet(viewer, params)
          return reply.code(204).send(null)
        },
      )

      app.delete(
        `${path}/restriction`,
        {
          config: { scope: 'admin' },
          schema: {
            tags,
            operationId: `lift${noun}Restriction`,
            summary: `Lift the restriction of ${thing}`,
            params,
            querystring,
            response: { ...noContent, 404: ErrorBody },
          },
        },
        async ({ viewer, params }, reply) => {
          await commit.liftRestriction(viewer, params)
          return reply.code(204).send(null)
        },
      )

      const grantee = z
        .object({ ...scope, user_id: nameParameter })
        .transform((given): { project: string; suite: string | null; user_id: string } => ({ suite: null, ...given }))

      const grant = {
        tags,
        operationId: `grant${noun}Access`,
        summary: `Grant an account a level on ${thing}`,
        params: grantee,
        querystring,
        body: Level,
        response: { ...noContent, 404: ErrorBody, 422: ErrorBody },
      }
      app.put(
        `${path}/grants/:user_id`,
        { config: { scope: 'write', body: 'fields' }, schema: grant },
        async ({ viewer, params, body }, reply) => {
          await commit.grantAccess(viewer, { ...params, ...body })
          return reply.code(204).send(null)
        },
      )

      app.delete(
        `${path}/grants/:user_id`,
        {
          config: { scope: 'write' },
          schema: {
            tags,
            operationId: `revoke${noun}Access`,
            summary: `Revoke what an account was granted on ${thing}`,
            params: grantee,
            querystring,
            response: { ...noContent, 404: ErrorBody },
          },
        },
        async ({ viewer, params }, reply) => {
          await commit.revokeAccess(viewer, params)
          return reply.code(204).send(null)
        },
      )
    }

    const overview = {
      tags,
      operationId: 'listAccess',
      summary: 'All restrictions and grants, also of suites without runs',
      querystring: AccessQuery,
      response: { 200: AccessOverview, 400: ErrorBody, 403: ErrorBody },
    }
    app.get(
      '/access',
      { config: { scope: 'admin' }, schema: overview },
      async ({ viewer, query: { limit: rows, cursor: from, ...filters } }) => {
        checkSeesAll(viewer)
        return listAccess(reader, viewer, filters, { limit: rows, cursor: from })
      },
    )

    // The same two deletions, with the names in the query. They are needed for the names `.` and `..`: clients remove
    // these from a path, and would then request another path. Without a suite, the routes act on the whole project.
    const set = z.strictObject({ project: Name, suite: Name.optional() })
    const deleted = { ...noContent, 400: ErrorBody, 404: ErrorBody }

    const lift = {
      tags,
      operationId: 'liftRestrictionByName',
      summary: 'Lift a restriction; works for any names',
      querystring: set,
      response: deleted,
    }
    app.delete(
      '/restrictions',
      { config: { scope: 'admin' }, schema: lift },
      async ({ viewer, query: { project, suite = null } }, reply) => {
        await commit.liftRestriction(viewer, { project, suite })
        return reply.code(204).send(null)
      },
    )

    const revoke = {
      tags,
      operationId: 'revokeGrantByName',
      summary: 'Revoke a grant; works for any names',
      querystring: set.extend({ user_id: z.string() }),
      response: deleted,
    }
    app.delete(
      '/grants',
      { config: { scope: 'write' }, schema: revoke },
      async ({ viewer, query: { project, suite = null, user_id } }, reply) => {
        await commit.revokeAccess(viewer, { project, suite, user_id })
        return reply.code(204).send(null)
      },
    )
  }
