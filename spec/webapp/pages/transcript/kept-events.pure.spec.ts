import { describe, expect, it } from 'vitest'
import { keptEvents } from '../../../../webapp/pages/transcript/kept-events.ts'

const event = (n: number, characters = 1_000) => ({ n, text: 'a'.repeat(characters) })
const numbersIn = (kept: ReturnType<typeof keptEvents>, most: number): number[] =>
  Array.from({ length: most }, (_, i) => i + 1).filter((n) => kept.has(n) && kept.get(n)?.n === n)

describe('kept events', () => {
  it('are dropped beyond a number of characters, those first that were not in view for longest', () => {
    const kept = keptEvents(5_200, 2)
    for (const n of [1, 2, 3, 4, 5]) kept.add(event(n))
    kept.touch(1)
    kept.add(event(6))
    kept.add(event(7))
    expect(numbersIn(kept, 7)).toEqual([1, 4, 5, 6, 7])
  })

  it('are counted once, and those in view stay whatever their length', () => {
    const kept = keptEvents(5_200, 2)
    for (let i = 0; i < 20; i++) kept.add(event(1))
    kept.add(event(2))
    expect(numbersIn(kept, 3)).toEqual([1, 2])
    kept.add(event(3, 100_000))
    expect(numbersIn(kept, 3)).toEqual([2, 3])
    kept.clear()
    expect(numbersIn(kept, 3)).toEqual([])
  })
})
