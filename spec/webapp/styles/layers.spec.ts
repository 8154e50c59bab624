import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const layers = [...readFileSync('webapp/styles/tokens.css', 'utf8').matchAll(/--(z-[a-z]+): (\d+);/g)].map(
  ([, name = '', level]) => ({ name, level: Number(level) }),
)

it('the layers of the app have one order', () => {
  expect(layers.map(({ name }) => name)).toEqual([
    'z-sticky',
    'z-docked',
    'z-bar',
    'z-header',
    'z-drawer',
    'z-dialog',
    'z-tip',
    'z-toast',
    'z-skip',
  ])
  expect(layers.map(({ level }) => level)).toEqual(layers.map(({ level }) => level).toSorted((a, b) => a - b))
  expect(new Set(layers.map(({ level }) => level)).size).toBe(layers.length)
})

it('every element is on one of these layers, or orders only its own parts', () => {
  const files = globSync('webapp/**/*.{vue,css}').filter((file) => !file.startsWith('webapp/dist'))
  const others = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/z-index: ([^;\n]+);/g)]
      .map(([, value = '']) => value)
      .filter((value) => !/^[0-3]$/.test(value) && !layers.some(({ name }) => value === `var(--${name})`))
      .map((value) => `${file}: ${value}`),
  )
  expect(others).toEqual([])
})
