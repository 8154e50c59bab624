import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { returnTo } from '../../../domain/sso/return-to.ts'
import { HOSTILE_PATHS } from '../../support/sso/hostile-paths.ts'

const SITE = 'https://results.example.com'

describe('the path to return to', () => {
  it('is ignored if it may lead to another site', () => {
    expect(HOSTILE_PATHS.length).toBeGreaterThanOrEqual(60)
    expect(HOSTILE_PATHS.filter((path) => returnTo(path) !== '/')).toEqual([])
    expect(returnTo(null)).toBe('/')
  })

  it.each([
    ['/', '/'],
    ['/runs', '/runs'],
    ['/runs?tag=a%2Fb&q=//x', '/runs?tag=a%2Fb&q=//x'],
    ['/runs/01J#case', '/runs/01J#case'],
    ['/projects/größe', '/projects/gr%C3%B6%C3%9Fe'],
    ['/projects/a%2F%2Fb', '/projects/a%2F%2Fb'],
    ['/%2f%2fevil.example', '/%2f%2fevil.example'],
    ['/@evil.example', '/@evil.example'],
    ['/runs//twice', '/runs//twice'],
    ['/\uFF0Fevil.example', '/%EF%BC%8Fevil.example'],
    ['/a\uD800b', '/a%EF%BF%BDb'],
  ])('is kept: %j', (requestedPath, path) => {
    expect(returnTo(requestedPath)).toBe(path)
    expect(new URL(path, SITE).origin).toBe(SITE)
  })

  it('has a limit for its length in a header', () => {
    expect(returnTo(`/${'a'.repeat(1_999)}`)).toHaveLength(2_000)
    expect(returnTo(`/${'a'.repeat(2_000)}`)).toBe('/')
    expect(returnTo(`/${'\u0436'.repeat(400)}`)).toBe('/')
  })

  it('stays on the site, whatever the requested path, also if it is resolved twice', () => {
    const characters = fc.constantFrom(
      '/',
      '\\',
      '.',
      '%2e',
      '%2f',
      '@',
      ':',
      '?',
      '#',
      '\t',
      '\n',
      ' ',
      'a',
      '\u3002',
      '\uFF0F',
    )
    const requestedPath = fc.array(characters, { maxLength: 12 }).map((parts) => `/${parts.join('')}`)
    fc.assert(
      fc.property(requestedPath, (text) => {
        const path = returnTo(text)
        const once = new URL(path, SITE)
        const twice = new URL(`${once.pathname}${once.search}${once.hash}`, SITE)
        expect([once.origin, twice.origin]).toEqual([SITE, SITE])
        expect(path).toMatch(/^\/[\u0021-\u007E]*$/)
      }),
      { numRuns: 2_000 },
    )
  })
})
