import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalUrl } from '../../../http/requests/canonical-url.ts'
import { parseQuery } from '../../../http/requests/shared-parameters.ts'

const CANONICAL = '/api/v1/runs?limit=5&project=a+b'

describe('the canonical URL', () => {
  it.each([
    '/api/v1/runs?project=a+b&limit=5',
    '/api/v1/runs?&limit=5&project=a+b',
    '/api/v1/runs?limit=5&&project=a+b&&&',
    '/api/v1/runs?limit=%35&project=%61%20b',
    '/api/v1/runs?%6cimit=5&%70roject=a%20b',
    '/api/v1/%72uns?limit=5&project=a+b',
  ])('is the same for equivalent URLs: %s', (url) => expect(canonicalUrl(url)).toBe(CANONICAL))

  it.each(['/api/v1/runs?', '/api/v1/runs?&', '/api/v1/runs?&&&', '/api/v1/run%73'])('has no query for %s', (url) =>
    expect(canonicalUrl(url)).toBe('/api/v1/runs'),
  )

  it('is the URL itself for unusual ones, which share no cached response', () => {
    for (const url of ['http://x/api/v1/runs?b=1&a=1', '/api/v1/runs#b=1?a=1', '/runs/%E4%', '*'])
      expect(canonicalUrl(url)).toBe(url)
  })

  it('spells ids as links do', () => {
    expect(canonicalUrl('/runs/a:b')).toBe('/runs/a:b')
    expect(canonicalUrl('/runs/%61%3Ab')).toBe('/runs/a:b')
    expect(canonicalUrl('/runs/a%2Fb')).toBe('/runs/a%2Fb')
  })

  it('is equal only for URLs with the same meaning, and is canonical itself', () => {
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
    /** The meaning of a URL as the router reads it: parts of the path, and parameters. */
    const meaningOf = (url: string): string => {
      const pathEnd = url.search(/[?#]/)
      const path = pathEnd < 0 ? url : url.slice(0, pathEnd)
      let parts = [path]
      try {
        parts = path.split('/').map(decodeURIComponent)
      } catch {
        // Such a path is rejected as it is.
      }
      const query = parseQuery(pathEnd < 0 ? '' : url.slice(pathEnd + 1))
      return JSON.stringify([
        parts,
        Object.keys(query)
          .sort()
          .map((name) => [name, query[name]]),
      ])
    }
    const meanings = new Map<string, string>()
    fc.assert(
      fc.property(target, (url) => {
        const canonical = canonicalUrl(url)
        expect(canonicalUrl(canonical)).toBe(canonical)
        expect(meanings.get(canonical) ?? meaningOf(url)).toBe(meaningOf(url))
        meanings.set(canonical, meaningOf(url))
      }),
      { numRuns: 5_000 },
    )
  })
})
