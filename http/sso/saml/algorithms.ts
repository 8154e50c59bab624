import { createHash, createPublicKey, verify, type KeyLike } from 'node:crypto'
import { SignedXml } from 'xml-crypto'

type Signing = { readonly hash: string; readonly keyType: 'rsa' | 'ec' }

/** The signature algorithms that are accepted (RFC 9231, 2.3.2 to 2.3.6): RSA (PKCS #1 v1.5) and ECDSA with SHA-2. */
const SIGNATURES: ReadonlyMap<string, Signing> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', { hash: 'sha256', keyType: 'rsa' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', { hash: 'sha384', keyType: 'rsa' }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', { hash: 'sha512', keyType: 'rsa' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256', { hash: 'sha256', keyType: 'ec' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384', { hash: 'sha384', keyType: 'ec' }],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512', { hash: 'sha512', keyType: 'ec' }],
])

/** The digest algorithms that are accepted (XML Encryption 5.8; RFC 9231, 2.1.3). */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
])

/**
 * Whether a signature in base64 of a text verifies with the key of a certificate in PEM. False if the algorithm is not
 * accepted, or is not for this kind of key: otherwise the key would choose the algorithm.
 */
export const isSignature = (algorithm: string, text: string, certificate: KeyLike, signature: string): boolean => {
  const signing = SIGNATURES.get(algorithm)
  const key = createPublicKey(certificate)
  if (!signing || key.asymmetricKeyType !== signing.keyType) return false
  // ECDSA signatures in XML are r and s, one after the other, not DER (RFC 9231, 2.3.6).
  const verifying = { key, dsaEncoding: 'ieee-p1363' as const }
  return verify(signing.hash, Buffer.from(text), verifying, Buffer.from(signature, 'base64'))
}

/** The digest of a text in base64; null if the algorithm is not accepted. */
export const samlDigest = (algorithm: string, text: string): string | null => {
  const hash = DIGESTS.get(algorithm)
  return hash === undefined ? null : createHash(hash).update(text).digest('base64')
}

/**
 * Makes the library of XML signatures accept our algorithms, and no others. The library has SHA-1 and lacks ECDSA and
 * SHA-384. Its own tables belong to each object, and the SAML library makes those objects itself; so the functions that
 * read the tables are replaced, for the whole process. Canonicalizations and transforms are checked in `structure.ts`.
 */
export const acceptOnlySha2 = (): void => {
  Object.assign(SignedXml.prototype, {
    findSignatureAlgorithm: (name: string) => ({
      getAlgorithmName: () => name,
      verifySignature: (text: string, key: KeyLike, signature: string) => isSignature(name, text, key, signature),
    }),
    findHashAlgorithm: (name: string) => ({
      getAlgorithmName: () => name,
      getHash: (xml: string): string => {
        const digest = samlDigest(name, xml)
        if (digest === null) throw new Error('the digest algorithm is not accepted')
        return digest
      },
    }),
  })
}
