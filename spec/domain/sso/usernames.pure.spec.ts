import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { usernameCandidates } from '../../../domain/sso/usernames.ts'

const first = (subject: string, email: string | null) => usernameCandidates('corp', { subject, email }, 'x')[0]

describe('the name of a new account', () => {
  it.each([
    ['mira@example.com', 'mira'],
    ['Mira.Okafor_1-x@example.com', 'mira.okafor_1-x'],
    ['mira+evals@example.com', 'miraevals'],
    ['größe@example.com', 'gre'],
    ['"a b"@example.com', 'ab'],
    ['a@b@example.com', 'ab'],
    [`${'a'.repeat(80)}@example.com`, 'a'.repeat(64)],
  ])('is the local part of %s', (email, name) => {
    expect(first('subject', email)).toBe(name)
  })

  it.each([
    [null, 'auth0|5f7c8ec7', 'corp-auth05f'],
    [null, 'A1B2C3D4E5', 'corp-a1b2c3d4'],
    [null, '\u{1F600}\u{1F600}abcdefgh', 'corp-abcdef'],
    ['..@example.com', 'abc', 'corp-abc'],
    ['@example.com', 'abc', 'corp-abc'],
    ['example.com', 'abc', 'corp-abc'],
    ['日本@example.com', 'abc', 'corp-abc'],
    [null, '日本語', 'corp'],
    [null, '........rest', 'corp'],
  ])('without a usable local part (%s) has the beginning of the subject %s', (email, subject, name) => {
    expect(first(subject, email)).toBe(name)
  })

  it('is tried with the numbers 2 to 20, and then with the random suffix', () => {
    const names = usernameCandidates('corp', { subject: 's', email: 'mira@example.com' }, '9f3c')
    expect(names).toEqual(['mira', ...Array.from({ length: 19 }, (_, n) => `mira-${n + 2}`), 'mira-9f3c'])
  })

  it('is a short name of plain characters, whatever the provider asserts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.option(fc.string({ unit: 'binary' })), (subject, email) => {
        expect(first(subject, email)).toMatch(/^(?=.*[a-z0-9])[a-z0-9._-]{1,70}$/)
      }),
    )
  })
})
