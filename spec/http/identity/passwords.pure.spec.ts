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
    'matches only its own hash (%#)',
    async (password) => {
      const hashed = await hash(password)
      expect(await verify(hashed, password)).toBe(true)
      expect(await verify(hashed, `${password}x`)).toBe(false)
      expect(await verify(hashed, password.slice(0, -1) + '!')).toBe(false)
    },
  )

  it('does not match with another case or a final space', async () => {
    const hashed = await hash('Caf\u00e9')
    expect(await verify(hashed, 'caf\u00e9')).toBe(false)
    expect(await verify(hashed, 'Caf\u00e9 ')).toBe(false)
  })

  it('matches a hash with other parameters', async () => {
    const old = await argon2('correct horse', { memoryCost: 8192, timeCost: 3, parallelism: 2, outputLen: 16 })
    expect(old).toContain('m=8192,t=3,p=2')
    expect(await verify(old, 'correct horse')).toBe(true)
    expect(await verify(old, 'wrong horse')).toBe(false)
  })

  it.each([null, ''])('without a hash (%j) never matches', async (missing) => {
    expect(await verify(missing, '')).toBe(false)
    expect(await verify(missing, 'correct horse')).toBe(false)
  })

  it('uses a slot of the queue with or without a hash', async () => {
    const passwords = openPasswords({ concurrency: 1, maxWaiting: 1 })
    const waiting = [passwords.verify(null, 'a'), passwords.verify(null, 'b')]
    await expect(passwords.verify(null, 'c')).rejects.toThrow(Busy)
    await expect(passwords.verify('', 'c')).rejects.toThrow(Busy)
    await expect(passwords.hash('c')).rejects.toThrow(Busy)
    expect(await Promise.all(waiting)).toEqual([false, false])
    expect(await passwords.verify(await passwords.hash('d'), 'd')).toBe(true)
  })

  it('is rejected immediately when two hundred are waiting', async () => {
    const passwords = openPasswords({ concurrency: 1, cost: { memoryKib: 64, passes: 1 } })
    const attempts = await Promise.allSettled(Array.from({ length: 300 }, () => passwords.verify(null, 'x')))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(201)
    expect(
      attempts
        .flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as unknown] : []))
        .every((reason) => reason instanceof Busy),
    ).toBe(true)
  })

  it('with a damaged hash throws an error', async () => expect(verify('$argon2id$damaged', 'x')).rejects.toThrow())
})
