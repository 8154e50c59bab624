import { createHash, createHmac, sign } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import type { SigningKey } from '../certificate.ts'

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

const DIGESTS: Readonly<Record<string, string>> = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: `${MORE}sha384`,
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
}

export type Hash = 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** How an element is signed. All but the key have the values of an ordinary provider. */
export type SigningOptions = {
  readonly key: SigningKey
  readonly hash?: Hash
  readonly digest?: Hash
  /** Signs with HMAC and this secret in place of the key. */
  readonly hmacSecret?: string
  readonly transforms?: readonly string[]
  readonly canonicalization?: string
  /** Prefixes whose namespaces both canonicalizations include though they are not used (InclusiveNamespaces). */
  readonly prefixList?: readonly string[]
  /** Refers to the whole document, with an empty URI. */
  readonly emptyUri?: boolean
  /** The certificate in KeyInfo; by default that of the key. */
  readonly keyInfo?: string
  /** Where the signature is placed, as XPath; by default after the Issuer of the signed element. */
  readonly after?: string
}

const signatureUri = ({ key, hash = 'sha256', hmacSecret }: SigningOptions): string => {
  if (hmacSecret !== undefined)
    return hash === 'sha1' ? 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' : `${MORE}hmac-${hash}`
  if (key.privateKey.asymmetricKeyType === 'ec') return hash === 'sha1' ? `${MORE}ecdsa-sha1` : `${MORE}ecdsa-${hash}`
  return hash === 'sha1' ? 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' : `${MORE}rsa-${hash}`
}

/**
 * Signs the element at an XPath with an enveloped signature, and returns the whole document. It uses the library of XML
 * signatures with algorithms of its own, so it can also sign with those that the service refuses.
 */
export const signXml = (xml: string, xpath: string, options: SigningOptions): string => {
  const { key, hash = 'sha256', digest = hash, hmacSecret, emptyUri = false } = options
  const uri = signatureUri(options)
  const signed = new SignedXml({
    privateKey: key.privateKey,
    publicCert: options.keyInfo ?? key.certificate,
    signatureAlgorithm: uri,
    canonicalizationAlgorithm: options.canonicalization ?? EXCLUSIVE,
    inclusiveNamespacesPrefixList: [...(options.prefixList ?? [])],
  })
  Object.assign(signed, {
    findSignatureAlgorithm: () => ({
      getAlgorithmName: () => uri,
      getSignature: (text: string): string =>
        (hmacSecret === undefined
          ? sign(hash, Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
          : createHmac(hash, hmacSecret).update(text).digest()
        ).toString('base64'),
    }),
    findHashAlgorithm: () => ({
      getAlgorithmName: () => DIGESTS[digest],
      getHash: (text: string): string => createHash(digest).update(text).digest('base64'),
    }),
  })
  signed.addReference({
    xpath,
    transforms: [...(options.transforms ?? [ENVELOPED, EXCLUSIVE])],
    digestAlgorithm: DIGESTS[digest] ?? '',
    isEmptyUri: emptyUri,
    inclusiveNamespacesPrefixList: [...(options.prefixList ?? [])],
  })
  const reference = options.after ?? `${xpath}/*[local-name(.)='Issuer']`
  signed.computeSignature(xml, { prefix: 'ds', location: { reference, action: 'after' } })
  return signed.getSignedXml()
}
