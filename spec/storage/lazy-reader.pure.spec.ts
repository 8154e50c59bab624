import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../storage/errors.ts'
import { lazyReader } from '../../storage/lazy-reader.ts'
import type { Query, Reader } from '../../storage/storage.ts'

const QUERY: Query<number> = { token: null, shape: () => 7 }

/** A reader that opens or does not, as its specification says. */
const openings = (...outcomes: ReadonlyArray<'opens' | 'fails'>) => {
  const left = [...outcomes]
  let closed = 0
  const reader: Reader = {
    dialect: 'postgres',
    read: async ({ shape }) => shape([]),
    readAll: () => Promise.reject(new Error('asked')),
  }
  const open = async () => {
    if (left.shift() !== 'opens') throw new Unavailable('away')
    return { ...reader, close: () => void closed++ }
  }
  return { reader: lazyReader('postgres', open), left, closed: () => closed }
}

describe('lazyReader', () => {
  it('opens once for concurrent first reads', async () => {
    const { reader, left } = openings('opens', 'opens')
    expect(left).toHaveLength(2)
    expect(await Promise.all([reader.read(QUERY), reader.read(QUERY)])).toEqual([7, 7])
    expect(left).toHaveLength(1)
  })

  it('reports a failure to open, and tries again on the next read', async () => {
    const { reader } = openings('fails', 'fails', 'opens')
    await expect(reader.read(QUERY)).rejects.toThrow(Unavailable)
    await expect(reader.read(QUERY)).rejects.toThrow(Unavailable)
    expect(await reader.read(QUERY)).toBe(7)
  })

  it('closes an open reader, and opens nothing afterwards', async () => {
    const { reader, left, closed } = openings('opens', 'opens')
    await reader.read(QUERY)
    await reader.close()
    expect(closed()).toBe(1)
    await expect(reader.read(QUERY)).rejects.toThrow('closed')
    expect(left).toHaveLength(1)
    const unread = openings('opens')
    await unread.reader.close()
    expect(unread.left).toHaveLength(1)
  })
})
