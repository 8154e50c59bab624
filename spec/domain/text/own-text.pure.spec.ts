import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prepareRun } from '../../../domain/run/prepare.ts'
import { ownText } from '../../../domain/text/own-text.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { heldBytes } from '../../support/held-bytes.ts'

const KIB = 1024
const LINES = 256

describe('ownText', () => {
  it('returns the same text', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(ownText(text.toWellFormed())).toBe(text.toWellFormed())
      }),
    ))

  it('keeps nothing of the text that it was cut from', () => {
    const beginnings = (copied: (text: string) => string) => () =>
      Array.from({ length: LINES }, (_, n) =>
        copied(
          Buffer.alloc(64 * KIB, `${n} `)
            .toString()
            .slice(0, 300),
        ),
      )
    expect(heldBytes(beginnings((text) => text))).toBeGreaterThan(LINES * 32 * KIB)
    expect(heldBytes(beginnings(ownText))).toBeLessThan(LINES * 8 * KIB)
  })
})

describe('the facts of a run', () => {
  it('hold the search text of its cases once, in a byte for each Latin letter, and no other long text', () => {
    const output = `${'word '.repeat((16 * KIB) / 5)}… [cut]`
    const cases = Array.from({ length: LINES }, (_, n) => aCase({ case_key: `c${n}`, output: `${n} ${output}` }))
    const bytes = Buffer.from(JSON.stringify(aDocument({ cases })))
    expect(heldBytes(() => prepareRun(bytes))).toBeLessThan(LINES * 24 * KIB)
  })
})
