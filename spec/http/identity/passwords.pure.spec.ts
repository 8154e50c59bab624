import { hash as argon2 } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { openPasswords } from '../../../http/identity/passwords.ts'
import { Busy } from '../../../storage/errors.ts'

const { hash, verify } = openPasswords()

describe('a password', () => {
  it('is hashed by Argon2id with 19 MiB, two passes and a salt of 16 bytes', async () => {
    const [, algorithm, version, parameters, salt = '', digest = ''] = (await hash('correct horse')).split('$')
    expect([algorithm, version, parameters]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1'])
    expect([Buffer.from(salt, 'base64').length, Buffer.from(digest, 'base64').length]).toEqual([16, 32])
  })

  it('is never hashed to the same text twice', async () =>
    expect(await hash('correct horse')).not.toBe(await hash('correct horse')))

  it.each(['correct horse', '', ' ', 'пароль', '🐎'.repeat(8), 'nul\0nul', 'x'.repeat(100_000)])(
    'is known by its hash alone (%#)',
    async (password) => {
      const hashed = await hash(password)
      expect(await verify(hashed, password)).toBe(true)
      expect(await verify(hashed, `${password}x`)).toBe(false)
      expect(await verify(hashed, password.slice(0, -1) + '!')).toBe(false)
    },
  )

  it('is told apart from its other letters and forms', async () => {
    const hashed = await hash('Caf\u00e9')
    expect(await verify(hashed, 'caf\u00e9')).toBe(false)
    expect(await verify(hashed, 'Caf\u00e9 ')).toBe(false)
  })

  it('is known by a hash of other parameters', async () => {
    const old = await argon2('correct horse', { memoryCost: 8192, timeCost: 3, parallelism: 2, outputLen: 16 })
    expect(old).toContain('m=8192,t=3,p=2')
    expect(await verify(old, 'correct horse')).toBe(true)
    expect(await verify(old, 'wrong horse')).toBe(false)
  })

  it.each([null, ''])('that nobody set (%j) is never right', async (none) => {
    expect(await verify(none, '')).toBe(false)
    expect(await verify(none, 'correct horse')).toBe(false)
  })

  it('takes a place in the queue whether there is a hash or not', async () => {
    const passwords = openPasswords({ atOnce: 1, mostWaiting: 1 })
    const waiting = [passwords.verify(null, 'a'), passwords.verify(null, 'b')]
    await expect(passwords.verify(null, 'c')).rejects.toThrow(Busy)
    await expect(passwords.verify('', 'c')).rejects.toThrow(Busy)
    await expect(passwords.hash('c')).rejects.toThrow(Busy)
    expect(await Promise.all(waiting)).toEqual([false, false])
    expect(await passwords.verify(await passwords.hash('d'), 'd')).toBe(true)
  })

  it('is refused at once when two hundred wait', async () => {
    const passwords = openPasswords({ atOnce: 1, cost: { memoryKib: 64, passes: 1 } })
    const asked = await Promise.allSettled(Array.from({ length: 300 }, () => passwords.verify(null, 'x')))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(201)
    expect(
      asked
        .flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
        .every((reason) => reason instanceof Busy),
    ).toBe(true)
  })

  it('whose hash is damaged is an error, not a no', async () =>
    expect(verify('$argon2id$damaged', 'x')).rejects.toThrow())
})
