import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BY_HAND, OF_NONE, OF_POSTGRES, OF_SQLITE } from './projects.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LISTS = { OF_POSTGRES, OF_NONE, OF_SQLITE, BY_HAND } as const
const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT }).filter((file) => file.endsWith('.spec.ts'))

describe('the lists of specifications', () => {
  it.each(Object.entries(LISTS))('name files that are there: %s', (_, list) => {
    const named = list.filter((pattern) => !pattern.includes('*'))
    expect(named.filter((file) => filesOf(file).length !== 1)).toEqual([])
  })

  it('name a file once', () => {
    const all = Object.values(LISTS).flatMap((list) => list.flatMap(filesOf))
    expect(all.filter((file, i) => all.indexOf(file) !== i)).toEqual([])
  })

  it('leave specifications for both storages', () => {
    const listed = new Set(Object.values(LISTS).flatMap((list) => list.flatMap(filesOf)))
    expect(filesOf('spec/**/*.spec.ts').filter((file) => !listed.has(file)).length).toBeGreaterThan(30)
  })
})
