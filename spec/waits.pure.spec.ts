import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Milliseconds below which a timeout can fail on a busy machine. */
const MIN_TIMEOUT_MS = 30_000

const FORBIDDEN = [
  // It gives up after one second; `expect.poll` waits as long as the configuration says.
  /vi\.waitFor\(/g,
  // A sleep.
  /setTimeout\((?:resolve|done)\b/g,
  /setTimeout as \w+/g,
] as const

const TIMEOUT = /(?:\btimeout: |AbortSignal\.timeout\()(\d[\d_]*)(?! \*)/g

it('no spec has a timeout or a sleep that fails on a busy machine', () => {
  const files = globSync('spec/**/*.ts', { cwd: ROOT }).filter((file) => file !== 'spec/waits.pure.spec.ts')
  expect(files.length).toBeGreaterThan(200)
  const problems = files.flatMap((file) => {
    const text = readFileSync(`${ROOT}${file}`, 'utf8')
    const short = FORBIDDEN.flatMap((pattern) => [...text.matchAll(pattern)].map(([words]) => `${file}: ${words}`))
    const bounds = [...text.matchAll(TIMEOUT)].filter(
      ([, bound = '']) => Number(bound.replaceAll('_', '')) < MIN_TIMEOUT_MS,
    )
    return [...short, ...bounds.map(([words]) => `${file}: ${words}`)]
  })
  expect(problems).toEqual([])
})
