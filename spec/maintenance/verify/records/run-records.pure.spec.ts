import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runRecords } from '../../../../maintenance/verify/records/run-records.ts'

const numbers = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 65_530, max: 65_545 }),
  fc.constantFrom(-1, 0.5, 2 ** 40, 2 ** 53, 16 * 65_536, 17 * 65_536, 18 * 65_536),
)

describe('the records of runs', () => {
  it('are those of a map, also for forged numbers of runs', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), numbers, fc.integer({ min: 1, max: 2 ** 40 }))), (steps) => {
        const [own, map] = [runRecords(), new Map<number, number>()]
        for (const [isUpload, run_no, seq] of steps) {
          if (isUpload) own.set(run_no, seq)
          else own.delete(run_no)
          if (isUpload) map.set(run_no, seq)
          else map.delete(run_no)
          expect(own.has(run_no)).toBe(map.has(run_no))
          expect(own.size()).toBe(map.size)
        }
        expect(new Map(own.entries())).toEqual(map)
      }),
    ))

  it('are in the order of the runs', () => {
    const own = runRecords()
    for (const run_no of [65_536, 3, 70_000, 1]) own.set(run_no, run_no * 2)
    expect([...own.entries()]).toEqual([
      [1, 2],
      [3, 6],
      [65_536, 131_072],
      [70_000, 140_000],
    ])
  })
})
