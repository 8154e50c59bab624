import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandArguments, CommandName } from '../../../commands/commit.ts'
import { projections } from '../../../projections/index.ts'
import { listReadModels } from '../../../projections/models.ts'
import { modelState } from '../../../storage/missing-tables.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { readJudgedRun } from '../../../queries/runs/run-detail.ts'
import { openBatchReader } from '../../../runtime/writer/batch-reader.ts'
import type { BatchReader } from '../../../runtime/writer/build-models.ts'
import { openWriter } from '../../../runtime/writer/open-writer.ts'
import type { Writer } from '../../../runtime/writer/writer.ts'
import { BeingBuilt } from '../../../storage/errors.ts'
import { missingTables, withoutMissing } from '../../../storage/missing-tables.ts'
import { openReader } from '../../../storage/open/reader.ts'
import type { OpenReader, Store } from '../../../storage/open/reader.ts'
import { any, sql } from '../../../storage/sql.ts'
import { z } from 'zod'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { differencesIn } from '../../support/stores/deep-comparison.ts'
import { databaseStore } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { sqlOnDatabase, sqlOnFile } from '../../support/stores/plain-sql.ts'
import type { PlainSql } from '../../support/stores/plain-sql.ts'
import { freshFolder, migrate, steppingClock } from '../../support/stores/store.ts'

/** Each document is a batch of its own. */
const BATCH = { records: 200, bytes: 1 }

let store: Store
let plain: PlainSql
let removeStore: () => Promise<void>

beforeEach(async () => {
  if (onPostgres) {
    const database = await freshDatabase()
    store = databaseStore(database.ownerUrl)
    plain = sqlOnDatabase(database.superUrl)
    removeStore = database.close
  } else {
    const folder = freshFolder()
    migrate(folder.file)
    store = { kind: 'sqlite', file: folder.file }
    plain = sqlOnFile(folder.file)
    removeStore = async () => folder.remove()
  }
  const first = await open()
  for (const run_id of ['a', 'b', 'c']) await upload(first, run_id)
  await commit(first, 'pinBaseline', { project: 'chat', suite: 'smoke', run_id: 'a' })
  await first.writer.close()
  await first.reader.close()
})
afterEach(async () => {
  await plain.close()
  await removeStore()
})

type Opened = {
  readonly writer: Writer
  readonly reader: OpenReader
  readonly messages: string[]
  /** Lets the build read the log, a number of batches or all. */
  readonly release: (batches?: number) => void
  readonly built: Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the store with builds in the background, which wait at each batch until they are released. */
const open = async (): Promise<Opened> => {
  const missing = missingTables(projections)
  const messages: string[] = []
  const built = Promise.withResolvers<void>()
  let allowed = 0
  let waiting = Promise.withResolvers<void>()
  const release = (batches = Infinity): void => {
    allowed += batches
    waiting.resolve()
    waiting = Promise.withResolvers()
  }
  const openGatedReader = (): BatchReader => {
    const opened = openBatchReader(store, BATCH)
    return {
      read: async (...asked) => {
        while (allowed === 0) await waiting.promise
        allowed--
        return (await opened).read(...asked)
      },
      close: async () => (await opened).close(),
    }
  }
  const writer = await openWriter(store, {
    instance: `writer ${Math.floor(performance.now() * 1000)}`,
    now: steppingClock(),
    onCommitted: () => {},
    log: (message, fields) => {
      messages.push(`${message} ${JSON.stringify(fields)}`)
      if (message === 'the read models are built') built.resolve()
    },
    checkRows: true,
    openBatchReader: openGatedReader,
    missing,
  })
  const reader = withoutMissing(await openReader(store, { checkRows: true }), missing)
  const close = async (): Promise<void> => {
    release()
    await reader.close()
    await writer.close()
  }
  return { writer, reader, messages, release, built: built.promise, close }
}

const commit = <N extends CommandName>(
  { writer }: Pick<Opened, 'writer'>,
  name: N,
  args: CommandArguments<N>,
): Promise<unknown> => writer.commit[name](CLI, args)
const upload = (opened: Pick<Opened, 'writer'>, run_id: string): Promise<unknown> =>
  commit(opened, 'ingestRun', {
    body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id, cases: [aCase({ output: run_id })] }))),
    encoding: null,
  })
const outdate = (name: string): Promise<void> =>
  plain.execute(`UPDATE projections SET version = version - 1 WHERE name = '${name}'`)
/** As if the read model were new in this build. */
const forget = (name: string): Promise<void> =>
  plain.execute(
    `DELETE FROM projections WHERE name = '${name}'; ${projections
      .flatMap((model) => (model.name === name ? model.tables : []))
      .map((table) => `DELETE FROM ${table}`)
      .join('; ')}`,
  )
const states = async ({ reader }: Pick<Opened, 'reader'>): Promise<Record<string, string>> => {
  const versions = new Map((await reader.read(listReadModels)).map(({ name, version }) => [name, version]))
  const all = projections.map((model) => [model.name, modelState(model, versions.get(model.name) ?? null)] as const)
  return Object.fromEntries(all.filter(([, state]) => state !== 'current'))
}
const listCases = any(sql.type(z.object({ run_no: z.number() }))`SELECT run_no FROM cases ORDER BY run_no`)
const listRuns = any(sql.type(z.object({ id: z.string() }))`SELECT id FROM runs ORDER BY id`)

describe('a read model of an earlier version', () => {
  it.each(['search', 'cases', 'runs', 'sets', 'accounts'])(
    'is read and written while it is built, and then is the same as replayed: %s',
    async (name) => {
      await outdate(name)
      const opened = await open()
      expect(await states(opened)).toEqual({ [name]: 'building' })
      expect(await opened.reader.read(listRuns)).toHaveLength(3)
      await upload(opened, 'd')
      await commit(opened, 'deleteRun', { run_id: 'b' })
      expect(await opened.reader.read(listRuns)).toEqual([{ id: 'a' }, { id: 'c' }, { id: 'd' }])
      opened.release(1)
      await commit(opened, 'deleteRun', { run_id: 'a' })
      await upload(opened, 'e')
      opened.release()
      await opened.built
      expect(await states(opened)).toEqual({})
      await upload(opened, 'f')
      await commit(opened, 'deleteRun', { run_id: 'c' })
      expect(await opened.reader.read(listRuns)).toEqual([{ id: 'd' }, { id: 'e' }, { id: 'f' }])
      await opened.close()
      expect(await differencesIn(store)).toBeNull()
      const built = await plain.column("SELECT count(*) FROM events WHERE type = 'ProjectionRebuilt'")
      expect(built).toEqual([name === 'sets' || name === 'runs' ? 2 : 1])
    },
  )

  it('is built on by the next start, from where the last one ended', async () => {
    await outdate('search')
    const first = await open()
    first.release(2)
    await expect.poll(() => plain.column('SELECT position FROM rebuilds'), { timeout: 30_000 }).toEqual([2])
    await first.close()
    // Closing lets it read once more at most; it is not built to the end.
    const [position] = await plain.column('SELECT position FROM rebuilds')
    expect(position).toBeGreaterThanOrEqual(2)
    const next = await open()
    expect(await plain.column('SELECT position FROM rebuilds')).toEqual([position])
    next.release()
    await next.built
    await next.close()
    expect(await differencesIn(store)).toBeNull()
  })

  it.each(['search', 'cases', 'sets'])('is compared with the log as far as it is built: %s', async (name) => {
    await outdate(name)
    const opened = await open()
    opened.release(2)
    await expect.poll(() => plain.column('SELECT position FROM rebuilds'), { timeout: 30_000 }).toEqual([2])
    const compared = 'so are the new ones, which are built up to record 2.'
    expect(await differencesIn(store)).toContain(compared)
    await upload(opened, 'd')
    expect(await differencesIn(store)).toContain(compared)
    await plain.execute(`DELETE FROM ${onPostgres ? 'ers_fresh_public.' : 'fresh_'}${name}`)
    expect(await differencesIn(store)).toContain(`${name} (being built): the `)
    // What is built may contain a run that the log does not contain any more.
    await commit(opened, 'deleteRun', { run_id: 'a' })
    const found = await differencesIn(store)
    expect(found).toContain('were not written by this version')
    expect(found).not.toContain('new ones')
    await opened.close()
  })

  it('starts over after an erasure, of which it contains nothing', async () => {
    await outdate('search')
    const opened = await open()
    opened.release(2)
    await expect.poll(() => plain.column('SELECT position FROM rebuilds'), { timeout: 30_000 }).toEqual([2])
    await commit(opened, 'eraseRecords', {
      erasure_id: 'of a',
      reference: 'case-1',
      target: { run_id: 'a' },
      dry_run: false,
      after: 0,
    })
    opened.release()
    await opened.built
    await opened.close()
    expect(await differencesIn(store)).toBeNull()
  })
})

describe('a read model that never existed', () => {
  it('leaves runs to be shown without their judges until these are built', async () => {
    const before = await open()
    const judged = { kind: 'llm-rubric', status: 'pass', score: 1, weight: 1, details: { judge: { model: 'm' } } }
    const document = aDocument({ run_id: 'judged', cases: [aCase({ asserts: [judged] })] })
    await commit(before, 'ingestRun', { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })
    await before.close()
    await forget('judges')
    const opened = await open()
    const shown = () => readJudgedRun(opened.reader, CLI, 'judged')
    expect(await shown()).toMatchObject({ run: { id: 'judged' }, judges: [], mayHaveChanged: false })
    expect(await readJudgedRun(opened.reader, CLI, 'unknown')).toBe(null)
    opened.release()
    await opened.built
    expect(await shown()).toMatchObject({ run: { id: 'judged' }, judges: [{ judge: { model: 'm' }, passed: 1 }] })
    await opened.close()
  })

  it('refuses reads until it is built, and nothing else', async () => {
    await forget('cases')
    const opened = await open()
    expect(await states(opened)).toEqual({ cases: 'missing' })
    await expect(opened.reader.read(listCases)).rejects.toThrow('the read model cases is being built')
    await expect(opened.reader.readAll({ cases: listCases })).rejects.toBeInstanceOf(BeingBuilt)
    expect(await opened.reader.read(listRuns)).toHaveLength(3)
    await upload(opened, 'd')
    await commit(opened, 'unpinBaseline', { project: 'chat', suite: 'smoke' })
    expect(await plain.column('SELECT count(*) FROM cases')).toEqual([0])
    opened.release()
    await opened.built
    expect(await opened.reader.read(listCases)).toHaveLength(4)
    await upload(opened, 'e')
    expect(await opened.reader.read(listCases)).toHaveLength(5)
    await opened.close()
    expect(await differencesIn(store)).toBeNull()
  })

  it('refuses the commands that need it, and no other of their group', async () => {
    await forget('runs')
    const opened = await open()
    const results = await Promise.allSettled([
      upload(opened, 'd'),
      commit(opened, 'restrictSet', { project: 'chat', suite: null }),
    ])
    expect(results).toMatchObject([
      { status: 'rejected', reason: expect.any(BeingBuilt) as unknown },
      { status: 'fulfilled' },
    ])
    opened.release()
    await opened.built
    await upload(opened, 'd')
    await opened.close()
    expect(await differencesIn(store)).toBeNull()
  })

  it('is built before the start if it reads no document', async () => {
    await forget('access')
    await forget('baselines')
    const opened = await open()
    expect(await states(opened)).toEqual({})
    expect(opened.messages).toContainEqual(expect.stringContaining('building read models before the start'))
    await opened.close()
    expect(await differencesIn(store)).toBeNull()
  })

  it('is one whose rows this build cannot read, too', () => {
    const model = { version: 4, readableFrom: 3 }
    expect([null, 2, 3, 4, 5].map((stored) => modelState(model, stored))).toEqual([
      'missing',
      'missing',
      'building',
      'current',
      'missing',
    ])
  })
})

if (onPostgres)
  describe('several replicas', () => {
    it('leave the build to one of them, and take it over when its time is over', async () => {
      await outdate('search')
      const [one, two] = [await open(), await open()]
      one.release(1)
      two.release(1)
      await expect.poll(() => plain.column('SELECT position FROM rebuilds'), { timeout: 30_000 }).toEqual([1])
      const building = [one, two].filter(({ messages }) => messages.some((text) => text.startsWith('building read')))
      expect(building).toHaveLength(1)
      // The holder stands still, as if its process were frozen.
      await plain.execute('UPDATE rebuilds SET until = 0')
      const other = one === building[0] ? two : one
      await upload(other, 'd')
      other.release()
      await other.built
      await upload(one, 'e')
      await upload(two, 'f')
      await one.close()
      await two.close()
      expect(await differencesIn(store)).toBeNull()
    })
  })
