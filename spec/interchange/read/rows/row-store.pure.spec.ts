import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openRowStore, sizeLimit } from '../../../../interchange/read/rows/row-store.ts'

// Other processes have temporary files as well.

const scratch = mkdtempSync(join(tmpdir(), 'row-store-'))
vi.stubEnv('TMPDIR', scratch)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(scratch, { recursive: true })
})

describe('openRowStore', () => {
  it('brings the rows of a cell together, in the order of the first rows', () => {
    using store = openRowStore()
    const cells = ['b', 'a', 'b', 'c', 'a']
    for (const [n, cell] of cells.entries()) store.add(n === 3 ? 'two' : 'one', cell, n, `${cell}${n}`)
    expect(store.runs()).toEqual(['one', 'two'])
    expect([...store.rowsOf('one')].map(({ body }) => body)).toEqual(['b0', 'b2', 'a1', 'a4'])
    expect([store.allOf('two'), store.stoodTogether()]).toEqual([[{ cell: 'c', number: 3, body: 'c3' }], false])
  })

  it('knows that rows stood together', () => {
    using store = openRowStore()
    for (const [n, cell] of ['a', 'a', 'b'].entries()) store.add('run', cell, n, '{}')
    expect(store.stoodTogether()).toBe(true)
  })

  it('deletes its file at the end of its use', () => {
    {
      using store = openRowStore()
      store.add('r', 'c', 1, '{}')
      expect(readdirSync(scratch)).toHaveLength(1)
    }
    expect(readdirSync(scratch)).toEqual([])
  })

  it('refuses rows that are too large together', () => {
    using store = openRowStore(100)
    for (let n = 0; n < 9; n++) store.add('r', 'c', n, 'x'.repeat(12))
    expect(() => store.allOf('r')).toThrow(/belong together are larger than 100 bytes/)
    expect(() => sizeLimit('a').add('x')).not.toThrow()
  })
})
