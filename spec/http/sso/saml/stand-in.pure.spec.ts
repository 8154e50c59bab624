import { afterAll, expect, it } from 'vitest'
import { startSamlIdp } from '../../../support/sso/saml/saml-idp-server.ts'
import { ACS, AT, configFor, openAt, PUBLIC_URL } from '../../../support/sso/saml/saml-service.ts'

const ADA = { name: 'ada-0001', email: 'ada@example.com', groups: ['staff', 'admins'] }
afterAll(() => idp.close())

const fieldOf = (html: string, name: string): string | null =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? null

/** Chooses an account on a page of the stand-in, and returns the form that it then posts to the service. */
const choose = async (page: string, account: string): Promise<string> => {
  const form = new URLSearchParams({ account })
  for (const name of ['request', 'relay']) {
    const value = fieldOf(page, name)
    if (value !== null) form.set(name, value)
  }
  return (await fetch(idp.url, { method: 'POST', body: form })).text()
}
const accounts = [ADA, { name: 'bob-0002', email: 'bob@example.com', groups: [] }]
const idp = await startSamlIdp({ publicUrl: PUBLIC_URL, provider: 'corp', accounts, now: () => AT })
const provider = await openAt({ ...configFor(), idp: { from: 'url', url: idp.metadataUrl } })

it('a person signs in through the stand-in for an identity provider', async () => {
  const { url, requestId } = await provider.start({ relayState: 'transaction-1' })
  const page = await (await fetch(url)).text()
  expect(page).toContain('>bob@example.com</button>')
  const posted = await choose(page, ADA.name)
  expect(posted).toContain(`action="${ACS}"`)
  expect(fieldOf(posted, 'RelayState')).toBe('transaction-1')
  const response = fieldOf(posted, 'SAMLResponse') ?? ''
  expect(await provider.finish({ response, requestId })).toMatchObject({
    subject: ADA.name,
    email: ADA.email,
    groups: ADA.groups,
  })
})

it('a person starts at the stand-in, without a request', async () => {
  const config = { ...configFor(), idp: { from: 'url', url: idp.metadataUrl }, allowIdpInitiated: true } as const
  const posted = await choose(await (await fetch(idp.url)).text(), ADA.name)
  expect(fieldOf(posted, 'RelayState')).toBeNull()
  const response = fieldOf(posted, 'SAMLResponse') ?? ''
  expect(await (await openAt(config)).finish({ response, requestId: null })).toMatchObject({ subject: ADA.name })
  await expect(provider.finish({ response, requestId: null })).rejects.toMatchObject({ code: 'invalid_state' })
})
