import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SAMPLES, importFiles } from '../../support/interchange/import-files.ts'

const HOSTILE: readonly unknown[] = [null, [], {}, -1, 'x', [5], [{}], true, { __proto__x: 1 }]

const sampleOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(SAMPLES, folder)).map((name) => [name, readFileSync(join(SAMPLES, folder, name), 'utf8')]),
  )

const shortened = (value: unknown, depth = 2): unknown => {
  if (depth === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, 2).map((item) => shortened(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member, depth - 1)]))
}

/** A sample whose outer lists have two elements at most, so that a run of it is quick. */
const short = (name: string, text: string): string =>
  name.endsWith('.jsonl') ? text.split('\n').slice(0, 2).join('\n') : JSON.stringify(shortened(JSON.parse(text)))

type Path = ReadonlyArray<string | number>

/** The paths of all members to a depth, through the first element of lists. */
const pathsIn = (value: unknown, depth: number, path: Path = []): readonly Path[] => {
  if (depth === 0 || typeof value !== 'object' || value === null) return [path]
  const members: ReadonlyArray<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.slice(0, 1).map((item: unknown, index) => [index, item] as const)
    : Object.entries(value)
  return [path, ...members.flatMap(([key, member]) => pathsIn(member, depth - 1, [...path, key]))]
}

const replaced = (value: unknown, [key, ...rest]: Path, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((item: unknown, at) => (at === key ? replaced(item, rest, by) : item))
  return { ...(value as object), [key]: replaced((value as Record<string, unknown>)[key], rest, by) }
}

const HELM = join('helm', readdirSync(join(SAMPLES, 'helm'))[0] ?? '')

it.each([
  ['lm-eval', 3],
  ['every-eval-ever', 4],
  [HELM, 4],
  ['swe-bench', 4],
])('a file whose members have other types is imported or refused, never an exception: %s', async (folder, depth) => {
  const files = Object.fromEntries(Object.entries(sampleOf(folder)).map(([name, text]) => [name, short(name, text)]))
  let runs = 0
  for (const [name, text] of Object.entries(files)) {
    const [first = '', ...others] = name.endsWith('.jsonl') ? text.split('\n') : [text]
    const value: unknown = JSON.parse(first)
    for (const [index, path] of pathsIn(value, depth).entries()) {
      // Each path gets one of the values, so that all of them are used.
      const by = HOSTILE[index % HOSTILE.length]
      const changed = [JSON.stringify(replaced(value, path, by)), ...others].join('\n')
      const results = await importFiles({ ...files, [name]: changed }, { createdAt: '2026-01-01T00:00:00Z' })
      for (const result of results) {
        if (result.outcome === 'refused') expect(result.reason).not.toBe('')
        else runs += 1
      }
    }
  }
  expect(runs).toBeGreaterThan(20)
})
