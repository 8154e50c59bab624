import { describe, expect, it } from 'vitest'
import { fromHex } from '../../../domain/proof/bytes.ts'
import { toBase64 } from '../../../domain/proof/base64.ts'
import { isKeyName, parseVkey, vkeyOf } from '../../../domain/proof/keys.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'

/** The example of C2SP signed-note. */
const EXAMPLE = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'

const isRefused = (text: string): Promise<boolean> =>
  parseVkey(text, nodeCrypto).then(
    () => false,
    (error: unknown) => {
      expect(error).toMatchObject({ name: 'ProofFailed', code: 20 })
      return true
    },
  )

describe('a verifier key', () => {
  it.each([
    [EXAMPLE, 'example.com/foo', '530d903a', 1],
    ['PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'PeterNeumann', 'c74f20a3', 1],
    [
      'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx',
      'example.com/log/testdata',
      '33d7b496',
      1,
    ],
    ['witness.example/w1+c03ad8d4+BOHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx', 'witness.example/w1', 'c03ad8d4', 4],
  ])('is parsed: %s', async (text, name, id, type) => {
    const vkey = await parseVkey(text, nodeCrypto)
    expect(vkey).toMatchObject({ name, id, type, text })
    expect(await vkeyOf(name, vkey.type, vkey.key, nodeCrypto)).toEqual(vkey)
  })

  it('is refused if any part of it is missing', async () => {
    for (let from = 0; from < EXAMPLE.length; from++)
      for (let to = from; to <= EXAMPLE.length; to++)
        if (to - from < EXAMPLE.length) expect(await isRefused(EXAMPLE.slice(from, to))).toBe(true)
  })

  it('is refused if any character of it is the next one', async () => {
    for (let at = 0; at < EXAMPLE.length; at++) {
      const next = String.fromCharCode(EXAMPLE.charCodeAt(at) + 1)
      expect([at, await isRefused(EXAMPLE.slice(0, at) + next + EXAMPLE.slice(at + 1))]).toEqual([at, true])
    }
  })

  it.each([
    ['an id in capitals', EXAMPLE.replace('530d903a', '530D903A')],
    ['a line end', `${EXAMPLE}\n`],
    ['a name with a space', EXAMPLE.replace('/foo', ' foo')],
  ])('is refused with %s', async (_, text) => expect(await isRefused(text)).toBe(true))

  it('is never quoted, as it may be a private key', async () => {
    const key = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'
    await expect(parseVkey(key, nodeCrypto)).rejects.toThrow(/^this is a private key; the public vkey is needed$/)
    await expect(parseVkey(key.slice(1), nodeCrypto)).rejects.toThrow(/^a verifier key has the form/)
  })

  it('of another type, or with a key of another length, is refused', async () => {
    const other = `x+00000000+${toBase64(Uint8Array.of(2, ...new Uint8Array(32)))}`
    await expect(parseVkey(other, nodeCrypto)).rejects.toThrow('signature type 2')
    const short = `x+00000000+${toBase64(Uint8Array.of(6, ...new Uint8Array(32)))}`
    await expect(parseVkey(short, nodeCrypto)).rejects.toThrow('has 32 bytes; type 6 has 1312')
    await expect(vkeyOf('x', 1, new Uint8Array(31), nodeCrypto)).rejects.toThrow('32 bytes, not 31')
    await expect(vkeyOf('a b', 1, new Uint8Array(32), nodeCrypto)).rejects.toThrow('name of a key')
  })

  it.each([
    ['log.example/ü+', false],
    ['', false],
    ['a b', false],
    ['a\u00a0b', false],
    ['a\u3000b', false],
    ['a\u0085b', false],
    ['a\u2028b', false],
    ['a\u0001b', false],
    ['a\ud800', false],
    ['log.example/prüfung/日志', true],
    ['a\ufeffb', true],
  ])('may be named %j: %s', (name, allowed) => expect(isKeyName(name)).toBe(allowed))
})

it.each(['0', 'AB', 'zz', '0x', ' 00'])('hexadecimal digits are not %j', (text) => expect(fromHex(text)).toBeNull())
