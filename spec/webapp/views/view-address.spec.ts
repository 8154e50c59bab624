import { describe, expect, it } from 'vitest'
import {
  addressText,
  describeAddress,
  isSameAddress,
  pageName,
  splitAddress,
  suggestName,
} from '../../../webapp/views/view-address.ts'

describe('the address of a view', () => {
  it('is taken apart and put together again, without its fragment', () => {
    expect(splitAddress('/runs?suite=a&status=fail#top')).toEqual({ path: '/runs', query: 'suite=a&status=fail' })
    expect(splitAddress('/')).toEqual({ path: '/', query: '' })
    expect(splitAddress('/search?q=a?b')).toEqual({ path: '/search', query: 'q=a?b' })
    for (const address of ['/runs?suite=a', '/', '/projects/a%2Fb'])
      expect(addressText(splitAddress(address))).toBe(address)
  })

  it('is the same in any order and encoding of its parameters', () => {
    const at = (query: string, path = '/runs') => ({ path, query })
    expect(isSameAddress(at('a=1&b=2'), at('b=2&a=1'))).toBe(true)
    expect(isSameAddress(at('q=a+b'), at('q=a%20b'))).toBe(true)
    expect(isSameAddress(at('a=1&a=2'), at('a=2&a=1'))).toBe(false)
    expect(isSameAddress(at('a=1'), at('a=1', '/search'))).toBe(false)
    expect(isSameAddress(at(''), at('a=1'))).toBe(false)
  })

  it('is described by its page, its names and its filters', () => {
    expect(describeAddress({ path: '/runs', query: 'suite=smoke&status=fail' })).toBe(
      'Runs · suite smoke · status fail',
    )
    expect(describeAddress({ path: '/projects/a%2Fb/suites/%E0', query: '' })).toBe('Suite · a/b · %E0')
    expect(describeAddress({ path: '/elsewhere', query: 'x=' })).toBe('/elsewhere · x')
  })

  it('suggests a name without what only says how a list is sorted', () => {
    expect(suggestName({ path: '/runs', query: 'suite=smoke&status=fail&sort=cost&order=asc' })).toBe(
      'Runs: smoke, fail',
    )
    expect(suggestName({ path: '/', query: 'attention=true' })).toBe('Overview: attention')
    expect(suggestName({ path: '/projects/chat/suites/smoke', query: '' })).toBe('Suite: chat, smoke')
    expect([...suggestName({ path: '/search', query: `q=${'🙂'.repeat(200)}` })]).toHaveLength(100)
  })

  it('has a page for everything that can be saved', () => {
    expect(
      [
        '/',
        '/runs',
        '/runs/r1',
        '/runs/r1/matrix',
        '/runs/r1/cases/k',
        '/runs/r1/tests/t',
        '/compare',
        '/compare/a/b',
        '/compare/outputs/t',
        '/projects',
        '/projects/p',
        '/projects/p/suites/s',
        '/projects/p/suites/s/cases/k',
        '/search',
        '/cache',
        '/cache/k',
        '/admin/keys',
        '/settings',
        '/login',
        '/document-format',
      ].map(pageName),
    ).toEqual([
      'Overview',
      'Runs',
      'Run',
      'Matrix of a run',
      'Case',
      'Outputs of a test',
      'Compare',
      'Compare',
      'Outputs of a test',
      'Suites',
      'Project',
      'Suite',
      'Case history',
      'Search',
      'Cache',
      'Cache',
      'Keys',
      null,
      null,
      null,
    ])
  })
})
