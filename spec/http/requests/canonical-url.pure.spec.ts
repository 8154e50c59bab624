import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalUrl } from '../../../http/requests/canonical-url.ts'
import { parseQuery } from '../../../http/requests/parameters.ts'

const READ = '/api/v1/runs?limit=5&project=a+b'

describe('the canonical spelling of a target', () => {
  it.each([
    '/api/v1/runs?project=a+b&limit=5',
    '/api/v1/runs?&limit=5&project=a+b',
    '/api/v1/runs?limit=5&&project=a+b&&&',
    '/api/v1/runs?limit=%35&project=%61%20b',
    '/api/v1/runs?%6cimit=5&%70roject=a%20b',
    '/api/v1/%72uns?limit=5&project=a+b',
  ])('of %s is one', (url) => expect(canonicalUrl(url)).toBe(READ))

  it.each(['/api/v1/runs?', '/api/v1/runs?&', '/api/v1/runs?&&&', '/api/v1/run%73'])(
    'of %s is that of no query',
    (url) => expect(canonicalUrl(url)).toBe('/api/v1/runs'),
  )

  it('is kept for what is odd, which then shares nothing', () => {
    for (const odd of ['http://x/api/v1/runs?b=1&a=1', '/api/v1/runs#b=1?a=1', '/runs/%E4%', '*'])
      expect(canonicalUrl(odd)).toBe(odd)
  })

  it('is that of ids as links spell them', () => {
    expect(canonicalUrl('/runs/a:b')).toBe('/runs/a:b')
    expect(canonicalUrl('/runs/%61%3Ab')).toBe('/runs/a:b')
    expect(canonicalUrl('/runs/a%2Fb')).toBe('/runs/a%2Fb')
  })

  it('is shared by no two that ask something else, and is its own', () => {
    const piece = fc.constantFrom(
      'a',
      '%61',
      'b',
      '/',
      '%2F',
      '%2f',
      '?',
      '&',
      '=',
      '#',
      '%',
      '%25',
      '%25' + '61',
      '+',
      '%20',
      '%2B',
      ';',
      'a=1',
      'b=2',
      '&a=1',
      'é',
      '%C3%A9',
      '%E9',
      '__proto__',
    )
    const target = fc.array(piece, { maxLength: 9 }).map((pieces) => `/${pieces.join('')}`)
    /** As the router reads it: parts of the path, and parameters. */
    const read = (url: string): string => {
      const at = url.search(/[?#]/)
      const path = at < 0 ? url : url.slice(0, at)
      let parts = [path]
      try {
        parts = path.split('/').map(decodeURIComponent)
      } catch {
        // Such a path is refused as it is.
      }
      const query = parseQuery(at < 0 ? '' : url.slice(at + 1))
      return JSON.stringify([
        parts,
        Object.keys(query)
          .sort()
          .map((name) => [name, query[name]]),
      ])
    }
    const known = new Map<string, string>()
    fc.assert(
      fc.property(target, (url) => {
        const canonical = canonicalUrl(url)
        expect(canonicalUrl(canonical)).toBe(canonical)
        expect(known.get(canonical) ?? read(url)).toBe(read(url))
        known.set(canonical, read(url))
      }),
      { numRuns: 5_000 },
    )
  })
})
