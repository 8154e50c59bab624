import { describe, expect, it } from 'vitest'
import { ExactNumber, parseShown } from '../../../webapp/text/exact-json.ts'
import { jsonText } from '../../../webapp/text/json-text.ts'

describe('numbers of stored JSON', () => {
  it.each(['12345678901234567890', '-9007199254740993', '1e400', '0.12345678901234567890123'])(
    'preserve their digits: %s',
    (digits) => {
      expect(parseShown(`[${digits}]`)).toEqual([new ExactNumber(digits)])
      expect(jsonText(parseShown(`[${digits}]`))).toBe(`[${digits}]`)
    },
  )
  it.each([
    ['1.0', 1],
    ['9007199254740991', 9007199254740991],
    ['0.1', 0.1],
    ['1e3', 1000],
    ['0.0035475000000000003', 0.0035475000000000003],
  ])('are plain numbers if a double can represent them: %s', (text, value) => expect(parseShown(text)).toBe(value))
})
