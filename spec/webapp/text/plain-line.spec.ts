import { expect, it } from 'vitest'
import { withoutMarks } from '../../../webapp/text/plain-line.ts'

it.each([
  ['- **Fail** (100%): Uses `memo`', 'Fail (100%): Uses memo'],
  ['## A heading', 'A heading'],
  ['* __strong__ words', 'strong words'],
  // What is no mark stays.
  ['2 * 3 ** 4', '2 * 3 ** 4'],
  ['snake_case__name', 'snake_case__name'],
  ['1. a step', '1. a step'],
  ['-1 is less', '-1 is less'],
  ['', ''],
])('%j reads %j', (line, plain) => expect(withoutMarks(line)).toBe(plain))
