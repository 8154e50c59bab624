import { constants, createHmac, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto'

export type KeyPair = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject }
export type JwtHeader = { readonly alg?: unknown; readonly [name: string]: unknown }

export const rsaKey = (kid: string, modulusLength = 2048): KeyPair => ({
  kid,
  ...generateKeyPairSync('rsa', { modulusLength }),
})
export const ecKey = (kid: string): KeyPair => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })
export const edKey = (kid: string): KeyPair => ({ kid, ...generateKeyPairSync('ed25519') })

/** The public key for a key set. */
export const publicJwk = ({ kid, publicKey }: KeyPair): JsonWebKey => ({ ...publicKey.export({ format: 'jwk' }), kid })

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const signatureOf = (data: string, alg: unknown, key: KeyObject): Buffer => {
  const bytes = Buffer.from(data)
  if (alg === 'none') return Buffer.alloc(0)
  if (alg === 'EdDSA') return sign(null, bytes, key)
  if (alg === 'ES256') return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
  if (alg === 'PS256')
    return sign('sha256', bytes, {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    })
  return sign('sha256', bytes, key)
}

/** A JWT in compact form. The header may name any algorithm; what is unknown is signed like RS256. */
export const jwt = (header: JwtHeader, claims: unknown, { privateKey }: KeyPair): string => {
  const data = `${encoded(header)}.${encoded(claims)}`
  return `${data}.${signatureOf(data, header.alg, privateKey).toString('base64url')}`
}

/** A JWT signed with a shared secret, which may be the text of a public key. */
export const hmacJwt = (header: JwtHeader, claims: unknown, secret: string): string => {
  const data = `${encoded(header)}.${encoded(claims)}`
  return `${data}.${createHmac('sha256', secret).update(data).digest('base64url')}`
}
