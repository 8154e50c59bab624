import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteBudget } from '../../../http/requests/upload-budget.ts'
import type { Reservation } from '../../../http/requests/upload-budget.ts'
import { Busy } from '../../../storage/errors.ts'

describe('admission of uploads', () => {
  it('lets one upload in alone, however large', () => {
    const { enter, taken } = byteBudget(100)
    enter().grow(1000)
    expect(taken()).toBe(1000)
  })

  it('tells the next to come back when there is no room, and lets it in when there is again', () => {
    const { enter } = byteBudget(100)
    const first = enter()
    first.grow(60)
    const second = enter()
    expect(() => second.grow(50)).toThrow(Busy)
    first.leave()
    expect(() => second.grow(50)).not.toThrow()
  })

  it('counts what has arrived so far, and nothing before it came', () => {
    const { enter, taken } = byteBudget(100)
    const place = enter()
    expect(taken()).toBe(0)
    place.grow(4)
    place.grow(10)
    expect(taken()).toBe(10)
    place.grow(25)
    expect(taken()).toBe(25)
  })

  it('never counts more than its bound for several uploads, and nothing once all have left', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ begun: fc.nat(60), more: fc.nat(40), leaves: fc.boolean() })), (uploads) => {
        const { enter, taken } = byteBudget(100)
        const inside = new Set<Reservation>()
        for (const { begun, more, leaves } of uploads) {
          let place: Reservation | undefined
          try {
            place = enter()
            inside.add(place)
            place.grow(begun)
            place.grow(begun + more)
          } catch (error) {
            expect(error).toBeInstanceOf(Busy)
            if (place) {
              place.leave()
              inside.delete(place)
            }
          }
          if (inside.size > 1) expect(taken()).toBeLessThanOrEqual(100)
          if (leaves && place) {
            place.leave()
            place.leave()
            inside.delete(place)
          }
        }
        for (const place of inside) place.leave()
        expect(taken()).toBe(0)
      }),
    )
  })
})
