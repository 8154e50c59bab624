import { createHash, createPrivateKey, sign, webcrypto } from 'node:crypto'
import { Point, etc } from '@noble/ed25519'
import { describe, expect, it } from 'vitest'
import type { ProofCrypto } from '../../../domain/proof/crypto.ts'
import { isSignedBy } from '../../../domain/proof/ed25519.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { browserCrypto } from '../../../webapp/check-receipt/browser-crypto.ts'

/** The three platforms that check signatures. */
const PLATFORMS: readonly [string, ProofCrypto][] = [
  ['Node', nodeCrypto],
  ['a browser', await browserCrypto(webcrypto.subtle as SubtleCrypto)],
  ['script', await browserCrypto(undefined)],
]

const hex = (text: string) => Buffer.from(text, 'hex')

/** What every platform says: one value if they agree. */
const verdictOf = async (key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean | string> => {
  const verdicts = await Promise.all(
    PLATFORMS.map(async ([name, crypto]) => [name, await isSignedBy(key, message, signature, crypto)] as const),
  )
  const [[, first] = ['', false]] = verdicts
  return verdicts.every(([, verdict]) => verdict === first) ? first : JSON.stringify(verdicts)
}

/** RFC 8032 7.1: public key, message, signature. */
const RFC_8032: readonly [string, string, string][] = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
  [
    'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  ],
]

const ORDER = Point.CURVE().n
const little = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

describe('an Ed25519 signature', () => {
  it.each(RFC_8032)('of RFC 8032 is valid: %s', async (key, message, signature) => {
    expect(await verdictOf(hex(key), hex(message), hex(signature))).toBe(true)
    expect(await verdictOf(hex(key), Buffer.concat([hex(message), Buffer.of(0)]), hex(signature))).toBe(false)
    for (const at of [0, 31, 32, 63]) {
      const changed = hex(signature)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await verdictOf(hex(key), hex(message), changed)).toBe(false)
    }
  })

  it('is not valid with a length that is not its own', async () => {
    const [[key = '', message = '', signature = ''] = []] = RFC_8032
    expect(await verdictOf(hex(key), hex(message), hex(signature).subarray(0, 63))).toBe(false)
    expect(await verdictOf(hex(key), hex(message), Buffer.concat([hex(signature), Buffer.of(0)]))).toBe(false)
    expect(await verdictOf(hex(key).subarray(1), hex(message), hex(signature))).toBe(false)
    expect(await verdictOf(Buffer.of(), hex(message), Buffer.of())).toBe(false)
  })

  it('is not valid with a scalar of the order or more', async () => {
    for (const [key, message, signature] of RFC_8032) {
      const s = number(hex(signature).subarray(32))
      const larger = Buffer.concat([hex(signature).subarray(0, 32), little(s + ORDER)])
      expect(await verdictOf(hex(key), hex(message), larger)).toBe(false)
    }
  })
})

/** The order of the subgroups beside the large one: points that are multiples of this one have order 1, 2, 4 or 8. */
const TORSION = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')
const small = (times: number): Point =>
  Array.from({ length: times }).reduce<Point>((sum) => sum.add(TORSION), Point.ZERO)

const challenge = (r: Uint8Array, key: Uint8Array, message: Uint8Array): bigint =>
  number(createHash('sha512').update(r).update(key).update(message).digest()) % ORDER

/** Encodings of y = p and y = p + 1, which are 0 and 1. */
const BEYOND_FIELD = [
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

describe('points that no honest signer makes', () => {
  it('are refused as keys and as R, if their order is small', async () => {
    for (const times of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const key = small(times).toBytes()
      // With S = 0 and R = −[k]A the equation holds; a message is searched for which R is of small order.
      for (let n = 0; n < 16; n++)
        for (const rTimes of [0, 1, 2, 3, 4, 5, 6, 7]) {
          const r = small(rTimes).toBytes()
          const message = Buffer.from(String(n))
          const k = challenge(r, key, message)
          const holds = Point.ZERO.equals(small(rTimes).add(small(Number((k * BigInt(times)) % 8n))))
          if (holds) expect(await verdictOf(key, message, Buffer.concat([r, Buffer.alloc(32)]))).toBe(false)
        }
    }
  })

  it('are refused also where the equation holds without them', async () => {
    // [k]A is nothing if the order of A divides k, so that S = 11 fits R = [11]B under a key that nobody made.
    const r = Point.BASE.multiply(11n).toBytes()
    const keys = [...[0, 1, 2, 4].map((times) => Buffer.from(small(times).toBytes())), ...BEYOND_FIELD.map(hex)]
    for (const key of keys)
      for (let n = 0; n < 64; n++) {
        const message = Buffer.from(String(n))
        if (challenge(r, key, message) % 8n === 0n)
          expect(await verdictOf(key, message, Buffer.concat([r, little(11n)]))).toBe(false)
      }
    // R is nothing: S = 7k fits A = [7]B.
    const key = Point.BASE.multiply(7n).toBytes()
    const nothing = small(0).toBytes()
    const message = Buffer.from('message')
    const s = (7n * challenge(nothing, key, message)) % ORDER
    expect(await verdictOf(key, message, Buffer.concat([nothing, little(s)]))).toBe(false)
  })

  it('are refused in encodings beyond the field, whatever a platform says', async () => {
    const credulous = { verifyEd25519: () => true }
    const point = Point.BASE.toBytes()
    const signature = Buffer.concat([point, Buffer.alloc(32)])
    expect(await isSignedBy(point, Buffer.of(), signature, credulous)).toBe(true)
    for (const encoding of BEYOND_FIELD.map(hex)) {
      expect(await isSignedBy(encoding, Buffer.of(), signature, credulous)).toBe(false)
      const other = Buffer.concat([encoding, Buffer.alloc(32)])
      expect(await isSignedBy(point, Buffer.of(), other, credulous)).toBe(false)
    }
  })

  it('are refused in encodings beyond the field, or of −0', async () => {
    // A sign bit of x = 0 has no meaning.
    const encodings = [
      ...BEYOND_FIELD,
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      '0100000000000000000000000000000000000000000000000000000000000080',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    ]
    const [[key = '', message = '', signature = ''] = []] = RFC_8032
    for (const encoding of encodings) {
      expect(await verdictOf(hex(encoding), hex(message), hex(signature))).toBe(false)
      expect(await verdictOf(hex(encoding), hex(message), Buffer.alloc(64))).toBe(false)
      const r = Buffer.concat([hex(encoding), hex(signature).subarray(32)])
      expect(await verdictOf(hex(key), hex(message), r)).toBe(false)
      expect(await verdictOf(hex(encoding), hex(message), Buffer.concat([hex(encoding), Buffer.alloc(32)]))).toBe(false)
    }
  })

  it('give one verdict where a small part is added to a key or to R', async () => {
    const secret = 7n
    const message = Buffer.from('message')
    const verdicts = new Set<string>()
    for (const keyTimes of [0, 1, 4])
      for (const rTimes of [0, 1, 2, 4, 7]) {
        const key = Point.BASE.multiply(secret).add(small(keyTimes)).toBytes()
        const r = Point.BASE.multiply(11n).add(small(rTimes)).toBytes()
        const s = (11n + challenge(r, key, message) * secret) % ORDER
        const verdict = await verdictOf(key, message, Buffer.concat([r, little(s)]))
        expect(typeof verdict).toBe('boolean')
        verdicts.add(`${keyTimes === 0 && rTimes === 0} ${verdict}`)
      }
    // Without the cofactor, the equation holds only where the small parts cancel out.
    expect(verdicts).toContain('true true')
    expect(verdicts).toContain('false false')
  })

  it('give one verdict for points that are not on the curve', async () => {
    const [[, message = '', signature = ''] = []] = RFC_8032
    for (let y = 2; y < 40; y++) {
      const key = little(BigInt(y))
      expect(await verdictOf(key, hex(message), hex(signature))).toBe(false)
    }
  })
})

it('the platforms hash alike, and agree on signatures of Node', async () => {
  for (let n = 0; n < 20; n++) {
    const key = createPrivateKey({
      key: Buffer.concat([hex('302e020100300506032b657004220420'), Buffer.alloc(32, n)]),
      format: 'der',
      type: 'pkcs8',
    })
    const message = Buffer.alloc(n * 37, n)
    const publicKey = Point.BASE.multiply(
      (() => {
        const digest = createHash('sha512').update(Buffer.alloc(32, n)).digest().subarray(0, 32)
        digest[0] = (digest[0] ?? 0) & 248
        digest[31] = ((digest[31] ?? 0) & 63) | 64
        return number(digest) % ORDER
      })(),
    ).toBytes()
    expect(await verdictOf(publicKey, message, sign(null, message, key))).toBe(true)
    const digests = await Promise.all(
      PLATFORMS.map(async ([, { sha256 }]) => etc.bytesToHex(Uint8Array.from(await sha256(message)))),
    )
    expect(new Set(digests).size).toBe(1)
  }
})
