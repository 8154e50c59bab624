import { describe, expect, it, vi } from 'vitest'
import { isFuture } from '../../../webapp/runs/future-time.ts'

const NOW = Date.parse('2026-05-04T09:00:00Z')

describe('a time of the future', () => {
  it('is later than now by more than the clocks of machines differ', () => {
    expect(isFuture('2026-05-04T09:00:00Z', NOW)).toBe(false)
    expect(isFuture('2026-05-04T09:05:00Z', NOW)).toBe(false)
    expect(isFuture('2026-05-04T09:05:00.001Z', NOW)).toBe(true)
    expect(isFuture('2099-01-01T00:00:00Z', NOW)).toBe(true)
  })

  it('is decided by the clock of the server, of which a cached answer shows an earlier time', async () => {
    // Specs before this one may have noted the time of a server.
    vi.resetModules()
    const { noteServerTime, serverTime } = await import('../../../webapp/api/server-clock.ts')
    expect(serverTime(NOW)).toBe(NOW)
    noteServerTime('Mon, 04 May 2026 10:00:00 GMT', NOW)
    noteServerTime('Mon, 04 May 2026 09:30:00 GMT', NOW)
    noteServerTime(null, NOW)
    noteServerTime('no time', NOW)
    expect(serverTime(NOW)).toBe(Date.parse('2026-05-04T10:00:00Z'))
  })
})
