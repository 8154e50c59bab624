import fc from 'fast-check'
import { expect, it } from 'vitest'
import { printable, printableLines } from '../../../domain/text/printable.ts'

it('printable keeps the meaning of any JSON', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = printable(JSON.stringify({ text }))
      expect(JSON.parse(shown)).toEqual({ text })
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
  ))

it('printableLines keeps line breaks and tabs, and escapes what controls a terminal', () => {
  expect(printableLines('a\tb\r\nc\n\x1b[31md')).toBe('a\tb\nc\n\\u001b[31md')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printableLines(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
  )
})
