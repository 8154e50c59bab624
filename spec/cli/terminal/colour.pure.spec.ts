import { expect, it } from 'vitest'
import { usesColour } from '../../../cli/terminal/colour.ts'

it.each([
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { CLICOLOR_FORCE: '1' }, true, false],
  ['auto', { CLICOLOR_FORCE: '1', NO_COLOR: '1' }, false, true],
  ['auto', { CLICOLOR_FORCE: '0' }, false, false],
  ['auto', { CLICOLOR_FORCE: '', NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, false],
  ['auto', {}, true, true],
  ['auto', {}, false, false],
] as const)('usesColour with --color %s, %j and a terminal: %j', (color, env, isTerminal, expected) =>
  expect(usesColour({ color }, env, isTerminal)).toBe(expected),
)
