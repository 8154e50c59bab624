import { X509Certificate } from 'node:crypto'

/** A certificate that cannot verify signatures. The message gives the reason and never quotes the text. */
export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate'
}

/** Minimum length of an RSA key in bits. Shorter keys have been factored, or soon will be. */
const MIN_RSA_BITS = 2048

/** The curves of ECDSA that are in use, by their names in OpenSSL: P-256, P-384 and P-521. */
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

/**
 * Reads an X.509 certificate in DER that is encoded in base64 (RFC 4648, section 4); white space is ignored. Returns it
 * in PEM. Throws `UnusableCertificate` unless it has an RSA key of at least 2048 bits or a key for ECDSA.
 */
export const readCertificate = (base64: string): string => {
  const text = base64.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new UnusableCertificate('is not a certificate')
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(Buffer.from(text, 'base64'))
  } catch (error) {
    throw new UnusableCertificate('is not an X.509 certificate', { cause: error })
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {} } =
    certificate.publicKey
  if (type !== 'rsa' && type !== 'ec') throw new UnusableCertificate('has a key that is neither RSA nor EC')
  if (type === 'rsa' && modulusLength < MIN_RSA_BITS)
    throw new UnusableCertificate(`has an RSA key of ${modulusLength} bits; at least ${MIN_RSA_BITS} are required`)
  if (type === 'ec' && !CURVES.includes(namedCurve))
    throw new UnusableCertificate('has an EC key of another curve than P-256, P-384 and P-521')
  return certificate.toString()
}

const BLOCK = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g

/**
 * Reads the certificates of a text: one or several in PEM (RFC 7468), or one in base64 without the lines around it.
 * Returns them in PEM, each once. Throws `UnusableCertificate` as `readCertificate` does, and for anything else in between.
 */
export const readCertificates = (text: string): readonly string[] => {
  // Base64 has no backslash, so such a text is a PEM whose line ends were escaped.
  if (text.includes(String.raw`\n`))
    throw new UnusableCertificate(
      String.raw`contains \n as two characters: use real line breaks, or the base64 alone on one line`,
    )
  const blocks = [...text.matchAll(BLOCK)].map(([, base64 = '']) => base64)
  if (blocks.length === 0) return [readCertificate(text)]
  if (text.replaceAll(BLOCK, '').trim() !== '')
    throw new UnusableCertificate('is surrounded by something that is not a certificate')
  return [...new Set(blocks.map(readCertificate))]
}

/** The end of the certificate's validity in epoch milliseconds. */
export const validUntil = (pem: string): number => new X509Certificate(pem).validToDate.getTime()
