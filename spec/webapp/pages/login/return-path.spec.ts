import { describe, expect, it } from 'vitest'
import { returnPath, startAddress } from '../../../../webapp/pages/login/return-path.ts'
import { HOSTILE_PATHS } from '../../../support/sso/hostile-paths.ts'

describe('the path to return to after signing in', () => {
  it.each(['/runs', '/runs/a%2Fb/matrix?cell=x#y', '/compare/a/b', '/login-help', '/setup/x'])('is %s', (path) =>
    expect(returnPath(path)).toBe(path),
  )

  it.each([
    undefined,
    null,
    ['/runs'],
    '/login',
    '/login?return_to=/x',
    '/setup',
    '/setup#x',
    '/invite#secret',
    '/reset',
    '/x/../login',
  ])('is the first page instead of %j', (given) => expect(returnPath(given)).toBe('/'))

  it('is the first page instead of all that could lead to another site', () => {
    expect(HOSTILE_PATHS.length).toBeGreaterThanOrEqual(60)
    expect(HOSTILE_PATHS.filter((path) => returnPath(path) !== '/')).toEqual([])
  })
})

it('the address of a sign-in through a provider has the path to return to, unless it is the first page', () => {
  const start = '/api/v1/auth/oidc/acme/start'
  expect(startAddress(start, '/')).toBe(start)
  const { pathname, searchParams } = new URL(startAddress(start, '/runs?tag=a%26b&q=x#y'), 'http://service.invalid')
  expect(pathname).toBe(start)
  expect([...searchParams]).toEqual([['return_to', '/runs?tag=a%26b&q=x#y']])
})
