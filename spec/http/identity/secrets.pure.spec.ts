import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  hashOfToken,
  isSessionToken,
  newApiKey,
  newSessionToken,
  shownPrefixOf,
} from '../../../http/identity/secrets.ts'

describe('secrets', () => {
  it('have a prefix for their kind, and 64 hex digits', () => {
    expect(newSessionToken()).toMatch(/^mses_[0-9a-f]{64}$/)
    expect(newApiKey()).toMatch(/^service_[0-9a-f]{64}$/)
  })

  it('are never the same twice', () => {
    const secrets = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? newSessionToken() : newApiKey()))
    expect(new Set(secrets.map((text) => text.slice(-64))).size).toBe(secrets.length)
  })

  it('are stored as SHA-256 of the whole text', () => {
    const token = newSessionToken()
    expect(hashOfToken(token)).toBe(createHash('sha256').update(token).digest('hex'))
    expect(hashOfToken('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('are shown by their first 12 characters if they are API keys: the prefix and four digits', () =>
    expect(shownPrefixOf(`service_${'0123456789abcdef'.repeat(4)}`)).toBe('service_0123'))

  it('count as session tokens only if the whole text has that form', () => {
    const token = newSessionToken()
    expect(isSessionToken(token)).toBe(true)
    for (const other of [
      '',
      'mses_',
      token.slice(0, -1),
      `${token}0`,
      ` ${token}`,
      `${token}\n`,
      token.toUpperCase(),
      newApiKey(),
      `x${token}`,
    ])
      expect(isSessionToken(other)).toBe(false)
  })
})
