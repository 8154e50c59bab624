import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { indexBatch } from '../../../runtime/cache/indexing.ts'
import { keyDigest, findBody, findTotal, removeEntries } from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { entriesWith } from '../../../storage/cache/words.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { cacheReader } from '../../../storage/open/cache.ts'
import { any, constant, sql, statement } from '../../../storage/sql.ts'
import { freePages, giveBackPages } from '../../../storage/sqlite/compact.ts'
import { openSqliteCache } from '../../../storage/sqlite/cache.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { putAll } from '../../support/stores/cache-store.ts'
import { onFile } from '../../support/stores/store.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ers-cache-'))
  file = join(dir, 'cache.db')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const setAside: string[] = []
const open = () => {
  setAside.length = 0
  return openSqliteCache(file, { checkRows: true, onSetAside: ({ to }) => setAside.push(to) })
}
/** Overwrites a page of bodies that is neither the first nor the last. */
const damageOneLeaf = (path: string): void => {
  const page = onFile(
    path,
    (database) =>
      database
        .prepare(
          "SELECT pageno FROM dbstat WHERE name = 'cache_bodies' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 3",
        )
        .pluck()
        .get() as number,
  )
  const handle = openSync(path, 'r+')
  writeSync(handle, Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096)
  closeSync(handle)
}
const fill = async (): Promise<void> => {
  const store = open()
  await putAll(store, { a: aBody(), b: aBody() })
  await store.close()
}

describe('the file of a cache', () => {
  it('keeps its entries across a restart, in one file', async () => {
    await fill()
    expect(existsSync(`${file}-wal`)).toBe(false)
    const store = open()
    expect(await store.read(findBody(keyDigest(cacheKeyOf('a'))))).toEqual(aBody())
    expect(setAside).toEqual([])
    await store.close()
  })

  const DAMAGE: ReadonlyArray<readonly [what: string, damage: (file: string) => void]> = [
    ['is no database', (path) => writeFileSync(path, 'not a database, but long enough to be read as one'.repeat(100))],
    ['was truncated', (path) => truncateSync(path, Math.floor(statSync(path).size / 3))],
    [
      'has lost its schema',
      (path) => {
        const handle = openSync(path, 'r+')
        writeSync(handle, Buffer.alloc(3000, 7), 0, 3000, 100)
        closeSync(handle)
      },
    ],
    [
      'was written by a newer build',
      (path) =>
        onFile(path, (database) => database.exec("INSERT INTO migrations VALUES (999, '0999-later.sql', '', 0)")),
    ],
    ['lacks a table', (path) => onFile(path, (database) => database.exec('DROP TABLE cache_bodies'))],
  ]
  it.each(DAMAGE)('is set aside if it %s, and an empty one is created', async (_, damage) => {
    await fill()
    damage(file)
    const damagedBytes = readFileSync(file)
    const store = open()
    expect(setAside).toEqual([`${file}.damaged`])
    expect(readFileSync(`${file}.damaged`).equals(damagedBytes)).toBe(true)
    expect(await store.read(findTotal('entries'))).toBe(0)
    expect(await putAll(store, { a: aBody() })).toEqual([true])
    await store.close()
  })

  it('gives the space of removed entries back while it is open', async () => {
    const store = open()
    await putAll(store, { a: aBody({ output: 'x'.repeat(300_000) }), b: aBody() })
    await store.change(removeEntries([keyDigest(cacheKeyOf('a'))]))
    const before = freePages(file)
    expect(before).toMatchObject({ canGiveBack: true })
    expect(before.free).toBeGreaterThan(200_000)
    const after = await giveBackPages(file, { isOver: () => false, signal: new AbortController().signal })
    expect(after.free).toBe(0)
    expect(after.bytes).toBeLessThanOrEqual(before.bytes - before.free)
    expect(await store.read(findBody(keyDigest(cacheKeyOf('b'))))).toEqual(aBody())
    await store.close()
  })

  it('is set aside at the next start after any connection found damage in it', async () => {
    const bodies = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`${i}`, aBody({ output: `${i}`.repeat(500) })]),
    )
    for (const read of [
      (store: ReturnType<typeof open>) =>
        Promise.all(Object.keys(bodies).map((name) => store.read(findBody(keyDigest(cacheKeyOf(name)))))),
      async () => {
        const reader = cacheReader({ kind: 'sqlite', file })
        try {
          await Promise.all(Object.keys(bodies).map((name) => reader.read(findBody(keyDigest(cacheKeyOf(name))))))
        } finally {
          await reader.close()
        }
      },
      (store: ReturnType<typeof open>) =>
        store.change(removeEntries(Object.keys(bodies).map((name) => keyDigest(cacheKeyOf(name))))),
    ]) {
      const store = open()
      await putAll(store, bodies)
      await store.close()
      damageOneLeaf(file)

      const damaged = open()
      expect(setAside).toEqual([])
      await expect(read(damaged)).rejects.toBeInstanceOf(Unavailable)
      await damaged.close()
      const replacement = open()
      expect(setAside).toEqual([`${file}.damaged`])
      expect(await replacement.read(findTotal('entries'))).toBe(0)
      await replacement.close()
      await open().close()
      expect(setAside).toEqual([])
    }
  })

  it('replaces the file that was set aside before', async () => {
    for (const text of ['first', 'second']) {
      writeFileSync(file, text.repeat(1000))
      await open().close()
      copyFileSync(`${file}.damaged`, join(dir, 'seen'))
      rmSync(file)
      expect(readFileSync(join(dir, 'seen'), 'utf8').startsWith(text)).toBe(true)
    }
  })
})

it('a change is atomic', async () => {
  const store = open()
  const failing = store.change({
    facts: { one: constant(1) },
    decide: ({ one }) => ({
      statements: [
        statement`UPDATE cache_totals SET value = ${one} WHERE name = 'hits'`,
        statement`INSERT INTO cache_totals (name, value) VALUES ('hits', 1)`,
      ],
      result: null,
    }),
  })
  await expect(failing).rejects.toThrow('UNIQUE')
  expect(await store.read(findTotal('hits'))).toBe(0)
  await store.close()
})

describe('the words of new entries', () => {
  const Row = z.object({ entry_no: z.number() })
  const countWith = async (store: CacheStore, word: string): Promise<number> =>
    (await store.read(any(sql.type(Row)`${entriesWith('sqlite', [word])}`))).length
  /** Copies the files as they are after a crash. Returns the path of the copy. */
  const copyAsCrashed = (): string => {
    const copy = mkdtempSync(join(dir, 'crashed-'))
    for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, join(copy, `cache.db${suffix}`))
    return join(copy, 'cache.db')
  }

  it('are found with the entry', async () => {
    const store = open()
    await putAll(store, { a: aBody({ output: 'apple' }) })
    expect(await countWith(store, 'apple')).toBe(1)
    await store.close()
  })

  it('that an earlier version did not write before a crash are read again', async () => {
    const store = open()
    await putAll(store, { a: aBody({ output: 'apple' }), b: aBody({ output: 'apple' }) }, { rules: 2 })
    await store.close()
    onFile(file, (database) =>
      database.exec(
        "DELETE FROM cache_search WHERE rowid = 2; UPDATE cache_totals SET value = 1 WHERE name = 'worded'",
      ),
    )
    const reopened = open()
    expect(await countWith(reopened, 'apple')).toBe(1)
    expect(await indexBatch(reopened, 2)).toBe(1)
    expect(await countWith(reopened, 'apple')).toBe(2)
    await reopened.close()
  })

  it('are indexed after a crash, and removed entries stay removed', async () => {
    const action = fc.oneof(
      fc.record({ put: fc.integer({ min: 0, max: 7 }), indexed: fc.boolean() }),
      fc.record({ remove: fc.integer({ min: 0, max: 7 }) }),
      fc.constant('crash' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        rmSync(file, { force: true })
        const expected = new Map<number, string>()
        let store = open()
        let words = 0
        for (const step of [...actions, 'crash' as const]) {
          if (step === 'crash') {
            const copy = copyAsCrashed()
            await store.close()
            copyFileSync(copy, file)
            copyFileSync(`${copy}-wal`, `${file}-wal`)
            store = open()
            await indexBatch(store, 2)
            for (let word = 0; word < words; word++)
              expect(await countWith(store, `word${word}`)).toBe([...expected.values()].includes(`word${word}`) ? 1 : 0)
            expect(await store.read(findTotal('unindexed'))).toBe(0)
          } else if ('remove' in step) {
            await store.change(removeEntries([keyDigest(cacheKeyOf(String(step.remove)))]))
            expected.delete(step.remove)
          } else if (!expected.has(step.put)) {
            await putAll(
              store,
              { [step.put]: aBody({ output: `word${words}`, kind: 'judge' }) },
              { rules: 2, indexed: step.indexed },
            )
            expected.set(step.put, `word${words++}`)
          }
        }
        await store.close()
      }),
      { numRuns: 40 },
    )
  })
})
