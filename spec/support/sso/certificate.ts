import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

/** A private key and a certificate of its own in PEM. */
export type SigningKey = { readonly privateKey: KeyObject; readonly certificate: string }

/** One value of ASN.1 in DER. */
const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]))
const time = (text: string): Buffer => der(0x17, Buffer.from(text))

/** The algorithm identifiers of sha256WithRSAEncryption and ecdsa-with-SHA256. */
const ALGORITHMS = { rsa: '300d06092a864886f70d01010b0500', ec: '300a06082a8648ce3d040302' }
/** The object identifier of a common name. */
const COMMON_NAME = Buffer.from('0603550403', 'hex')

/** Returns a certificate that a key signs for itself, in PEM. It is valid from 2020 to 2049. */
const selfSigned = ({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): string => {
  const algorithm = Buffer.from(publicKey.asymmetricKeyType === 'rsa' ? ALGORITHMS.rsa : ALGORITHMS.ec, 'hex')
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('Stand-in')))))
  const tbs = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', tbs, privateKey))
  const lines =
    sequence(tbs, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

export const rsaKey = (): SigningKey => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { privateKey: pair.privateKey, certificate: selfSigned(pair) }
}

export const ecKey = (namedCurve: 'P-256' | 'P-384' | 'P-521'): SigningKey => {
  const pair = generateKeyPairSync('ec', { namedCurve })
  return { privateKey: pair.privateKey, certificate: selfSigned(pair) }
}
