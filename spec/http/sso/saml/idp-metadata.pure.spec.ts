import { describe, expect, it } from 'vitest'
import { MAX_METADATA_BYTES, readIdpMetadata, UnusableMetadata } from '../../../../http/sso/saml/idp-metadata.ts'
import { CERTIFICATES, pemOf } from '../../../support/sso/saml/idp-certificates.ts'
import { groupOf, keyInfo, KNOWN_SHAPES, metadataWith, SERVICE_ENTITY } from '../../../support/sso/saml/idp-metadata.ts'

const READ = {
  entityId: 'https://idp.example/saml',
  ssoUrl: 'https://idp.example/sso',
  certificates: [pemOf('RSA')],
}

/** Why metadata is refused; null if it is read. */
const refusalOf = (xml: string): string | null => {
  try {
    readIdpMetadata(xml)
    return null
  } catch (error) {
    if (error instanceof UnusableMetadata) return error.message
    throw error
  }
}

const signing = (certificate: string): string => `<KeyDescriptor use="signing">${keyInfo(certificate)}</KeyDescriptor>`
const service = (location: string, binding = 'HTTP-Redirect'): string =>
  `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${location}"/>`

describe('the metadata of an identity provider', () => {
  it.each(KNOWN_SHAPES)('is read in the form of %s', (_, xml, read) => expect(readIdpMetadata(xml)).toEqual(read))

  it.each([
    ['alone', metadataWith()],
    ['after a comment', metadataWith({ head: '<?xml version="1.0"?>\n<!-- exported -->\n' })],
    ['in a group of one', groupOf(metadataWith())],
    ['in a group with services', groupOf(SERVICE_ENTITY, metadataWith(), SERVICE_ENTITY)],
    ['in a group of groups', groupOf(groupOf(SERVICE_ENTITY), groupOf(groupOf(metadataWith())))],
    [
      'for several protocols',
      metadataWith({
        protocols: 'urn:oasis:names:tc:SAML:1.1:protocol\n urn:oasis:names:tc:SAML:2.0:protocol',
      }),
    ],
    ['without the use of a key', metadataWith({ keys: signing(CERTIFICATES.RSA).replace(' use="signing"', '') })],
    [
      'with a key for encryption too',
      metadataWith({
        keys: signing(CERTIFICATES.P256).replace('signing', 'encryption') + signing(CERTIFICATES.RSA),
      }),
    ],
    [
      'with a certificate too that cannot be used',
      metadataWith({ keys: signing(CERTIFICATES.RSA_SHORT) + signing('nonsense') + signing(CERTIFICATES.RSA) }),
    ],
    [
      'with another service of the same binding',
      metadataWith({ service: service('https://idp.example/sso') + service('https://idp.example/other') }),
    ],
  ])('is read %s', (_, xml) => expect(readIdpMetadata(xml)).toEqual(READ))

  it('has all its certificates in their order, each once', () => {
    const keys = [CERTIFICATES.P384, CERTIFICATES.RSA, CERTIFICATES.P384].map(signing).join('')
    expect(readIdpMetadata(metadataWith({ keys })).certificates).toEqual([pemOf('P384'), pemOf('RSA')])
  })

  const REFUSED: ReadonlyArray<readonly [what: string, xml: string, reason: string]> = [
    ['no key', metadataWith({ keys: '' }), 'has no signing certificate'],
    [
      'a key for encryption alone',
      metadataWith({ keys: signing(CERTIFICATES.RSA).replace('signing', 'encryption') }),
      'has no signing certificate',
    ],
    [
      'a key without a certificate',
      metadataWith({
        keys: '<KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><KeyName>k</KeyName></KeyInfo></KeyDescriptor>',
      }),
      'has no signing certificate',
    ],
    [
      'a certificate of another namespace',
      metadataWith({ keys: signing(CERTIFICATES.RSA).replace('xmldsig#', 'other#') }),
      'has no signing certificate',
    ],
    [
      'a short key',
      metadataWith({ keys: signing(CERTIFICATES.RSA_SHORT) }),
      'has no signing certificate that can be used: it has an RSA key of 1024 bits; at least 2048 are required',
    ],
    ['no service', metadataWith({ service: '' }), 'has no SingleSignOnService with the HTTP-Redirect binding'],
    [
      'a service for POST alone',
      metadataWith({ service: service('https://idp.example/sso', 'HTTP-POST') }),
      'has no SingleSignOnService with the HTTP-Redirect binding',
    ],
    ...['', '/sso', 'javascript:alert(1)', 'ftp://idp.example/', 'https://u:p@idp.example/'].map(
      (location) =>
        [
          `the location "${location}"`,
          metadataWith({ service: service(location) }),
          'has a SingleSignOnService whose Location is not an http or https URL',
        ] as const,
    ),
    ['no entity id', metadataWith({ entityId: '' }), 'must have an entityID of 1 to 1024 characters'],
    ['a long entity id', metadataWith({ entityId: 'x'.repeat(1025) }), 'must have an entityID of 1 to 1024 characters'],
    ['a service alone', SERVICE_ENTITY, 'has no identity provider for SAML 2.0 (IDPSSODescriptor)'],
    [
      'another protocol',
      metadataWith({ protocols: 'urn:oasis:names:tc:SAML:1.1:protocol' }),
      'has no identity provider for SAML 2.0 (IDPSSODescriptor)',
    ],
    ['an empty group', groupOf(), 'has no identity provider for SAML 2.0 (IDPSSODescriptor)'],
    [
      'two identity providers',
      groupOf(metadataWith(), groupOf(metadataWith({ entityId: 'https://other.example' }))),
      'has several identity providers; it must have exactly one',
    ],
    ['another root', '<html><body/></html>', 'must be an EntityDescriptor or EntitiesDescriptor of SAML 2.0'],
    [
      'a root of another namespace',
      metadataWith().replace('SAML:2.0:metadata', 'SAML:1.0:metadata'),
      'must be an EntityDescriptor or EntitiesDescriptor of SAML 2.0',
    ],
  ]
  it.each(REFUSED)('is refused with %s', (_, xml, reason) => expect(refusalOf(xml)).toBe(reason))

  it.each([
    ['', 'is not well-formed XML'],
    [' ', 'is not well-formed XML'],
    ['not XML', 'is not well-formed XML'],
    ['<!-- nothing -->', 'is not well-formed XML'],
    [metadataWith().slice(0, -3), 'is not well-formed XML'],
    [`${metadataWith()}text`, 'is not well-formed XML'],
    [`text${metadataWith()}`, 'is not well-formed XML'],
    [metadataWith().replace('"signing"', 'signing'), 'is not well-formed XML'],
    [metadataWith() + metadataWith(), 'is not well-formed XML'],
    [metadataWith({ entityId: '&unknown;' }), 'is not well-formed XML'],
    [metadataWith().replace('entityID=', 'entityID="a" entityID='), 'is not well-formed XML'],
    [metadataWith({ head: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' }), 'must not have a DOCTYPE'],
    [metadataWith({ head: '<!doctype html>' }), 'must not have a DOCTYPE'],
  ])('is refused if it is %j', (xml, reason) => expect(refusalOf(xml)).toBe(reason))

  it('is refused with more certificates than a provider needs', () => {
    const keys = (count: number) => `<KeyDescriptor>${keyInfo(CERTIFICATES.RSA)}</KeyDescriptor>`.repeat(count)
    expect(refusalOf(metadataWith({ keys: keys(16) }))).toBeNull()
    expect(refusalOf(metadataWith({ keys: keys(17) }))).toBe('has more than 16 certificates')
  })

  it('is bounded in its size, in bytes', () => {
    const { length } = Buffer.from(metadataWith())
    const padded = (bytes: number): string => metadataWith() + ' '.repeat(bytes - length)
    expect(refusalOf(padded(MAX_METADATA_BYTES))).toBeNull()
    expect(refusalOf(padded(MAX_METADATA_BYTES + 1))).toBe('has more than 262144 bytes')
    expect(refusalOf(`<!--${'ü'.repeat(MAX_METADATA_BYTES / 2)}-->${metadataWith()}`)).toBe(
      'has more than 262144 bytes',
    )
  })

  it.each([
    ['comments', '<!---->'.repeat(501)],
    ['sections', '<![CDATA[]]>'.repeat(501)],
    ['instructions', '<?a b?>'.repeat(501)],
    ['namespaces', `<a ${Array.from({ length: 501 }, (_, n) => `xmlns:n${n}="u"`).join(' ')}/>`],
  ])('is refused with more %s than the parser takes quickly', (_, many) =>
    expect(refusalOf(metadataWith({ keys: many }))).toBe(
      'has more than 500 comments, processing instructions, sections and namespaces',
    ),
  )
})
