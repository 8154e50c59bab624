import { expect, it } from 'vitest'
import { cutAt, portionEnd } from '../../../webapp/text/text-portions.ts'

it('a text is cut where it is asked for', () => {
  expect(cutAt('abcdef', 3)).toBe(3)
  expect(cutAt('abc', 9)).toBe(3)
})
it('no character is cut apart', () => {
  expect(cutAt('ab😀cd', 3)).toBe(2)
  expect(cutAt('abe\u0301d', 3)).toBe(2)
  expect(cutAt('a👩‍👩b', 4)).toBe(1)
  expect(cutAt('a\r\nb', 2)).toBe(1)
})
it('a text that nowhere can be cut is cut all the same', () => expect(cutAt('\u0301'.repeat(100), 60)).toBe(28))

it('a portion ends with a line, where one ends near', () => {
  expect(portionEnd(`${'x'.repeat(90)}\n${'y'.repeat(90)}`, 0, 100)).toBe(91)
  expect(portionEnd(`${'x'.repeat(50)}\n${'y'.repeat(90)}`, 0, 100)).toBe(100)
  expect(portionEnd('short\n', 0, 100)).toBe(6)
})
