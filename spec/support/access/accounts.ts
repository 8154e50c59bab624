import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Role, Scope, Viewer } from '../../../queries/access/viewer.ts'
import type { SpecApp } from '../servers/app.ts'

export const PASSWORD = 'correct horse'

export type UserView = {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly disabled: boolean
}
/** A person with an account and a session. */
export type Person = { readonly id: string; readonly username: string; readonly token: string }

type RequestParts = {
  readonly token?: string | null
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Sends JSON with a credential in a header or in a cookie, or without one. */
export const clientOf =
  ({ app }: Pick<SpecApp, 'app'>) =>
  (
    method: NonNullable<InjectOptions['method']>,
    path: string,
    { token = null, cookie, headers = {}, body }: RequestParts = {},
  ): Promise<LightMyRequestResponse> =>
    app.inject({
      method,
      url: `/api/v1${path}`,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { cookie: `service_session=${cookie}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })

/** People of one app. `root` is the admin who runs the setup and creates the others. */
export const createPeople = async (spec: Pick<SpecApp, 'app'>) => {
  const ask = clientOf(spec)
  const setup = (await ask('POST', '/auth/setup', { body: { username: 'root', password: PASSWORD } })).json<{
    token: string
    user: UserView
  }>()
  const root: Person = { id: setup.user.id, username: 'root', token: setup.token }
  const signIn = async (username: string, password = PASSWORD): Promise<string> =>
    (await ask('POST', '/auth/login', { body: { username, password } })).json<{ token: string }>().token
  const person = async (username: string, role: Role): Promise<Person> => {
    const { id } = (
      await ask('POST', '/users', { token: root.token, body: { username, password: PASSWORD, role } })
    ).json<UserView>()
    return { id, username, token: await signIn(username) }
  }
  const mint = async ({ token }: Person, body: { readonly name?: string; readonly scope?: Scope } = {}) =>
    (await ask('POST', '/apikeys', { token, body })).json<{
      readonly id: string
      readonly key: string
      readonly scope: Scope
    }>()
  const change = (user_id: string, body: object) => ask('PATCH', `/users/${user_id}`, { token: root.token, body })
  return { ask, root, person, signIn, mint, change }
}

/** Returns the viewer of a request that passed the scope check. */
export const viewerOf = (
  actor: {
    readonly kind: 'session' | 'apikey'
    readonly credential_id: string
    readonly user_id: string
    readonly scope?: Scope
  },
  needed: Scope | null,
  sees_all = false,
): Viewer => ({
  actor: { address: null, scope: 'write', ...actor },
  request_id: null,
  sees_all,
  needed,
})
