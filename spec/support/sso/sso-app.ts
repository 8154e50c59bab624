import type { ProviderConfig, SamlProviderConfig, SsoConfig } from '../../../http/sso/config.ts'
import { openApp, type SpecApp } from '../servers/app.ts'
import type { SigningKey } from './certificate.ts'
import { followUntil } from './follow-redirects.ts'
import { samlConfig } from './providers.ts'
import { readAuthnRequest, samlResponse } from './saml/saml-idp.ts'

export const PUBLIC_URL = 'http://results.example.com'
const IDP = 'https://idp.example.com/metadata'

/** The settings of single sign-on with these providers. */
const ssoOf = (providers: readonly ProviderConfig[], settings: Partial<SsoConfig> = {}): SsoConfig => ({
  publicUrl: PUBLIC_URL,
  clockSkewSecs: 60,
  defaultRole: 'member',
  providers,
  ...settings,
})

type AppOptions = NonNullable<Parameters<typeof openApp>[0]>

/** Opens an app with these providers. */
export const openSsoApp = (providers: readonly ProviderConfig[], options: AppOptions = {}): Promise<SpecApp> =>
  openApp({ publicUrl: PUBLIC_URL, sso: ssoOf(providers), ...options })

/** The configuration of a SAML provider that signs with this key. */
export const samlProviderWith = (key: SigningKey, changes: Partial<SamlProviderConfig> = {}): SamlProviderConfig =>
  samlConfig({
    idp: {
      from: 'configuration',
      metadata: { entityId: IDP, ssoUrl: 'https://idp.example.com/sso', certificates: [key.certificate] },
    },
    spEntityId: `${PUBLIC_URL}/api/v1/auth/saml/${changes.name ?? 'corp'}/metadata`,
    ...changes,
  })

/** Where a step of a sign-in sends the browser, and the cookies that it sets. */
export type Step = {
  readonly status: number
  readonly to: string
  readonly cookies: readonly string[]
  readonly headers: Readonly<Record<string, unknown>>
}

type Answer = Awaited<ReturnType<ReturnType<SpecApp['sendAs']>>>
const stepOf = ({ statusCode, headers }: Answer): Step => ({
  status: statusCode,
  to: typeof headers.location === 'string' ? headers.location : '',
  cookies: [headers['set-cookie'] ?? []].flat(),
  headers,
})

/** The value of a cookie that a step sets; null if it does not set it. */
export const cookieIn = ({ cookies }: Step, name: string): string | null =>
  cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(/[=;]/)[1] ?? null

const asCookieHeader = ({ cookies }: Step): string => cookies.map((cookie) => cookie.split(';')[0]).join('; ')

/** Starts a sign-in. `requestedPath` is the path to return to. */
export const start = async (
  { sendAs }: SpecApp,
  { kind, name }: Pick<ProviderConfig, 'kind' | 'name'>,
  requestedPath: string | null = null,
): Promise<Step> => {
  const query = requestedPath === null ? '' : `?${new URLSearchParams({ return_to: requestedPath }).toString()}`
  return stepOf(await sendAs(null)('GET', `/auth/${kind}/${name}/start${query}`))
}

/** Comes back from an OpenID provider. `cookie` is the Cookie header. */
export const comeBack = async (
  { sendAs }: SpecApp,
  name: string,
  query: Readonly<Record<string, string>> | string,
  cookie = '',
): Promise<Step> => {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  return stepOf(await sendAs(null)('GET', `/auth/oidc/${name}/callback?${text}`, { headers: { cookie } }))
}

/** A whole sign-in through an OpenID provider that asks for nothing; returns the last step, and what came back. */
export const signInWithOidc = async (app: SpecApp, name: string, requestedPath: string | null = null) => {
  const started = await start(app, { kind: 'oidc', name }, requestedPath)
  const callback = await followUntil(started.to, `${PUBLIC_URL}/api/v1/auth/oidc/${name}/callback`)
  const cookie = asCookieHeader(started)
  const query = callback.search.slice(1)
  return { ...(await comeBack(app, name, query, cookie)), query, cookie }
}

/** Posts a form to a SAML provider's address. */
export const post = async (
  { sendAs }: SpecApp,
  name: string,
  form: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Step> =>
  stepOf(
    await sendAs(null)('POST', `/auth/saml/${name}/acs`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    }),
  )

type ResponseOverrides = Partial<Parameters<typeof samlResponse>[0]>

/** A response of the SAML provider `name` to a request, in base64. */
export const responseTo = (
  key: SigningKey,
  {
    name = 'corp',
    at,
    requestId,
    ...overrides
  }: ResponseOverrides & { readonly name?: string; readonly at: number; readonly requestId: string | null },
): string =>
  samlResponse(
    {
      at,
      acsUrl: `${PUBLIC_URL}/api/v1/auth/saml/${name}/acs`,
      audience: `${PUBLIC_URL}/api/v1/auth/saml/${name}/metadata`,
      issuer: IDP,
      requestId,
      nameId: 'ada@example.com',
      ...overrides,
    },
    { key, sign: 'both' },
  )

/** Starts a sign-in through a SAML provider, and returns what its form posts. */
export const samlForm = async (
  app: SpecApp,
  key: SigningKey,
  overrides: ResponseOverrides & { readonly name?: string; readonly at: number },
  requestedPath: string | null = null,
) => {
  const started = await start(app, { kind: 'saml', name: overrides.name ?? 'corp' }, requestedPath)
  const { id, relayState } = readAuthnRequest(started.to)
  return {
    form: { SAMLResponse: responseTo(key, { requestId: id, ...overrides }), RelayState: relayState ?? '' },
    cookie: asCookieHeader(started),
  }
}

/** A whole sign-in through a SAML provider; returns the last step, and what was posted. */
export const signInWithSaml = async (
  app: SpecApp,
  key: SigningKey,
  overrides: ResponseOverrides & { readonly name?: string; readonly at: number },
  requestedPath: string | null = null,
) => {
  const { form, cookie } = await samlForm(app, key, overrides, requestedPath)
  return { ...(await post(app, overrides.name ?? 'corp', form, { cookie })), form, cookie }
}
