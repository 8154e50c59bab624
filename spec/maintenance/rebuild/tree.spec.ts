import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fillTree, rebuildTree } from '../../../maintenance/rebuild/tree.ts'
import { isTreeComplete, rootAt } from '../../../queries/log/tree.ts'
import { event } from '../../../storage/log/event.ts'
import { leafStatements, leavesTo, nodeComparison, onTree } from '../../support/proof/tree.ts'
import { openStorage } from '../../support/stores/open-storage.ts'
import { aCommand } from '../../support/stores/store.ts'

/** Records in the store before the first commit of this version: shortly before the first node of level 2. */
const EARLIER = 65_536 - 20
afterAll(() => storage.close())

const record = async (count: number): Promise<void> => {
  const [outcome] = await storage.commitAll(
    aCommand(Array.from({ length: count }, (_, n) => event('service/i', 'Started', { n }))),
  )
  if (!outcome?.ok) throw outcome?.error
}

/** Puts the store back into the state that a version without nodes left. */
const forgetNodes = () =>
  storage.sql.execute(`DELETE FROM log_nodes; UPDATE projections SET position = 0 WHERE name = 'tree'`)

/** A reader that has not yet found the tree complete. */
const isComplete = () => isTreeComplete({ read: storage.reader.read })

const expectAllNodes = async () => {
  const { expected, stored } = await compare()
  expect(stored).toEqual(expected)
  const { size, root } = await storage.head()
  expect(await rootAt({ read: storage.reader.read }, size)).toEqual(root)
}
const storage = await openStorage({ before: leafStatements(leavesTo(EARLIER)) })
const compare = nodeComparison(storage)

describe('the nodes of a log', () => {
  it('are not complete because a commit has written the node above them', async () => {
    await forgetNodes()
    const { size } = await storage.head()
    await record(65_536 - size)
    expect(await storage.sql.rows('SELECT level, n FROM log_nodes ORDER BY level')).toEqual([
      { level: 1, n: 255 },
      { level: 2, n: 0 },
    ])
    expect(await isComplete()).toBe(false)
  })

  it('are complete after a fill that was killed in any batch, with commits in between', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
        fc.constantFrom(16, 31, 64, 256),
        fc.integer({ min: 1, max: 40 }),
        async (kills, tiles, records) => {
          await forgetNodes()
          expect(await isComplete()).toBe(false)
          const batch = 256 * tiles
          for (const kill of kills) {
            let left = kill
            const observe = (): void => {
              if (left-- === 0) throw new Error('killed')
            }
            await onTree(storage, (store) => fillTree(store, { batch, observe })).catch(() => {})
            await record(records)
          }
          await onTree(storage, (store) => fillTree(store, { batch }))
          expect(await isComplete()).toBe(true)
          await expectAllNodes()
        },
      ),
      { numRuns: 6 },
    ))

  it('are written by each commit that completes one', async () => {
    await onTree(storage, fillTree)
    const { size } = await storage.head()
    for (const records of [255 - (size % 256), 1, 1, 257]) {
      await record(records)
      await expectAllNodes()
    }
    expect(await isComplete()).toBe(true)
  })

  it('resume where the last fill ended', async () => {
    await forgetNodes()
    const { size } = await storage.head()
    const stop = new AbortController()
    const reached: number[] = []
    await onTree(storage, (store) =>
      fillTree(store, {
        batch: 256,
        signal: stop.signal,
        progress: ({ position }) => {
          reached.push(position)
          if (position === 512) stop.abort()
        },
      }),
    )
    expect(reached).toEqual([256, 512])
    expect(await isComplete()).toBe(false)
    await onTree(storage, (store) => fillTree(store, { progress: ({ position }) => void reached.push(position) }))
    const tiles = size - (size % 256)
    expect(reached).toEqual([256, 512, ...(tiles > 512 + 65_536 ? [512 + 65_536] : []), tiles])
    await expectAllNodes()
  })

  it('are not complete while they give another root than the log has', async () => {
    const { size } = await storage.head()
    const last = Math.floor(size / 256) - 1
    await storage.sql.execute(
      `UPDATE log_nodes SET hash = (SELECT leaf FROM events WHERE seq = 1) WHERE level = 1 AND n = ${last}`,
    )
    expect(await isComplete()).toBe(false)
  })

  it('are computed again by a rebuild: altered, missing and foreign ones', async () => {
    await storage.sql.execute(`
      UPDATE log_nodes SET hash = (SELECT leaf FROM events WHERE seq = 1) WHERE level = 1 AND n = 3;
      DELETE FROM log_nodes WHERE level = 2;
      INSERT INTO log_nodes SELECT 1, 5000, hash FROM log_nodes WHERE level = 1 AND n = 1;
      INSERT INTO log_nodes SELECT 3, 0, hash FROM log_nodes WHERE level = 1 AND n = 1;
      INSERT INTO log_nodes SELECT 0, 0, hash FROM log_nodes WHERE level = 1 AND n = 1;
      INSERT INTO log_nodes SELECT 1, -1, hash FROM log_nodes WHERE level = 1 AND n = 1`)
    await onTree(storage, rebuildTree)
    await expectAllNodes()
    expect(await isComplete()).toBe(true)
  })

  it('are not computed from a log that lacks a record', async () => {
    const short = await openStorage({ before: leafStatements(leavesTo(600)) })
    await short.sql.execute('UPDATE log_head SET size = 900 WHERE one = 1')
    await expect(onTree(short, fillTree)).rejects.toThrow(
      'records 1 to 768 of the log are not complete: run "ers verify"',
    )
    await short.close()
  })
})
