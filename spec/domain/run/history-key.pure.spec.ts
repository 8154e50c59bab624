import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyKey } from '../../../domain/run/history-key.ts'

const part = fc.option(fc.string({ unit: 'grapheme', maxLength: 6 }))

describe('the history key of a case', () => {
  it('has 48 bits, which databases and doubles represent exactly', () =>
    fc.assert(
      fc.property(part, part, fc.string(), (project, suite, key) => {
        const found = historyKey(project, suite, key)
        expect(Number.isSafeInteger(found) && found >= 0 && found < 2 ** 48).toBe(true)
        expect(historyKey(project, suite, key)).toBe(found)
      }),
    ))

  it('never changes, because stored rows contain it', () =>
    expect(historyKey('chat', 'smoke', '07f1c0919d4689f8')).toBe(0xe7a288b5f174))

  it('differs for sets and cases whose joined parts are equal', () => {
    const keys = [
      historyKey('a', 'b', 'c'),
      historyKey('ab', '', 'c'),
      historyKey('a', null, 'bc'),
      historyKey('a', 'null', 'bc'),
      historyKey(null, 'a', 'bc'),
      historyKey('a","b', null, 'c'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
})
