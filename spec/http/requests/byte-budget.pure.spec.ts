import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteBudget, type Reservation } from '../../../http/requests/byte-budget.ts'
import { Busy } from '../../../storage/errors.ts'

describe('the memory budget of uploads', () => {
  it('admits a single upload of any size', () => {
    const { enter, taken } = byteBudget(100)
    enter().grow(1000)
    expect(taken()).toBe(1000)
  })

  it('rejects an upload when the budget is used up, and admits it later', () => {
    const { enter } = byteBudget(100)
    const first = enter()
    first.grow(60)
    const second = enter()
    expect(() => second.grow(50)).toThrow(Busy)
    first.leave()
    expect(() => second.grow(50)).not.toThrow()
  })

  it('counts in a larger one too, which keeps room for others', () => {
    const all = byteBudget(100)
    const some = byteBudget(50, 'too many of some', all)
    const [first, second] = [some.enter(), some.enter()]
    first.grow(40)
    expect(() => second.grow(20)).toThrow('too many of some')
    all.enter().grow(50)
    expect(all.taken()).toBe(90)
    all.enter().grow(5)
    // There is room in its own, but not in the larger one.
    expect(() => second.grow(8)).toThrow('too many uploads')
    first.leave()
    expect([some.taken(), all.taken()]).toEqual([0, 55])
  })

  it('counts received bytes, and none before they arrive', () => {
    const { enter, taken } = byteBudget(100)
    const reservation = enter()
    expect(taken()).toBe(0)
    reservation.grow(4)
    reservation.grow(10)
    expect(taken()).toBe(10)
    reservation.grow(25)
    expect(taken()).toBe(25)
  })

  it('never exceeds its limit for several uploads, and ends at zero', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ first: fc.nat(60), second: fc.nat(40), leaves: fc.boolean() })), (uploads) => {
        const { enter, taken } = byteBudget(100)
        const inside = new Set<Reservation>()
        for (const { first, second, leaves } of uploads) {
          let reservation: Reservation | undefined
          try {
            reservation = enter()
            inside.add(reservation)
            reservation.grow(first)
            reservation.grow(first + second)
          } catch (error) {
            expect(error).toBeInstanceOf(Busy)
            if (reservation) {
              reservation.leave()
              inside.delete(reservation)
            }
          }
          if (inside.size > 1) expect(taken()).toBeLessThanOrEqual(100)
          if (leaves && reservation) {
            reservation.leave()
            reservation.leave()
            inside.delete(reservation)
          }
        }
        for (const reservation of inside) reservation.leave()
        expect(taken()).toBe(0)
      }),
    )
  })
})
