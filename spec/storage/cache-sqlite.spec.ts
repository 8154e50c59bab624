import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestOf, findBody, findTotal } from '../../storage/cache-entries.ts'
import { openSqliteCache } from '../../storage/cache-sqlite.ts'
import { known, statement } from '../../storage/sql.ts'
import { aBody, cacheKeyOf } from '../support/cache-bodies.ts'
import { putAll } from '../support/cache-store.ts'
import { onFile } from '../support/store.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ers-cache-'))
  file = join(dir, 'cache.db')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const told: string[] = []
const open = () => {
  told.length = 0
  return openSqliteCache(file, { checkRows: true, onSetAside: ({ to }) => told.push(to) })
}
const fill = async (): Promise<void> => {
  const store = open()
  await putAll(store, { a: aBody(), b: aBody() })
  await store.close()
}

describe('the file of a cache', () => {
  it('keeps its entries over a restart, in one file', async () => {
    await fill()
    expect(existsSync(`${file}-wal`)).toBe(false)
    const store = open()
    expect(await store.read(findBody(digestOf(cacheKeyOf('a'))))).toEqual(aBody())
    expect(told).toEqual([])
    await store.close()
  })

  const DAMAGE: ReadonlyArray<readonly [what: string, damage: (file: string) => void]> = [
    ['is no database', (path) => writeFileSync(path, 'no database at all, but long enough to be looked at as one'.repeat(100))],
    ['was cut off', (path) => truncateSync(path, Math.floor(statSync(path).size / 3))],
    ['has no schema any more', (path) => {
      const handle = openSync(path, 'r+')
      writeSync(handle, Buffer.alloc(3000, 7), 0, 3000, 100)
      closeSync(handle)
    }],
    ['was written by a newer build', (path) => onFile(path, (database) => database.exec("INSERT INTO migrations VALUES (999, '0999-later.sql', '', 0)"))],
    ['lacks a table', (path) => onFile(path, (database) => database.exec('DROP TABLE cache_bodies'))],
  ]
  it.each(DAMAGE)('is set aside where it %s, and a fresh one begun', async (_, damage) => {
    await fill()
    damage(file)
    const before = readFileSync(file)
    const store = open()
    expect(told).toEqual([`${file}.damaged`])
    expect(readFileSync(`${file}.damaged`).equals(before)).toBe(true)
    expect(await store.read(findTotal('entries'))).toBe(0)
    expect(await putAll(store, { a: aBody() })).toEqual([true])
    await store.close()
  })

  it('that was set aside before makes room for the next', async () => {
    for (const text of ['first', 'second']) {
      writeFileSync(file, text.repeat(1000))
      await open().close()
      copyFileSync(`${file}.damaged`, join(dir, 'seen'))
      rmSync(file)
      expect(readFileSync(join(dir, 'seen'), 'utf8').startsWith(text)).toBe(true)
    }
  })
})

describe('a change', () => {
  it('is made as a whole or not at all', async () => {
    const store = open()
    const failing = store.change({
      facts: { one: known(1) },
      decide: ({ one }) => ({ statements: [statement`UPDATE cache_totals SET value = ${one} WHERE name = 'hits'`, statement`INSERT INTO cache_totals (name, value) VALUES ('hits', 1)`], result: null }),
    })
    await expect(failing).rejects.toThrow('UNIQUE')
    expect(await store.read(findTotal('hits'))).toBe(0)
    await store.close()
  })
})
