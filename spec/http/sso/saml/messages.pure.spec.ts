import { DOMParser } from '@xmldom/xmldom'
import { describe, expect, it } from 'vitest'
import { metadataOf, requestUrl } from '../../../../http/sso/saml/messages.ts'
import { readAuthnRequest } from '../../../support/sso/saml/saml-idp.ts'
import { ACS, AT, configFor, openAt, PUBLIC_URL } from '../../../support/sso/saml/saml-service.ts'
import { rsaKey } from '../../../support/sso/certificate.ts'

const SERVICE = { entityId: 'https://results.example.com/?a=1&b="<2>"', acsUrl: ACS }
const rootOf = (xml: string): Element => new DOMParser().parseFromString(xml, 'text/xml').documentElement
const attributesOf = (element: Element | undefined): Record<string, string> =>
  Object.fromEntries(Array.from(element?.attributes ?? []).map(({ name, value }) => [name, value]))

describe('the metadata of the service', () => {
  const root = rootOf(metadataOf(SERVICE))
  const only = (name: string): Element | undefined => root.getElementsByTagNameNS('*', name)[0]

  it('names the service', () => expect(root.getAttribute('entityID')).toBe(SERVICE.entityId))
  it('has one URL for responses, which are posted', () =>
    expect(attributesOf(only('AssertionConsumerService'))).toEqual({
      Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
      Location: ACS,
      index: '0',
      isDefault: 'true',
    }))
  it('wants signed assertions, and signs no requests', () =>
    expect(attributesOf(only('SPSSODescriptor'))).toEqual({
      AuthnRequestsSigned: 'false',
      WantAssertionsSigned: 'true',
      protocolSupportEnumeration: 'urn:oasis:names:tc:SAML:2.0:protocol',
    }))
  it('asks for e-mail addresses as names', () =>
    expect(only('NameIDFormat')?.textContent).toBe('urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'))
  it('has no service for sign-outs', () => expect(metadataOf(SERVICE)).not.toContain('SingleLogout'))
})

describe('a request', () => {
  const request = { id: '_1', relayState: 'a b&c=d', issuedAt: AT }

  it('is deflated in the URL, with the state', async () => {
    const read = readAuthnRequest(await requestUrl(SERVICE, { ssoUrl: 'https://idp.example.com/sso' }, request))
    expect(read.relayState).toBe(request.relayState)
    expect(attributesOf(rootOf(read.xml))).toEqual({
      'xmlns:samlp': 'urn:oasis:names:tc:SAML:2.0:protocol',
      'xmlns:saml': 'urn:oasis:names:tc:SAML:2.0:assertion',
      ID: '_1',
      Version: '2.0',
      IssueInstant: '2026-11-23T12:00:00.000Z',
      Destination: 'https://idp.example.com/sso',
      ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
      AssertionConsumerServiceURL: ACS,
    })
    expect(rootOf(read.xml).getElementsByTagNameNS('*', 'Issuer')[0]?.textContent).toBe(SERVICE.entityId)
    expect(attributesOf(rootOf(read.xml).getElementsByTagNameNS('*', 'NameIDPolicy')[0])).toEqual({
      AllowCreate: 'true',
    })
  })

  it.each([
    ['https://idp.example.com/sso', 'https://idp.example.com/sso?SAMLRequest='],
    ['https://idp.example.com/sso?a=%7e+b&c', 'https://idp.example.com/sso?a=%7e+b&c&SAMLRequest='],
  ])('keeps the query of %s', async (ssoUrl, start) =>
    expect((await requestUrl(SERVICE, { ssoUrl }, request)).startsWith(start)).toBe(true),
  )

  it('has an id of its own, which is returned', async () => {
    const provider = await openAt(configFor(rsaKey()))
    const [first, second] = [await provider.start({ relayState: 'x' }), await provider.start({ relayState: 'x' })]
    expect(first.requestId).toMatch(/^_[\da-f]{40}$/)
    expect(second.requestId).not.toBe(first.requestId)
    const { id, issuer, acsUrl } = readAuthnRequest(first.url)
    expect({ id, issuer, acsUrl }).toEqual({
      id: first.requestId,
      issuer: `${PUBLIC_URL}/api/v1/auth/saml/corp/metadata`,
      acsUrl: ACS,
    })
    expect(provider.metadata()).toBe(metadataOf({ entityId: issuer, acsUrl }))
  })
})
