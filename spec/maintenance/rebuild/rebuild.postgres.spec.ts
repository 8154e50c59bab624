import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenService } from '../../../runtime/services.ts'
import { rebuildDatabase } from '../../../maintenance/rebuild/postgres.ts'
import type { DatabaseRebuildStep } from '../../../maintenance/rebuild/postgres.ts'
import { listReadModels, outdatedModels } from '../../../projections/models.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import { onDatabase, queryArrays, openServiceOn, schemaOf, tablesOf } from '../../support/stores/database.ts'
import { aCase, aDocument, theExample } from '../../support/documents/documents.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { steppingClock } from '../../support/stores/store.ts'

const STEPS: readonly DatabaseRebuildStep[] = [
  'started',
  'replayed',
  'replayed',
  'replayed',
  'indexed',
  'replayed',
  'replayed',
  'swap',
  'locked',
  'dropped',
  'moved',
  'swapped',
]
const batch = { records: 3, bytes: 1e9 }
const damage = "DELETE FROM cases; UPDATE runs SET note = 'wrong'; DELETE FROM search; DELETE FROM sets"

/** More words than one tsvector can place, one of several lexemes, and one that sorts after the tokens of a run. */
const MANY_WORDS = `${'a b c '.repeat(400)} ${'語'.repeat(1_001)} \u{20000}`

let database: FreshDatabase
let service: OpenService
let url: string

beforeEach(async () => {
  database = await freshDatabase()
  url = database.ownerUrl
  service = await openServiceOn(database.appUrl, { now: steppingClock() })
  for (const run_id of ['a', 'b', 'c']) await ingest(run_id)
  await ingestDocument(aDocument({ run_id: 'd', cases: [aCase({ output: MANY_WORDS })] }))
  await ingestDocument(theExample())
  await service.commit.pinBaseline(CLI, { project: 'chat', suite: 'smoke', run_id: 'a' })
  await service.commit.deleteRun(CLI, { run_id: 'c' })
})
afterEach(async () => {
  await service.close()
  await database.close()
})

const ingestDocument = (document: unknown) =>
  service.commit.ingestRun(CLI, { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })
const ingest = (run_id: string) => ingestDocument(aDocument({ run_id }))
const remove = (run_id: string) => service.commit.deleteRun(CLI, { run_id })
const erase = (run_id: string) =>
  service.commit.eraseRecords(CLI, {
    erasure_id: `of ${run_id}`,
    reference: 'case-1',
    target: { run_id },
    dry_run: false,
    after: 0,
  })
const rebuild = (options: Parameters<typeof rebuildDatabase>[1] = {}) =>
  withSession(url, (session) => rebuildDatabase(session, { batch, ...options }))
const tables = () => tablesOf(database.superUrl)
const shape = () => schemaOf(database.superUrl)

/** Rebuilds up to the n-th step (from 0) and fails there. */
const failAt = async (n: number): Promise<void> => {
  let at = 0
  const observe = (): void => {
    if (at++ === n) throw new Error('interrupted')
  }
  await expect(rebuild({ observe })).rejects.toThrow('interrupted')
}

describe('a rebuild in a database', () => {
  it('performs these steps, and gives the same tables, keys, indexes and rights', async () => {
    const [before, was] = [await tables(), await shape()]
    await onDatabase(url, (client) => client.query(damage))
    const seen: DatabaseRebuildStep[] = []
    expect(await rebuild({ observe: (step) => void seen.push(step) })).toBe(7)
    expect(seen).toEqual(STEPS)
    expect(await tables()).toEqual(before)
    expect(await shape()).toEqual(was)
    expect(await queryArrays(url, 'SELECT * FROM rebuilds')).toEqual([])
  })

  it('interrupted at any step keeps the tables; the next rebuild finishes', async () => {
    const [before, was] = [await tables(), await shape()]
    for (const [n, step] of STEPS.entries()) {
      await onDatabase(url, (client) => client.query(damage))
      const damaged = await tables()
      await failAt(n)
      expect(await tables(), `${n} ${step}`).toEqual(damaged)
      expect(await rebuild(), `${n} ${step}`).toBe(7)
      expect(await tables(), `${n} ${step}`).toEqual(before)
      expect(await shape(), `${n} ${step}`).toEqual(was)
    }
  })

  it('resumes after an interruption', async () => {
    await failAt(3)
    const positions: number[] = []
    await rebuild({ progress: ({ position }) => void positions.push(position) })
    expect(positions).toEqual([7, 7])
  })

  it('includes concurrent commits, also deletions of built and unbuilt rows', async () => {
    let at = 0
    const observe = async (step: DatabaseRebuildStep): Promise<void> => {
      // The second batch already has its snapshot, which lacks the following commits.
      if (step === 'replayed' && at++ === 1) {
        await remove('a')
        await ingest('e')
        await ingest('a')
      }
      if (step === 'indexed') {
        await remove('e')
        await remove('b')
        await ingest('f')
      }
    }
    const position = await rebuild({ observe })
    expect(position).toBe(7 + 4 + 3)
    const rebuilt = await tables()
    await ingest('g')
    await rebuild()
    await remove('g')
    expect((await tables())['runs']).toEqual(rebuilt['runs'])
    expect((await queryArrays(url, 'SELECT id FROM runs ORDER BY id')).flat()).toEqual(
      ['a', 'd', 'f', theExample().run_id].toSorted(),
    )
  })

  it('starts over after an erasure, which may have erased what was built', async () => {
    const erasing: Array<Promise<unknown>> = []
    let [built, indexed] = [0, 0]
    const observe = (step: DatabaseRebuildStep): Promise<unknown> | undefined => {
      if (step === 'indexed' && indexed++ === 0) return erase('b')
      // This one waits until the batch is committed.
      if (step === 'replayed' && built++ === 1) erasing.push(erase('a'))
      return undefined
    }
    await rebuild({ observe: async (step) => void (await observe(step)) })
    await Promise.all(erasing)
    expect(indexed).toBeGreaterThan(1)
    expect((await queryArrays(url, 'SELECT id FROM runs ORDER BY id')).flat()).toEqual(
      ['d', theExample().run_id].toSorted(),
    )
    const live = await tables()
    await rebuild()
    expect(await tables()).toEqual(live)
  })

  it('skips a document that is deleted before its turn', async () => {
    const observe = async (step: DatabaseRebuildStep): Promise<void> => {
      if (step === 'started') await remove('d')
    }
    await rebuild({ observe })
    expect((await queryArrays(url, "SELECT count(*) FROM runs WHERE id = 'd'")).flat()).toEqual(['0'])
  })

  it.each([
    ['is of other versions or tables', "UPDATE rebuilds SET plan = 'another'"],
    ['is of another log', "UPDATE rebuilds SET leaf = '\\x00'"],
    ['is beyond the end of the log', 'UPDATE rebuilds SET position = 900'],
    ['lacks a table', 'DROP TABLE ers_fresh_public.sets'],
    ['is for tables of another shape', 'ALTER TABLE baselines ADD COLUMN more text'],
  ])('starts over if the unfinished one %s', async (_, change) => {
    await failAt(3)
    await onDatabase(url, (client) => client.query(change))
    const before = await tables()
    const positions: number[] = []
    await rebuild({ progress: ({ position }) => void positions.push(position) })
    expect(positions).toEqual([3, 6, 7, 7])
    expect(await tables()).toEqual(before)
  })

  it('waits for a concurrent rebuild, then has nothing to do', async () => {
    await onDatabase(url, (client) => client.query("UPDATE projections SET version = 0 WHERE name = 'sets'"))
    const isNeeded = () => withSession(url, async ({ read }) => outdatedModels(await read(listReadModels)).length > 0)
    const positions = await Promise.all([rebuild({ isNeeded }), rebuild({ isNeeded }), rebuild({ isNeeded })])
    expect(positions.toSorted()).toEqual([7, null, null])
  })

  it('retries the swap while readers block it', async () => {
    const before = await tables()
    await onDatabase(url, async (reader) => {
      await reader.query('BEGIN; SELECT count(*) FROM sets')
      let caughtUp = 0
      const done = rebuild({
        progress: () => {
          // Called once before the indexes, and once before each attempt of the swap.
          if (++caughtUp === 5) void reader.query('COMMIT')
        },
      })
      await ingest('late')
      expect(await done).toBe(8)
    })
    expect((await tables())['baselines']).toEqual(before['baselines'])
  })

  it('lets a running replica serve: it reads and writes the new tables', async () => {
    await rebuild()
    await ingest('after')
    await remove('a')
    const inline = await tables()
    await rebuild()
    expect(await tables()).toEqual(inline)
  })

  it('rejects a role that does not own the tables or may not create a schema', async () => {
    await expect(withSession(database.appUrl, (session) => rebuildDatabase(session))).rejects.toThrow(
      'the read tables belong to another role than ers_app: let that role run "ers rebuild"',
    )
    await onDatabase(database.superUrl, (client) =>
      client.query(`ALTER DATABASE ${database.name} OWNER TO postgres; GRANT ALL ON SCHEMA public TO ers_owner`),
    )
    await expect(rebuild()).rejects.toThrow(`GRANT CREATE ON DATABASE "${database.name}" TO "ers_owner"`)
    await onDatabase(database.superUrl, (client) =>
      client.query('CREATE SCHEMA ers_fresh_public; GRANT ALL ON SCHEMA ers_fresh_public TO ers_owner'),
    )
    expect(await rebuild()).toBe(7)
  })
})

describe('a start on read tables of another version', () => {
  const outdate = () =>
    onDatabase(url, (client) =>
      client.query(
        "UPDATE runs SET note = 'wrong'; DELETE FROM sets; UPDATE projections SET version = 0 WHERE name = 'sets'",
      ),
    )

  it('rebuilds the tables as their owner and records this, once for ten concurrent starts', async () => {
    const before = await tables()
    await outdate()
    const started = await Promise.all(Array.from({ length: 10 }, () => openServiceOn(url)))
    await Promise.all(started.map((each) => each.close()))
    expect(await tables()).toEqual(before)
    const recorded = await queryArrays(url, "SELECT count(*) FROM events WHERE type = 'ProjectionRebuilt'")
    // The sets are built together with the runs that they count.
    expect(recorded).toEqual([['2']])
  })

  it('is rejected for the serving role, and the error says what to do', async () => {
    await outdate()
    await expect(openServiceOn(database.appUrl)).rejects.toThrow('let that role run "ers rebuild"')
  })

  it('is rejected if a newer build wrote them, or unknown read models exist', async () => {
    await onDatabase(url, (client) => client.query("UPDATE projections SET version = 900 WHERE name = 'sets'"))
    await expect(openServiceOn(url)).rejects.toThrow('the read tables of sets were written by a newer build')
    await onDatabase(url, (client) =>
      client.query(
        "UPDATE projections SET version = 1 WHERE name = 'sets'; INSERT INTO projections VALUES ('trends', 1, 0)",
      ),
    )
    await expect(openServiceOn(url)).rejects.toThrow('the read tables of trends were written by a newer build')
  })

  it('rejects the writes of a build that writes other nodes, or none', async () => {
    await onDatabase(url, (client) => client.query("UPDATE projections SET version = 2 WHERE name = 'tree'"))
    await expect(ingest('late')).rejects.toThrow(
      'the read model tree is of version 2 in the database, and this build writes version 1',
    )
    await expect(openServiceOn(url)).rejects.toThrow('the read tables of tree were written by a newer build')
  })

  it('rejects the writes of a replica of an older build', async () => {
    await onDatabase(url, (client) => client.query("UPDATE projections SET version = 900 WHERE name = 'sets'"))
    await expect(ingest('late')).rejects.toMatchObject({ name: 'Superseded' })
    expect(await queryArrays(url, 'SELECT max(seq) FROM events')).toEqual([['7']])
  })
})
