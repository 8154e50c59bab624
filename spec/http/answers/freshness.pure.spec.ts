import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { freshness } from '../../../http/answers/freshness.ts'

const requestOf = (url: string): IncomingMessage => ({ url }) as IncomingMessage

describe('the wait of a request for what was committed before it', () => {
  it('is one for a request, however often it is asked, and another for the next', () => {
    let looks = 0
    const fresh = freshness({ caughtUp: () => Promise.resolve(void looks++) })
    const request = requestOf('/api/v1/runs')
    expect(fresh(request)).toBe(fresh(request))
    expect(looks).toBe(1)
    expect(fresh(requestOf('/api/v1/runs'))).not.toBe(fresh(request))
    expect(looks).toBe(2)
  })

  it.each(['/', '/login', '/runs/x', '/health', '/api/v1/health', '/api/v1/health?x=1'])(
    'is none for %s, which is no answer from the store',
    (url) => {
      const fresh = freshness({ caughtUp: () => Promise.reject(new Error('asked')) })
      expect(fresh(requestOf(url))).toBeUndefined()
    },
  )

  it.each(['/api/v1/runs', '/api/v1/healthy', '/api/v1/health/', '/%61pi/v1/runs', '/api%2Fv1/runs'])(
    'is there for %s',
    (url) => {
      const fresh = freshness({ caughtUp: () => Promise.resolve() })
      expect(fresh(requestOf(url))).toBeInstanceOf(Promise)
    },
  )
})
