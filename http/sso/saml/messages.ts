import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { ASSERTION, PROTOCOL } from './namespaces.ts'

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/** The parts of this service, for one identity provider. */
export type ServiceProvider = { readonly entityId: string; readonly acsUrl: string }

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Returns the metadata of this service in XML (SAML 2.0 Metadata, 2.4.4): requests are not signed, assertions are to be
 * signed, and responses are posted.
 */
export const metadataOf = ({ entityId, acsUrl }: ServiceProvider): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escaped(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">
    <md:NameIDFormat>${EMAIL_FORMAT}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escaped(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`

/**
 * Returns the URL that carries a request to the identity provider (SAML 2.0 Bindings, 3.4.4: the redirect binding,
 * deflated). A query that the URL of the provider has is kept. `issuedAt` is in epoch milliseconds. The request asks for
 * no format of names: the provider is configured for one, and a persistent name is as good as an e-mail address.
 */
export const requestUrl = async (
  { entityId, acsUrl }: ServiceProvider,
  { ssoUrl }: { readonly ssoUrl: string },
  { id, relayState, issuedAt }: { readonly id: string; readonly relayState: string; readonly issuedAt: number },
): Promise<string> => {
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0"` +
    ` IssueInstant="${new Date(issuedAt).toISOString()}" Destination="${escaped(ssoUrl)}"` +
    ` ProtocolBinding="${POST_BINDING}" AssertionConsumerServiceURL="${escaped(acsUrl)}">` +
    `<saml:Issuer>${escaped(entityId)}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`
  const deflated = await promisify(deflateRaw)(xml)
  const query = new URLSearchParams({ SAMLRequest: deflated.toString('base64'), RelayState: relayState })
  // The provider's own query stays as it is written: it may be signed, or read by a parser with rules of its own.
  return `${ssoUrl}${ssoUrl.includes('?') ? '&' : '?'}${query}`
}
