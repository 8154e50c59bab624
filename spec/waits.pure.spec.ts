import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Below this many milliseconds a bound fails on a busy machine. */
const LEAST = 30_000

const SHORT = [
  // It gives up after one second; `expect.poll` waits as long as the configuration says.
  /vi\.waitFor\(/g,
  // A sleep.
  /setTimeout\((?:resolve|done)\b/g,
  /setTimeout as \w+/g,
] as const

const BOUND = /(?:\btimeout: |AbortSignal\.timeout\()(\d[\d_]*)(?! \*)/g

it('no specification has a bound that a busy machine breaks', () => {
  const files = globSync('spec/**/*.ts', { cwd: ROOT }).filter((file) => file !== 'spec/waits.spec.ts')
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) => {
    const text = readFileSync(`${ROOT}${file}`, 'utf8')
    const short = SHORT.flatMap((pattern) => [...text.matchAll(pattern)].map(([words]) => `${file}: ${words}`))
    const bounds = [...text.matchAll(BOUND)].filter(([, bound = '']) => Number(bound.replaceAll('_', '')) < LEAST)
    return [...short, ...bounds.map(([words]) => `${file}: ${words}`)]
  })
  expect(found).toEqual([])
})
