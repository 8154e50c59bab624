import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decodeResponse } from '../../../../http/sso/saml/document.ts'
import { verifiedAssertion } from '../../../../http/sso/saml/signatures.ts'
import { signersOf } from '../../../../http/sso/saml/signers.ts'
import { checkStructure } from '../../../../http/sso/saml/structure.ts'
import { parseXml } from '../../../../http/sso/saml/xml.ts'
import { ecKey, rsaKey } from '../../../support/sso/certificate.ts'
import { encodeResponse, signResponse, unsignedResponse, type Signed } from '../../../support/sso/saml/saml-idp.ts'
import { FIELDS } from '../../../support/sso/saml/saml-service.ts'

const KEY = rsaKey()
const EC_KEY = ecKey('P-256')
const OTHER_KEY = rsaKey()
const CERTIFICATES = [KEY.certificate, EC_KEY.certificate]
const SIGNS = ['response', 'assertion', 'both'] as const

const signed = (options: Partial<Signed>): string =>
  signResponse(unsignedResponse(FIELDS), { key: KEY, sign: 'both', ...options })

/** What the two verifications say about a document: our own, and that of the SAML library. */
const bothOn = async (xml: string): Promise<{ readonly own: boolean; readonly library: boolean }> => {
  const text = decodeResponse(encodeResponse(xml))
  const structure = checkStructure(parseXml(text))
  const library = await verifiedAssertion(text, structure, CERTIFICATES).then(
    (assertion) => assertion.includes('ada@example.com'),
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'provider_error', message: 'the SAML library refuses the response' })
      return false
    },
  )
  return { own: signersOf(structure, CERTIFICATES) !== null, library }
}

describe.each(SIGNS)('the two verifications agree, %s signed:', (sign) => {
  it.each<readonly [string, Partial<Signed>]>([
    ['RSA and SHA-256', {}],
    ['RSA and SHA-384', { hash: 'sha384' }],
    ['ECDSA and SHA-256', { key: EC_KEY }],
    ['ECDSA and SHA-512', { key: EC_KEY, hash: 'sha512' }],
    ['SHA-384 as a digest', { digest: 'sha384' }],
  ])('%s is accepted', async (_, options) =>
    expect(await bothOn(signed({ sign, ...options }))).toEqual({ own: true, library: true }),
  )

  it.each<readonly [string, Partial<Signed>]>([
    ['SHA-1', { hash: 'sha1' }],
    ['SHA-1 in the signature', { hash: 'sha1', digest: 'sha256' }],
    ['SHA-1 in the digest', { digest: 'sha1' }],
    ['ECDSA with SHA-1', { key: EC_KEY, hash: 'sha1', digest: 'sha256' }],
    ['HMAC with a certificate', { hmacSecret: KEY.certificate }],
    ['another key', { key: OTHER_KEY }],
  ])('%s is refused', async (_, options) =>
    expect(await bothOn(signed({ sign, ...options }))).toEqual({ own: false, library: false }),
  )

  it('a changed name is refused', async () =>
    expect(await bothOn(signed({ sign }).replace('>ada@', '>eve@'))).toEqual({ own: false, library: false }))

  it('a changed SignedInfo is refused', async () => {
    const changed = signed({ sign }).replaceAll('<ds:SignedInfo>', '<ds:SignedInfo Id="x">')
    expect(await bothOn(sign === 'both' ? changed.replace('Id="x"', '') : changed)).toEqual({
      own: false,
      library: false,
    })
  })

  it('the algorithm of another kind of key is refused', async () => {
    const changed = signed({ sign }).replaceAll('xmldsig-more#rsa-sha256', 'xmldsig-more#ecdsa-sha256')
    expect(await bothOn(changed)).toEqual({ own: false, library: false })
  })
})

it('half signed responses are refused by both', async () => {
  const inner = signed({ sign: 'assertion', key: OTHER_KEY })
  expect(await bothOn(signResponse(inner, { key: KEY, sign: 'response' }))).toEqual({ own: false, library: false })
  const outer = signResponse(signed({ sign: 'assertion' }), { key: OTHER_KEY, sign: 'response' })
  expect(await bothOn(outer)).toEqual({ own: false, library: false })
})

it('the libraries for XML are not loaded before a provider is opened', () => {
  const source = readFileSync(new URL('../../../../http/sso/saml/open-provider.ts', import.meta.url), 'utf8')
  expect(source).toContain("await import('./provider.ts')")
  expect(source).not.toMatch(/^import (?!type\b)/m)
})
