import type { Page } from 'playwright-core'
import type { UserOverview } from '../../../queries/access/user-overview.ts'
import type { Me } from '../../../queries/access/sessions.ts'
import type { Meta } from '../../../queries/meta.ts'

/** Providers as a server lists them; the label of the last is hostile. */
export const PROVIDERS: Meta['sso_providers'] = [
  { name: 'acme', kind: 'oidc', label: 'Acme SSO', login_url: '/api/v1/auth/oidc/acme/start' },
  {
    name: 'long',
    kind: 'oidc',
    label: 'A provider whose label is longer than any button is wide',
    login_url: '/api/v1/auth/oidc/long/start',
  },
  {
    name: 'corp',
    kind: 'saml',
    label: '<img src=x onerror=alert(1)>\u202e',
    login_url: '/api/v1/auth/saml/corp/start',
  },
]

/** The parts of an account that depend on its identity providers. */
type Linked = Pick<UserOverview, 'has_password' | 'identities' | 'role_managed_by'>

/** An account that two providers know, of which one is not configured any more. */
export const LINKED: Linked = {
  has_password: false,
  role_managed_by: 'oidc:acme',
  identities: [
    {
      provider: 'oidc:acme',
      kind: 'oidc',
      subject: '248289761001',
      email: 'ci.bot@example.com',
      last_login_at: '2026-05-04T09:00:00+00:00',
    },
    {
      provider: 'saml:old',
      kind: 'saml',
      subject: `<b>AAdzZWNyZXQx</b>\u202e${'long'.repeat(40)}`,
      email: null,
      last_login_at: null,
    },
  ],
}

/**
 * Lets the server answer the requests of a page as one that is configured with `providers`. Accounts named in `linked`
 * have these identities; each answer is otherwise the server's own.
 */
export const stubProviders = async (
  page: Page,
  providers: Meta['sso_providers'] = PROVIDERS,
  linked: Readonly<Record<string, Linked>> = {},
): Promise<void> => {
  const change = <T>(pattern: string, changed: (answer: T) => T): Promise<unknown> =>
    page.route(pattern, async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      const response = await route.fetch()
      return response.ok()
        ? route.fulfill({ response, json: changed((await response.json()) as T) })
        : route.fulfill({ response })
    })
  await change<Meta>('**/api/v1/meta', (meta) => ({ ...meta, sso_providers: providers }))
  await change<Me>('**/api/v1/auth/me', (me) => ({
    ...me,
    user: me.user && { ...me.user, ...linked[me.user.username] },
  }))
  await change<{ users: UserOverview[] }>('**/api/v1/users/overview', ({ users }) => ({
    users: users.map((user) => ({ ...user, ...linked[user.username] })),
  }))
}
