import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { copyStore, type CopySource, type CopyStep, type CopyTarget } from '../../../maintenance/copy/copy-store.ts'
import { intoDatabase, intoDirectory } from '../../../maintenance/copy/sides.ts'
import { openService } from '../../../runtime/open-service.ts'
import { isTreeComplete } from '../../../queries/log/tree.ts'
import { leafStatements, leavesTo, nodeComparison } from '../../support/proof/tree.ts'
import { databaseStore } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { sqlOnDatabase, sqlOnFile } from '../../support/stores/plain-sql.ts'
import { freshFolder } from '../../support/stores/store.ts'

const LEAVES = leavesTo(700)
const now = (): number => 0

let storage: SpecStorage
let source: CopySource
beforeEach(async () => {
  storage = await openStorage({ before: leafStatements(LEAVES) })
  source = { read: storage.read }
})
afterEach(() => storage.close())

/** An empty store of the kind of this run, as the target of a copy. */
const openTarget = async () => {
  if (onPostgres) {
    const database = await freshDatabase({ template: false })
    return {
      into: (work: (target: CopyTarget) => Promise<void>) => intoDatabase(database.ownerUrl, now, work),
      location: { database: databaseStore(database.ownerUrl) },
      sql: sqlOnDatabase(database.superUrl),
      remove: database.close,
    }
  }
  const { dir, remove } = freshFolder()
  return {
    into: (work: (target: CopyTarget) => Promise<void>) => intoDirectory(dir, now, source, work),
    location: { dataDir: dir },
    sql: sqlOnFile(join(dir, 'service.db')),
    remove,
  }
}

it('the nodes of a copied log are computed from the copied leaves, also after an interruption', async () => {
  const { into, location, sql, remove } = await openTarget()
  const copy = (observe: (step: CopyStep) => void) =>
    into(async (target) => {
      const { size } = await copyStore(source, target, { observe, records: 300 })
      expect(size).toBe(LEAVES.length)
    })
  await expect(
    copy((step) => {
      if (step === 'nodes') throw new Error('interrupted')
    }),
  ).rejects.toThrow('interrupted')
  await copy(() => {})
  const { expected, stored } = await nodeComparison({ sql })()
  expect(stored).toHaveLength(2)
  expect(stored).toEqual(expected)

  const messages: string[] = []
  const service = await openService({ ...location, log: (message) => messages.push(message) })
  expect(await isTreeComplete(service.reader)).toBe(true)
  await service.close()
  expect(messages).toEqual([])
  await sql.close()
  await remove()
})
