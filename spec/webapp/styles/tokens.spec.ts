import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

// Reads the style sheet itself, so that the specs check the colours that are shown.
const CSS = readFileSync('webapp/styles/tokens.css', 'utf8')

/** The colours of a theme. A token with one colour has it in both. */
const tokensOf = (theme: 'light' | 'dark'): ReadonlyMap<string, string> =>
  new Map(
    [...CSS.matchAll(/(?<![\w-])--([\w-]+):\s*(?:light-dark\()?(#[0-9a-f]{6})(?:, (#[0-9a-f]{6})\))?;/g)].map(
      ([, name = '', light = '', dark = light]) => [name, theme === 'light' ? light : dark],
    ),
  )

const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
    const value = parseInt(hex.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a: string, b: string): number => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

describe.each([
  ['light', tokensOf('light')],
  ['dark', tokensOf('dark')],
] as const)('the %s theme', (_name, tokens) => {
  const colourOf = (name: string): string => tokens.get(name) ?? '#000000'
  const surfaces = ['surface', 'canvas', 'surface-2']
  const statuses = ['pass', 'fail', 'error', 'skip', 'xfail', 'xpass']

  it.each(['text', 'text-2', 'text-3', ...statuses])('is readable: %s on every surface', (name) => {
    for (const surface of surfaces)
      expect(contrast(colourOf(name), colourOf(surface)), surface).toBeGreaterThanOrEqual(4.5)
  })
  it.each([
    ...statuses.map((name) => [`${name}-on`, `${name}-fill`]),
    ...statuses.map((name) => [name, `${name}-soft`]),
    ['on-accent', 'accent'],
    ['accent', 'surface'],
    ['warn', 'warn-soft'],
    ['accent', 'accent-soft'],
  ])('is readable: %s on %s', (text, ground) =>
    expect(contrast(colourOf(text), colourOf(ground))).toBeGreaterThanOrEqual(4.5),
  )
  it.each(['seq', 'div'])('is readable: numbers on each step of the %s ramp', (ramp) => {
    for (let step = 0; step <= 8; step++)
      expect(
        contrast(colourOf(`${ramp}-on-${step}`), colourOf(`${ramp}-${step}`)),
        String(step),
      ).toBeGreaterThanOrEqual(4.45)
  })
  it.each(['border-ctl', 'focus'])('makes controls visible: %s', (name) =>
    expect(contrast(colourOf(name), colourOf('surface'))).toBeGreaterThanOrEqual(3),
  )
})
