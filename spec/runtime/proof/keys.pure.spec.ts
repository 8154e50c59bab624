import { describe, expect, it } from 'vitest'
import { signedNote, signatureLine } from '../../../domain/proof/note.ts'
import { InvalidKeys, isOrigin, keyOfSeed, parseKeys, privateKeyText } from '../../../runtime/proof/keys.ts'

const seed = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** The example of golang.org/x/mod/sumdb/note. */
const NEUMANN = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'

const refusal = (text: string): string => {
  try {
    parseKeys(text)
  } catch (error) {
    if (error instanceof InvalidKeys) return error.message
    throw error
  }
  return 'accepted'
}

describe('a private key', () => {
  it('of Go has the verifier key and the signature that Go gives it', () => {
    const [key] = parseKeys(`${NEUMANN}\n`)
    expect(key.vkey).toBe('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
    const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    const note = signedNote(text, [signatureLine(key.name, key.id, key.sign(text))])
    expect(note).toBe(
      `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`,
    )
  })

  it('of the example log has the published verifier key', () => {
    const bytes = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
    expect(keyOfSeed('results.example/log', bytes).vkey).toBe(
      'results.example/log+207a464c+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    )
  })

  it('is written as it is read', () => {
    const text = privateKeyText('a/log', seed(7))
    expect(parseKeys(text)[0].vkey).toBe(keyOfSeed('a/log', seed(7)).vkey)
    expect(parseKeys(NEUMANN)[0].vkey).toContain('PeterNeumann+c74f20a3+')
  })

  it('is refused with a missing or another character at any place', () => {
    for (let at = 0; at < NEUMANN.length; at++) {
      const next = String.fromCharCode(NEUMANN.charCodeAt(at) + 1)
      expect(refusal(NEUMANN.slice(0, at) + NEUMANN.slice(at + 1))).not.toBe('accepted')
      expect(refusal(NEUMANN.slice(0, at) + next + NEUMANN.slice(at + 1))).not.toBe('accepted')
      expect(refusal(NEUMANN.slice(0, at))).not.toBe('accepted')
    }
  })
})

describe('a file of keys', () => {
  const lines = (...bytes: readonly number[]): string =>
    bytes.map((byte) => `${privateKeyText('a/log', seed(byte))}\n`).join('')

  it('has one to four keys; empty lines are ignored', () => {
    expect(parseKeys(`\n${lines(1, 2)}\r\n\n${lines(3, 4)}`).map(({ id }) => id)).toEqual(
      [1, 2, 3, 4].map((byte) => keyOfSeed('a/log', seed(byte)).id),
    )
  })

  it.each([
    ['no key', '\n \n', 'contains no key'],
    ['too many', lines(1, 2, 3, 4, 5), 'line 5 is one key too many: at most 4 keys may sign'],
    ['two names', `${lines(1)}${privateKeyText('b/log', seed(2))}`, 'line 2 has another name than the key before'],
    ['one key twice', lines(1, 1), 'line 2 repeats a key'],
    ['another key id', lines(1).replace(/\+[0-9a-f]{8}\+/, '+00000000+'), 'line 1: the key id does not belong'],
    ['a verifier key', keyOfSeed('a', seed(1)).vkey, 'line 1 is not a private key'],
    ['another type', NEUMANN.replace('+AYEK', '+BYEK'), 'line 1 does not contain an Ed25519 key'],
    ['a short key', NEUMANN.slice(0, -4), 'line 1 does not contain an Ed25519 key'],
    ['a space in its name', NEUMANN.replace('Peter', 'Peter '), 'line 1: the name of the key is empty, contains'],
  ])('is refused with %s, without quoting it', (_, text, message) => {
    const refused = refusal(text)
    expect(refused).toContain(message)
    for (const part of text.split(/[\n+]/)) if (part.length > 20) expect(refused).not.toContain(part)
  })
})

describe('the name of a log', () => {
  it.each(['a', 'example.org/log', 'Größe', 'x'.repeat(255)])('may be %s', (name) => expect(isOrigin(name)).toBe(true))
  it.each([
    '',
    ' ',
    'a b',
    'a+b',
    'a\n',
    'a\u00a0b',
    'a\u2028',
    '\u0000',
    '\ud800',
    'a\u200b',
    'a\u202eb',
    'a\u00adb',
    'x'.repeat(256),
  ])('may not be %j', (name) => expect(isOrigin(name)).toBe(false))
})
