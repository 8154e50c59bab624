import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLine } from '../../domain/csv.ts'
import { parseCsv } from '../support/http/csv.ts'

/** Removes the apostrophe before a formula. */
const plain = (field: string): string => (/^'[=+\-@\t\r\n']/.test(field) ? field.slice(1) : field)

describe('a line of CSV', () => {
  it('ends with CRLF, and quotes only what must be quoted', () => {
    expect(csvLine(['a', 'b c', 'd,e', 'f"g', 'h\ni', '', null, 1.5, -2, true])).toBe(
      'a,b c,"d,e","f""g","h\ni",,,1.5,-2,true\r\n',
    )
  })

  it('gives text that a spreadsheet would run as a formula an apostrophe', () => {
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', "'"])
      expect(csvLine([`${start}cmd`]).replaceAll('"', ''), JSON.stringify(start)).toBe(`'${start}cmd\r\n`)
    expect(csvLine(['=HYPERLINK("http://x","y")'])).toBe(`"'=HYPERLINK(""http://x"",""y"")"\r\n`)
    expect(csvLine(['a=1'])).toBe('a=1\r\n')
  })

  it('can be read back', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('=', "'", '"', ',', '\r', '\n', '-', 'a') }),
    )
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (fields) => {
        expect(parseCsv(csvLine(fields)).map((line) => line.map(plain))).toEqual([fields])
      }),
    )
  })
})
