import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatRate,
  formatRelative,
  formatScore,
  formatTime,
  formatTokens,
  plural,
  shortId,
} from '../../../webapp/text/format.ts'

describe('formatted numbers', () => {
  it('show bytes in units of 1024', () =>
    expect([0, 850, 1024, 13_300, 131_072, 1_048_000, 47_185_920, 1_073_741_824, 5e12].map(formatBytes)).toEqual([
      '0 B',
      '850 B',
      '1.0 KiB',
      '13 KiB',
      '128 KiB',
      '1023 KiB',
      '45.0 MiB',
      '1.00 GiB',
      '4.55 TiB',
    ]))
  it('agree with their noun', () =>
    expect([plural(1, 'run'), plural(0, 'run'), plural(1262, 'entry', 'entries')]).toEqual([
      '1 run',
      '0 runs',
      '1,262 entries',
    ]))
  it('have separators between thousands', () => expect([0, 999, 1262].map(formatCount)).toEqual(['0', '999', '1,262']))
  it('show tokens in three digits', () =>
    expect([0, 7, 999, 1000, 1234, 582_000, 999_499, 999_600, 2_830_000, 1e9].map(formatTokens)).toEqual([
      '0',
      '7',
      '999',
      '1k',
      '1.23k',
      '582k',
      '999k',
      '1M',
      '2.83M',
      '1G',
    ]))
  it('show cents, and more digits below a cent', () =>
    expect([0, 2.33, 1234.5, 0.01, 0.0042, 0.00001].map(formatCost)).toEqual([
      '$0.00',
      '$2.33',
      '$1,234.50',
      '$0.01',
      '$0.0042',
      '<$0.0001',
    ]))
  it('show a rate with one decimal', () =>
    expect([0, 0.42, 0.275, 1].map(formatRate)).toEqual(['0.0%', '42.0%', '27.5%', '100.0%']))
  it('show 0.0% and 100.0% only for exactly 0 and 1', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 2, max: 1_000_000 }), (part, whole) => {
        fc.pre(part < whole)
        expect(['0.0%', '100.0%']).not.toContain(formatRate(part / whole))
      }),
    ))
  it('shorten scores for narrow cells', () =>
    expect([0, 0.07, 0.5, 1, 0.999, 0.005].map(formatScore)).toEqual(['0', '.07', '.50', '1.0', '.99', '.01']))
  it('distinguish a score close to 0 from 0 and from a hundredth', () =>
    expect([0, 0.001, 0.000_02, -0.001, -0.02].map(formatScore)).toEqual(['0', '.00', '.00', '.00', '-.02']))
  it('show durations in their two largest units', () =>
    expect([0, 850, 2_100, 59_949, 59_960, 1_084_000, 14_700_000, 367_200_000].map(formatDuration)).toEqual([
      '0 ms',
      '850 ms',
      '2.1 s',
      '59.9 s',
      '1 m 00 s',
      '18 m 04 s',
      '4 h 05 m',
      '4 d 6 h',
    ]))
  it('show the end of an id, where ids differ', () =>
    expect(['01K2ZQ7C8V4T9E6M3B5N1R0WXA', 'run-1'].map(shortId)).toEqual(['…1R0WXA', 'run-1']))
})

describe('times', () => {
  const now = Date.UTC(2026, 2, 12, 15)
  const ago = (ms: number): string => formatRelative(now - ms, now, 'UTC')
  it('are relative, or a date after 45 days', () =>
    expect([0, 59_000, 61_000, 7.5 * 3_600_000, 25 * 3_600_000, 44 * 86_400_000, 46 * 86_400_000].map(ago)).toEqual([
      'just now',
      'just now',
      '1 min ago',
      '7 h ago',
      '1 d ago',
      '44 d ago',
      '2026-01-25',
    ]))
  it('may be in the future if clocks differ', () => expect(ago(-2 * 3_600_000)).toBe('in 2 h'))
  it('are dates of a time zone after 45 days', () => {
    const time = Date.UTC(2026, 0, 25, 23, 30)
    expect(['UTC', 'Europe/Berlin', 'America/New_York'].map((zone) => formatRelative(time, now, zone))).toEqual([
      '2026-01-25',
      '2026-01-26',
      '2026-01-25',
    ])
  })
  it('are exact in a time zone, in UTC and in local time, each once and with its zone', () => {
    const time = new Date(Date.UTC(2026, 2, 12, 12, 58))
    expect(formatExact(time, 'Europe/Berlin')).toMatch(/^2026-03-12 13:58:00 CET, 2026-03-12 12:58:00 UTC/)
    expect(formatExact(time, 'UTC').match(/UTC/g)).toHaveLength(1)
  })
  it('without seconds name their zone, in summer that of summer', () => {
    const texts = (time: string): string[] =>
      ['UTC', 'Europe/Berlin', 'Asia/Kolkata'].map((zone) => formatTime(new Date(time), zone))
    expect(texts('2026-03-12T12:58:41Z')).toEqual([
      '2026-03-12 12:58 UTC',
      '2026-03-12 13:58 CET',
      '2026-03-12 18:28 GMT+5:30',
    ])
    expect(texts('2026-07-12T22:58:41Z')[1]).toBe('2026-07-13 00:58 CEST')
  })
})
