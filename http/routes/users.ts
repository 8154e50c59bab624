import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { listKeys } from '../../queries/access/api-keys.ts'
import { listUserOverviews, UserOverview } from '../../queries/access/user-overview.ts'
import { findUserView, listUserViews, UserView } from '../../queries/access/users.ts'
import { ROLES } from '../../queries/access/viewer.ts'
import { ErrorBody, notFound } from '../errors.ts'
import { NewPassword, passwordOf, Username, usernameOf } from '../identity/fields.ts'
import { newIds } from '../identity/ids.ts'
import { checkSeesAll } from '../identity/sees-all.ts'
import { nameParameter, NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'
import { ApiKeys } from './api-keys.ts'

const Role = z.enum(ROLES)
const NewUser = z.strictObject({ username: Username, password: NewPassword, role: Role })
const Change = z.strictObject({
  role: Role.nullish(),
  disabled: z.boolean().nullish(),
  password: NewPassword.nullish(),
})
const UserPath = z.object({ id: nameParameter })
const Users = z.object({ users: z.array(UserView) }).meta({ id: 'Users' })
const Overviews = z.object({ users: z.array(UserOverview) }).meta({ id: 'UserOverviews' })

/** Lists, creates, changes and deletes accounts, for admins. The function is long because it lists every route. */
export const userRoutes =
  ({ reader, commit, passwords, now }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const mint = newIds()
    const tags = ['users']
    const querystring = NoParameters

    const find = async (user_id: string): Promise<UserView> => {
      const user = await reader.read(findUserView(user_id))
      if (!user) throw notFound('user')
      return user
    }

    app.get(
      '/users',
      {
        config: { scope: 'admin' },
        schema: { tags, operationId: 'listUsers', summary: 'All accounts', querystring, response: { 200: Users } },
      },
      async () => ({ users: await reader.read(listUserViews) }),
    )

    const overview = {
      tags,
      operationId: 'listUserOverviews',
      summary: 'Every account with its numbers of keys, sessions and grants, and when it was last seen',
      querystring,
      response: { 200: Overviews, 403: ErrorBody },
    }
    app.get('/users/overview', { config: { scope: 'admin' }, schema: overview }, async ({ viewer }) => {
      checkSeesAll(viewer)
      return { users: await reader.read(listUserOverviews(viewer, now())) }
    })

    const keys = {
      tags,
      operationId: 'listApiKeysOfUser',
      summary: "An account's API keys",
      params: UserPath,
      querystring,
      response: { 200: ApiKeys, 403: ErrorBody, 404: ErrorBody },
    }
    app.get('/users/:id/apikeys', { config: { scope: 'admin' }, schema: keys }, async ({ viewer, params: { id } }) => {
      checkSeesAll(viewer)
      await find(id)
      return { keys: await reader.read(listKeys(id)) }
    })

    const create = {
      tags,
      operationId: 'createUser',
      summary: 'Create an account',
      querystring,
      body: NewUser,
      response: { 201: UserView, 409: ErrorBody, 422: ErrorBody },
    }
    app.post(
      '/users',
      { config: { scope: 'admin', body: 'fields' }, schema: create },
      async ({ viewer, body }, reply) => {
        const { role } = body
        const username = usernameOf(body.username)
        const password_hash = await passwords.hash(passwordOf(body.password))
        const user_id = mint()
        await commit.createUser(viewer, { user_id, username, password_hash, role })
        return reply.code(201).send(await find(user_id))
      },
    )

    const change = {
      tags,
      operationId: 'changeUser',
      summary: 'Change the role, the password or the state of an account',
      params: UserPath,
      querystring,
      body: Change,
      response: { 200: UserView, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
    }
    app.patch(
      '/users/:id',
      { config: { scope: 'admin', body: 'fields' }, schema: change },
      async ({ viewer, params: { id: user_id }, body: { role = null, disabled = null, password = null } }) => {
        const newPassword = password === null ? null : passwordOf(password)
        // This check only avoids hashing a password for an unknown user. The command itself checks again.
        await find(user_id)
        const password_hash = newPassword === null ? null : await passwords.hash(newPassword)
        await commit.changeUser(viewer, { user_id, role, disabled, password_hash })
        return find(user_id)
      },
    )

    const remove = {
      tags,
      operationId: 'deleteUser',
      summary: 'Delete an account',
      params: UserPath,
      querystring,
      response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody },
    }
    app.delete('/users/:id', { config: { scope: 'admin' }, schema: remove }, async ({ viewer, params }, reply) => {
      await commit.deleteUser(viewer, { user_id: params.id })
      return reply.code(204).send(null)
    })
  }
