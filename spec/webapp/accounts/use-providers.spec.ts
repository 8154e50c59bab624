import { expect, it } from 'vitest'
import { providerLabel } from '../../../webapp/accounts/use-providers.ts'

const PROVIDERS = [
  { kind: 'oidc', name: 'acme', label: 'Acme\u202e', login_url: '/api/v1/auth/oidc/acme/start' },
  { kind: 'saml', name: 'corp', label: 'Corporation', login_url: '/api/v1/auth/saml/corp/start' },
]

it('a provider has its label, with invisible characters marked', () => {
  expect(providerLabel('oidc:acme', PROVIDERS)).toBe('Acme⟨U+202E⟩')
  expect(providerLabel('saml:corp', PROVIDERS)).toBe('Corporation')
})

it('a provider that is not configured any more has none', () => {
  expect(providerLabel('saml:acme', PROVIDERS)).toBeNull()
  expect(providerLabel('acme', PROVIDERS)).toBeNull()
  expect(providerLabel('oidc:acme', [])).toBeNull()
})
