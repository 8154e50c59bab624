import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { freshness } from '../../../http/answers/freshness.ts'

const requestOf = (url: string): IncomingMessage => ({ url }) as IncomingMessage

describe('the wait until a request sees earlier commits', () => {
  it('is the same promise for one request, and another for the next request', () => {
    let checks = 0
    const waitOf = freshness({ caughtUp: () => Promise.resolve(void checks++) })
    const request = requestOf('/api/v1/runs')
    expect(waitOf(request)).toBe(waitOf(request))
    expect(checks).toBe(1)
    expect(waitOf(requestOf('/api/v1/runs'))).not.toBe(waitOf(request))
    expect(checks).toBe(2)
  })

  it.each(['/', '/login', '/runs/x', '/health', '/api/v1/health', '/api/v1/health?x=1'])(
    'does not exist for %s, which needs no store',
    (url) => {
      expect(freshness({ caughtUp: () => Promise.reject(new Error('asked')) })(requestOf(url))).toBeUndefined()
    },
  )

  it.each(['/api/v1/runs', '/api/v1/healthy', '/api/v1/health/', '/%61pi/v1/runs', '/api%2Fv1/runs'])(
    'exists for %s',
    (url) => {
      expect(freshness({ caughtUp: () => Promise.resolve() })(requestOf(url))).toBeInstanceOf(Promise)
    },
  )
})
