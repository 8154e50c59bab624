import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillTree } from '../../../maintenance/rebuild/tree.ts'
import {
  consistencyPath,
  inclusionPath,
  isTreeComplete,
  readHashes,
  readTile,
  rootAt,
} from '../../../queries/log/tree.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { leafStatements, leavesTo, naiveTree, onTree } from '../../support/proof/tree.ts'

const SIZE = 70_000

/** The sizes at which tiles and levels end. */
const EDGES = [1, 2, 3, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 65_792, SIZE - 1, SIZE]
const size = fc.oneof(fc.integer({ min: 1, max: SIZE }), fc.constantFrom(...EDGES))
const twoSizes = fc.tuple(size, size).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)

describe('the stored tree of the log', () => {
  const leaves = leavesTo(SIZE)
  const naive = naiveTree(leaves)
  let storage: SpecStorage
  beforeAll(async () => {
    storage = await openStorage({ before: leafStatements(leaves) })
    await onTree(storage, fillTree)
  })
  afterAll(() => storage.close())

  it('has the nodes of 70,000 leaves: 273 and one', async () => {
    expect(
      await storage.sql.rows(
        'SELECT level, count(*) AS nodes, max(n) AS last FROM log_nodes GROUP BY level ORDER BY level',
      ),
    ).toEqual([
      { level: 1, nodes: 273, last: 272 },
      { level: 2, nodes: 1, last: 0 },
    ])
    expect(await isTreeComplete(storage.reader)).toBe(true)
  })

  it('gives the roots of the definition', () =>
    fc.assert(
      fc.asyncProperty(size, async (n) => {
        expect(await rootAt(storage.reader, n)).toEqual(naive.rootAt(n))
      }),
    ))

  it('gives the root of the empty tree', async () => expect(await rootAt(storage.reader, 0)).toEqual(naive.rootAt(0)))

  it('gives the inclusion paths of the definition', () =>
    fc.assert(
      fc.asyncProperty(twoSizes, async ([index, n]) => {
        expect(await inclusionPath(storage.reader, index - 1, n)).toEqual(naive.inclusion(index - 1, n))
      }),
    ))

  it('gives the consistency proofs of the definition', () =>
    fc.assert(
      fc.asyncProperty(twoSizes, async ([from, to]) => {
        expect(await consistencyPath(storage.reader, from, to)).toEqual(naive.consistency(from, to))
      }),
    ))

  it('proves nothing outside of the tree', async () => {
    const { reader } = storage
    for (const [index, n] of [
      [-1, 5],
      [5, 5],
      [0, 0],
    ] as const)
      expect(() => inclusionPath(reader, index, n)).toThrow(RangeError)
    for (const [from, to] of [
      [0, 5],
      [6, 5],
      [-1, 5],
    ] as const)
      expect(() => consistencyPath(reader, from, to)).toThrow(RangeError)
    await expect(rootAt(reader, SIZE + 1)).rejects.toThrow('run "ers verify"')
    await expect(inclusionPath(reader, 1, SIZE + 1)).rejects.toThrow('run "ers verify"')
  })

  it('serves tiles of the widths that the log has', async () => {
    const { reader } = storage
    expect(await readTile(reader, 0, 0, 256)).toEqual(Buffer.concat(leaves.slice(0, 256)))
    expect(await readTile(reader, 0, 273, 112)).toEqual(Buffer.concat(leaves.slice(69_888)))
    expect(await readTile(reader, 0, 273, 113)).toBeNull()
    expect(await readTile(reader, 1, 1, 17)).toHaveLength(17 * 32)
    expect(await readTile(reader, 1, 1, 18)).toBeNull()
    expect(await readTile(reader, 2, 0, 1)).toEqual(naive.rootAt(65_536))
    expect(await readTile(reader, 2, 0, 2)).toBeNull()
    expect(await readTile(reader, 3, 0, 1)).toBeNull()
    expect(await readHashes(reader, 1, 270, 10)).toHaveLength(3)
    expect(await readHashes(reader, 1, 300, 10)).toEqual([])
  })

  it('reports a node that is missing between others', async () => {
    await storage.sql.execute('CREATE TABLE kept AS SELECT * FROM log_nodes WHERE level = 1 AND n = 7')
    await storage.sql.execute('DELETE FROM log_nodes WHERE level = 1 AND n = 7')
    await expect(readHashes(storage.reader, 1, 0, 20)).rejects.toThrow('no hash 7 of level 1')
    await storage.sql.execute('INSERT INTO log_nodes SELECT * FROM kept')
  })
})
