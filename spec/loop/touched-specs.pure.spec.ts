import { describe, expect, it } from 'vitest'
import { referencesIn, selectSpecs, touchedBy } from './touched-specs.ts'

it('referencesIn returns imports, exports, and addresses of files', () =>
  expect(
    referencesIn(
      'http/routes/runs.ts',
      `import { a } from '../a.ts'
         export * from './b.ts'
         import type { C } from
           './c.ts'
         const d = await import('./d.ts')
         const thread = new URL('../threads/e.ts', import.meta.url)
         import pg from 'pg'`,
    ),
  ).toEqual(['http/a.ts', 'http/routes/b.ts', 'http/routes/c.ts', 'http/routes/d.ts', 'http/threads/e.ts']))

it('touchedBy returns what names a changed file, directly or through others, with the shortest distance', () => {
  const references = new Map([
    ['b.ts', ['a.ts']],
    ['c.ts', ['b.ts', 'd.ts']],
    ['d.ts', ['c.ts', 'a.ts']],
    ['e.ts', ['f.ts']],
  ])
  expect(Object.fromEntries(touchedBy(['a.ts'], references))).toEqual({ 'a.ts': 0, 'b.ts': 1, 'd.ts': 1, 'c.ts': 2 })
})

describe('selectSpecs', () => {
  const CORE = 'spec/commands/run/ingest-run.pure.spec.ts'

  it('selects changed specs and the core, whatever a change touches', () =>
    expect(
      selectSpecs(
        ['spec/browser/case.sqlite.spec.ts', 'spec/storage/x.postgres.spec.ts', 'spec/http/app.spec.ts', CORE],
        new Map([
          ['spec/browser/case.sqlite.spec.ts', 0],
          ['spec/storage/x.postgres.spec.ts', 0],
          ['spec/deleted.spec.ts', 0],
          ['http/app.ts', 1],
        ]),
      ),
    ).toEqual({
      specs: ['spec/browser/case.sqlite.spec.ts', CORE],
      onPostgres: ['spec/storage/x.postgres.spec.ts'],
      left: 0,
    }))

  it('selects the nearest specs that fit the time, and counts the others', () => {
    const near = Array.from({ length: 10 }, (_, i) => `spec/http/near-${i}.spec.ts`)
    const far = Array.from({ length: 30 }, (_, i) => `spec/http/far-${i}.spec.ts`)
    const others = ['spec/browser/far.sqlite.spec.ts', 'spec/storage/near.postgres.spec.ts']
    const distances = new Map([
      ...far.map((spec) => [spec, 3] as const),
      ...near.map((spec) => [spec, 1] as const),
      ['spec/browser/far.sqlite.spec.ts', 1] as const,
      ['spec/storage/near.postgres.spec.ts', 1] as const,
    ])
    const { specs, onPostgres, left } = selectSpecs([...far, ...near, ...others], distances)
    expect(specs.slice(0, 10)).toEqual(near)
    expect(specs).toHaveLength(10)
    expect(onPostgres).toEqual([])
    expect(left).toBe(32)
  })
})
