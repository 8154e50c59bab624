import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstFailure, firstSentence } from '../../../../../webapp/pages/case/assertions/reason.ts'

const REASON =
  '- **Pass** (100%): Uses hooks\n\n    They are there.\n\n- **Fail** (100%): Uses memo\n\n    There is none. Add it.'

describe('the first failure in a reason', () => {
  it('is the first paragraph that says fail', () => {
    expect(REASON.slice(firstFailure(REASON))).toMatch(/^- \*\*Fail\*\*/)
    const prose = 'All is well.\n\nThe second part is long\nand it failed here.\n\nEnd.'
    expect(prose.slice(firstFailure(prose))).toMatch(/^The second part/)
  })
  it('is the beginning if no paragraph says fail, or the first does', () => {
    expect(firstFailure('All is well.\nFailsafe is a word of its own.')).toBe(0)
    expect(firstFailure('It fails.\nMore.')).toBe(0)
    expect(firstFailure('')).toBe(0)
  })
  it('is the beginning of a line', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('fail', 'a', '', '- b', '1. failed', ' ')), (lines) => {
        const text = lines.join('\n')
        const at = firstFailure(text)
        expect(at === 0 || text[at - 1] === '\n').toBe(true)
      }),
    ))
})

describe('the first sentence of a reason', () => {
  it('is that of the first failure', () => expect(firstSentence(REASON)).toBe('Fail (100%): Uses memo'))
  it('ends where the next one begins', () =>
    expect(firstSentence('Could not find version 1.2 of it. It is gone.')).toBe('Could not find version 1.2 of it.'))
  it('is one line in which nothing is invisible', () =>
    expect(firstSentence('a\tb \u202e c\nd')).toBe('a b ⟨U+202E⟩ c'))
  it('may be empty, and is never long', () => {
    expect(firstSentence(' \n')).toBe('')
    expect(firstSentence('x'.repeat(9_000)).length).toBeLessThanOrEqual(240)
  })
})
