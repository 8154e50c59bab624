import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instant } from '../../domain/instants.ts'

describe('an instant of a document', () => {
  it.each([
    ['2026-05-04T09:00:42.250Z', '2026-05-04T09:00:42.25Z'],
    ['2026-05-04T09:00:42.000000000Z', '2026-05-04T09:00:42Z'],
    ['2026-05-04t09:00:42z', '2026-05-04T09:00:42Z'],
    ['2026-05-04T11:00:42.123456789+02:00', '2026-05-04T09:00:42.123456789Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2024-02-28T23:30:00-00:45', '2024-02-29T00:15:00Z'],
    ['2026-05-04T09:00:42-00:00', '2026-05-04T09:00:42Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['0099-12-31T23:59:59.9Z', '0099-12-31T23:59:59.9Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ['1969-12-31T23:59:59.1Z', '1969-12-31T23:59:59.1Z'],
  ])('reads %s as %s', (sent, normal) => expect(instant(sent)).toBe(normal))

  it.each([
    '2026-05-04T09:00:42',
    '2026-05-04 09:00:42Z',
    '2026-05-04',
    '2026-05-04T09:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-05-04T24:00:00Z',
    '2026-05-04T09:60:00Z',
    '2026-05-04T09:00:60Z',
    '2026-05-04T09:00:42.Z',
    '2026-05-04T09:00:42.1234567890Z',
    '2026-05-04T09:00:42+0200',
    '2026-05-04T09:00:42+24:00',
    '2026-05-04T09:00:42+00:60',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-05-04T09:00:42Z\n',
    ' 2026-05-04T09:00:42Z',
    '+02026-05-04T09:00:42Z',
    '',
    '1777885242250',
    '٢٠٢٦-05-04T09:00:42Z',
  ])('rejects %j', (sent) => expect(() => instant(sent)).toThrow())

  it('rejects everything but text', () => {
    for (const value of [1777885242250, null, undefined, {}]) expect(() => instant(value)).toThrow()
  })

  it('reads every spelling alike and its own normal form unchanged', () => {
    const date = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (utc, offset) => {
        const [size, local] = [Math.abs(offset), new Date(utc.getTime() + offset * 60_000).toISOString().slice(0, -1)]
        const zone = `${offset < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
        const normal = instant(utc.toISOString())
        expect(instant(local + zone)).toBe(normal)
        expect(instant(normal)).toBe(normal)
        expect(Date.parse(normal)).toBe(utc.getTime())
      }),
    )
  })
})
