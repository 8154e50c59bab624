import type { IdpMetadata } from '../../../../http/sso/config.ts'
import { CERTIFICATES, pemOf } from './idp-certificates.ts'

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings'

/** Parts of a small document of metadata. Each can be replaced, or left out by an empty text. */
const PARTS = {
  head: '',
  entityId: 'https://idp.example/saml',
  protocols: PROTOCOL,
  keys: `<KeyDescriptor use="signing">${keyInfo(CERTIFICATES.RSA)}</KeyDescriptor>`,
  service: `<SingleSignOnService Binding="${BINDINGS}:HTTP-Redirect" Location="https://idp.example/sso"/>`,
}

/** A KeyInfo with one certificate in base64. */
export function keyInfo(certificate: string): string {
  return `<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo>`
}

/** An entity with one identity provider. */
export const metadataWith = (parts: Partial<typeof PARTS> = {}): string => {
  const { head, entityId, protocols, keys, service } = { ...PARTS, ...parts }
  return `${head}<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="${protocols}">${keys}${service}</IDPSSODescriptor></EntityDescriptor>`
}

/** A group of entities. */
export const groupOf = (...entities: readonly string[]): string =>
  `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${entities.join('\n')}</EntitiesDescriptor>`

/** An entity that is a service, not an identity provider. */
export const SERVICE_ENTITY = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://app.example"><SPSSODescriptor protocolSupportEnumeration="${PROTOCOL}"><AssertionConsumerService Binding="${BINDINGS}:HTTP-POST" Location="https://app.example/acs" index="0"/></SPSSODescriptor></EntityDescriptor>`

const wrapped = (certificate: string, width: number): string =>
  certificate.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n')

/** Metadata in the structure of well-known identity providers, and what is to be read. */
export const KNOWN_SHAPES: ReadonlyArray<readonly [like: string, xml: string, read: IdpMetadata]> = [
  [
    'Keycloak',
    `<md:EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://keycloak.example/realms/corp">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${PROTOCOL}">
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>n0tAReALKeyName</ds:KeyName><ds:X509Data><ds:X509Certificate>${CERTIFICATES.RSA}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:ArtifactResolutionService Binding="${BINDINGS}:SOAP" Location="https://keycloak.example/realms/corp/protocol/saml/resolve" index="0"/>
    <md:SingleLogoutService Binding="${BINDINGS}:HTTP-POST" Location="https://keycloak.example/realms/corp/protocol/saml"/>
    <md:SingleLogoutService Binding="${BINDINGS}:HTTP-Redirect" Location="https://keycloak.example/realms/corp/logout"/>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:SingleSignOnService Binding="${BINDINGS}:HTTP-POST" Location="https://keycloak.example/realms/corp/post"/>
    <md:SingleSignOnService Binding="${BINDINGS}:HTTP-Redirect" Location="https://keycloak.example/realms/corp/protocol/saml"/>
    <md:SingleSignOnService Binding="${BINDINGS}:SOAP" Location="https://keycloak.example/realms/corp/soap"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>
`,
    {
      entityId: 'https://keycloak.example/realms/corp',
      ssoUrl: 'https://keycloak.example/realms/corp/protocol/saml',
      certificates: [pemOf('RSA')],
    },
  ],
  [
    // A mark of the byte order, a signature of the metadata, other roles with keys of their own, and the same key often.
    'Entra',
    `\uFEFF<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_5d3f" entityID="https://sts.example/7a1c/" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></SignedInfo><SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data><X509Certificate>${CERTIFICATES.P384}</X509Certificate></X509Data></KeyInfo></Signature><RoleDescriptor xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706"><KeyDescriptor use="signing">${keyInfo(CERTIFICATES.P256)}</KeyDescriptor><fed:ClaimTypesOffered><auth:ClaimType Uri="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name" xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706"><auth:DisplayName>Name</auth:DisplayName></auth:ClaimType></fed:ClaimTypesOffered></RoleDescriptor><IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}"><KeyDescriptor use="signing">${keyInfo(CERTIFICATES.RSA)}</KeyDescriptor><KeyDescriptor use="signing">${keyInfo(CERTIFICATES.RSA_NEXT)}</KeyDescriptor><KeyDescriptor use="signing">${keyInfo(CERTIFICATES.RSA)}</KeyDescriptor><SingleLogoutService Binding="${BINDINGS}:HTTP-Redirect" Location="https://login.example/7a1c/saml2"/><SingleSignOnService Binding="${BINDINGS}:HTTP-Redirect" Location="https://login.example/7a1c/saml2"/><SingleSignOnService Binding="${BINDINGS}:HTTP-POST" Location="https://login.example/7a1c/saml2"/></IDPSSODescriptor></EntityDescriptor>`,
    {
      entityId: 'https://sts.example/7a1c/',
      ssoUrl: 'https://login.example/7a1c/saml2',
      certificates: [pemOf('RSA'), pemOf('RSA_NEXT')],
    },
  ],
  [
    'Okta',
    `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="http://www.okta.example/exk1" xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${PROTOCOL}"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${wrapped(CERTIFICATES.RSA, 64)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat><md:SingleSignOnService Binding="${BINDINGS}:HTTP-POST" Location="https://corp.okta.example/app/exk1/sso/saml/post"/><md:SingleSignOnService Binding="${BINDINGS}:HTTP-Redirect" Location="https://corp.okta.example/app/exk1/sso/saml"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    {
      entityId: 'http://www.okta.example/exk1',
      ssoUrl: 'https://corp.okta.example/app/exk1/sso/saml',
      certificates: [pemOf('RSA')],
    },
  ],
  [
    'Google',
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://accounts.google.example/o/saml2?idpid=C01" validUntil="2031-01-01T10:00:00.000Z">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${PROTOCOL}">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
        <ds:X509Data>
          <ds:X509Certificate>
            ${wrapped(CERTIFICATES.RSA, 76)}
          </ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:SingleSignOnService Binding="${BINDINGS}:HTTP-Redirect" Location="https://accounts.google.example/o/saml2/idp?idpid=C01&amp;x=1"/>
    <md:SingleSignOnService Binding="${BINDINGS}:HTTP-POST" Location="https://accounts.google.example/o/saml2/idp?idpid=C01"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`,
    {
      entityId: 'https://accounts.google.example/o/saml2?idpid=C01',
      ssoUrl: 'https://accounts.google.example/o/saml2/idp?idpid=C01&x=1',
      certificates: [pemOf('RSA')],
    },
  ],
]
