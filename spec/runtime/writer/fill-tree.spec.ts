import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { markCurrent } from '../../../projections/models.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { inclusionPath, isTreeComplete, rootAt } from '../../../queries/log/tree.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenOptions, OpenService } from '../../../runtime/services.ts'
import { findHead } from '../../../storage/log/head.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { onDatabase } from '../../support/stores/database.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { earlierStore } from '../../support/proof/earlier-store.ts'
import type { EarlierStore } from '../../support/proof/earlier-store.ts'
import { leafStatements, leavesTo, naiveTree } from '../../support/proof/tree.ts'

const SIZE = 1100
const leaves = leavesTo(SIZE)

let earlier: EarlierStore
beforeEach(async () => {
  earlier = await earlierStore([...leafStatements(leaves), ...markCurrent(SIZE)])
})
afterEach(() => earlier.close())

/** Opens the store. `complete` settles when the log says that the nodes are complete. */
const open = async (options: OpenOptions = {}) => {
  const complete = Promise.withResolvers<void>()
  const messages: string[] = []
  const log = (message: string): void => {
    messages.push(message)
    if (message === "the nodes of the log's tree are complete") complete.resolve()
  }
  const service = await openService({ ...earlier.location, log, ...options })
  return { service, messages, complete: complete.promise }
}

const upload = (service: OpenService, run_id: string) =>
  service.commit.ingestRun(CLI, {
    body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id }))),
    encoding: null,
  })

describe('a store of the version before nodes', () => {
  it.each([false, true])('gets its nodes while it is served (threads: %s)', async (threads) => {
    const { service, messages, complete } = await open({ threads, readers: 1 })
    await complete
    expect(messages).toContain("filling the nodes of the log's tree; there are no proofs until they are complete")
    await upload(service, 'a')
    expect(await isTreeComplete(service.reader)).toBe(true)
    const { size, root } = await service.reader.read(findHead)
    expect(size).toBeGreaterThan(SIZE)
    expect(await rootAt(service.reader, size)).toEqual(root)
    const naive = naiveTree(leaves)
    for (const [index, n] of [
      [0, 1100],
      [700, 1025],
    ] as const)
      expect(await inclusionPath(service.reader, index, n)).toEqual(naive.inclusion(index, n))
    await service.close()
  })

  it('is not filled again by the next start', async () => {
    const { service, complete } = await open()
    await complete
    await service.close()
    const { service: again, messages } = await open()
    await upload(again, 'a')
    expect(await isTreeComplete(again.reader)).toBe(true)
    await again.close()
    expect(messages).toEqual([])
  })

  it.runIf(onPostgres)('is filled by one replica at a time, while all of them commit', async () => {
    const waiting = await onDatabase(urlOf(earlier), async (other) => {
      await other.query(`SELECT pg_advisory_lock(${TREE_LOCK})`)
      // A replica that waits can be closed.
      await (await open()).service.close()
      const replica = await open()
      expect(await isTreeComplete(replica.service.reader)).toBe(false)
      await upload(replica.service, 'a')
      expect((await other.query('SELECT 1 FROM log_nodes')).rows).toEqual([])
      return replica
    })
    await waiting.complete
    expect(await isTreeComplete(waiting.service.reader)).toBe(true)
    await waiting.service.close()
  })
})

const TREE_LOCK = 0x657273_05

const urlOf = ({ store }: EarlierStore): string => {
  if (store.kind !== 'postgres') throw new Error('this spec needs a database')
  return store.url
}
