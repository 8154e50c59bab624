import { expect, it } from 'vitest'
import { cutAt, portionEnd } from '../../../webapp/text/text-portions.ts'

it('cutAt cuts a text at the wanted length', () => {
  expect(cutAt('abcdef', 3)).toBe(3)
  expect(cutAt('abc', 9)).toBe(3)
})
it('cutAt does not split a character', () => {
  expect(cutAt('ab😀cd', 3)).toBe(2)
  expect(cutAt('abe\u0301d', 3)).toBe(2)
  expect(cutAt('a👩‍👩b', 4)).toBe(1)
  expect(cutAt('a\r\nb', 2)).toBe(1)
})
it('cutAt cuts even a text without a boundary between characters', () =>
  expect(cutAt('\u0301'.repeat(100), 60)).toBe(28))

it('portionEnd ends a portion at the end of a line if one is near', () => {
  expect(portionEnd(`${'x'.repeat(90)}\n${'y'.repeat(90)}`, 0, 100)).toBe(91)
  expect(portionEnd(`${'x'.repeat(50)}\n${'y'.repeat(90)}`, 0, 100)).toBe(100)
  expect(portionEnd('short\n', 0, 100)).toBe(6)
})
