import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../storage/errors.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import type { Query, Reader } from '../../storage/storage.ts'

const QUERY: Query<number> = { token: null, shape: () => 7 }

/** A reader whose attempts to open succeed or fail as given. */
const readerWith = (...outcomes: ReadonlyArray<'opens' | 'fails'>) => {
  const remaining = [...outcomes]
  let closed = 0
  const reader: Reader = {
    dialect: 'postgres',
    read: async ({ shape }) => shape([]),
    readAll: () => Promise.reject(new Error('asked')),
  }
  const open = async () => {
    if (remaining.shift() !== 'opens') throw new Unavailable('away')
    return { ...reader, close: () => void closed++ }
  }
  return { reader: lazyReader('postgres', open), remaining, closed: () => closed }
}

describe('lazyReader', () => {
  it('opens once for concurrent first reads', async () => {
    const { reader, remaining } = readerWith('opens', 'opens')
    expect(remaining).toHaveLength(2)
    expect(await Promise.all([reader.read(QUERY), reader.read(QUERY)])).toEqual([7, 7])
    expect(remaining).toHaveLength(1)
  })

  it('reports a failure to open, and tries again on the next read', async () => {
    const { reader } = readerWith('fails', 'fails', 'opens')
    await expect(reader.read(QUERY)).rejects.toThrow(Unavailable)
    await expect(reader.read(QUERY)).rejects.toThrow(Unavailable)
    expect(await reader.read(QUERY)).toBe(7)
  })

  it('closes an open reader, and opens nothing afterwards', async () => {
    const { reader, remaining, closed } = readerWith('opens', 'opens')
    await reader.read(QUERY)
    await reader.close()
    expect(closed()).toBe(1)
    await expect(reader.read(QUERY)).rejects.toThrow('closed')
    expect(remaining).toHaveLength(1)
    const unread = readerWith('opens')
    await unread.reader.close()
    expect(unread.remaining).toHaveLength(1)
  })
})
