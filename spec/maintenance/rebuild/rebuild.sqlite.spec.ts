import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as commands from '../../../commands/index.ts'
import { rebuildTables, unfinishedRebuild } from '../../../maintenance/rebuild/sqlite.ts'
import type { RebuildStep } from '../../../maintenance/rebuild/sqlite.ts'
import { project } from '../../../projections/index.ts'
import { listReadModels, outdatedModels } from '../../../projections/models.ts'
import type { AnyCommand } from '../../../storage/command.ts'
import { admin, member } from '../../support/access/viewers.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { readTables } from '../../support/stores/read-tables.ts'
import { onFile, openStore } from '../../support/stores/store.ts'
import type { SpecStore } from '../../support/stores/store.ts'

const STEPS: readonly RebuildStep[] = [
  'started',
  'replayed',
  'replayed',
  'replayed',
  'replayed',
  'swap',
  'renamed',
  'indexed',
  'swapped',
]
const batch = { records: 2, bytes: 1e9 }
const damage = "DELETE FROM cases; UPDATE runs SET note = 'wrong'; DELETE FROM search; DELETE FROM sets"

let store: SpecStore
beforeEach(async () => {
  store = openStore({ project })
  for (const run_id of ['a', 'b', 'c', 'd', 'e']) await commit(ingest(run_id))
  await commit(commands.pinBaseline(admin, { project: 'chat', suite: 'smoke', run_id: 'a' }))
})
afterEach(() => store.close())

const commit = async (command: AnyCommand): Promise<void> => {
  const [outcome] = store.writer.commitGroup([{ command, prepared: await command.prepare(store.writer) }])
  expect(outcome).toMatchObject({ ok: true })
}
const ingest = (run_id: string) =>
  commands.ingestRun(member, { body: Buffer.from(JSON.stringify(aDocument({ run_id }))), encoding: null })
const remove = (run_id: string) => commands.deleteRun(admin, { run_id })
const database = () => store.writer.connection.database
const tables = () => readTables(database())
const schema = (): unknown[] =>
  database().prepare('SELECT type, name, tbl_name FROM sqlite_schema ORDER BY type, name').all()
const freshLeft = (): unknown[] =>
  database().prepare("SELECT name FROM sqlite_schema WHERE name GLOB '*fresh_*' OR name GLOB '*stale_*'").pluck().all()

/** Rebuilds up to the n-th step (from 0) and fails there. */
const failAt = (n: number): void => {
  let at = 0
  const observe = (): void => {
    if (at++ === n) throw new Error('interrupted')
  }
  expect(() => rebuildTables(store.writer, { batch, observe })).toThrow('interrupted')
}

describe('a rebuild', () => {
  it('performs these steps', () => {
    const steps: RebuildStep[] = []
    rebuildTables(store.writer, { batch, observe: (step) => void steps.push(step) })
    // How many steps the removal takes depends on the time that each takes.
    expect(steps.filter((step) => step !== 'removed')).toEqual(STEPS)
    expect(steps.at(-1)).toBe('removed')
  })

  it('interrupted at any step keeps the tables; the next one finishes', () => {
    const [inline, shape] = [tables(), schema()]
    for (const [n, step] of STEPS.entries()) {
      database().exec(damage)
      const before = tables()
      failAt(n)
      expect(tables(), `${n} ${step}`).toEqual(before)
      expect(rebuildTables(store.writer, { batch }), `${n} ${step}`).toBe(6)
      expect(tables(), `${n} ${step}`).toEqual(inline)
      expect(schema(), `${n} ${step}`).toEqual(shape)
      expect(freshLeft(), `${n} ${step}`).toEqual([])
      expect(unfinishedRebuild(store.writer)).toBeNull()
      expect(database().pragma('synchronous', { simple: true })).toBe(2)
    }
  })

  it('leaves a file without damage at every moment of the removal', () => {
    const checks: unknown[] = []
    rebuildTables(store.writer, {
      observe: (step) => {
        if (step === 'removed' || step === 'swapped')
          checks.push(database().pragma('integrity_check', { simple: true }))
      },
    })
    expect(checks.length).toBeGreaterThan(2)
    expect(new Set(checks)).toEqual(new Set(['ok']))
  })

  it('resumes after an interruption', () => {
    failAt(3)
    expect(unfinishedRebuild(store.writer)).toEqual({ position: 4, size: 6 })
    const positions: number[] = []
    rebuildTables(store.writer, { batch, progress: ({ position }) => void positions.push(position) })
    expect(positions).toEqual([6])
  })

  it('includes concurrent commits, also deletions of rows it has built', async () => {
    const shape = schema()
    failAt(3)
    await commit(remove('b'))
    await commit(remove('e'))
    await commit(ingest('b'))
    await commit(remove('a'))
    const inline = tables()
    rebuildTables(store.writer, { batch })
    expect(tables()).toEqual(inline)
    expect(schema()).toEqual(shape)
  })

  it('creates the indexes early only for a deletion of rows it has built', async () => {
    failAt(3)
    const indexes = (): unknown[] =>
      database().prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'fresh_*'").pluck().all()
    expect(indexes()).toEqual([])
    await commit(remove('b'))
    failAt(3)
    expect(indexes()).toContain('fresh_runs_by_set')
    // A second deletion finds the indexes in place.
    await commit(remove('c'))
    const inline = tables()
    rebuildTables(store.writer, { batch })
    expect(tables()).toEqual(inline)
    expect(indexes()).toEqual([])
  })

  it.each([
    ['is of other versions or tables', "UPDATE rebuilds SET plan = 'another'"],
    ['is of another log', 'UPDATE rebuilds SET leaf = zeroblob(32)'],
    ['is beyond the end of the log', 'UPDATE rebuilds SET position = 900'],
    ['lacks a table', 'DROP TABLE fresh_sets'],
  ])('starts over if the unfinished one %s', (_, change) => {
    const inline = tables()
    failAt(3)
    database().exec(change)
    const positions: number[] = []
    rebuildTables(store.writer, { batch, progress: ({ position }) => void positions.push(position) })
    expect(positions).toEqual([2, 4, 6])
    expect(tables()).toEqual(inline)
  })

  it('starts over if a table has another shape', () => {
    failAt(3)
    database().exec('ALTER TABLE baselines ADD COLUMN more text')
    const positions: number[] = []
    rebuildTables(store.writer, { batch, progress: ({ position }) => void positions.push(position) })
    expect(positions).toEqual([2, 4, 6])
  })

  it('ends a batch at a limit of document bytes', () => {
    const positions: number[] = []
    rebuildTables(store.writer, {
      batch: { records: 100, bytes: 1 },
      progress: ({ position }) => void positions.push(position),
    })
    expect(positions).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('does not change tables that no read model lists', () => {
    database().exec(
      "INSERT INTO principals (id, kind, label) VALUES ('u', 'user', 'ada'); INSERT INTO password_hashes VALUES ('u', 'hash')",
    )
    rebuildTables(store.writer)
    expect(database().prepare("SELECT label FROM principals WHERE kind = 'user'").pluck().all()).toEqual(['ada'])
    expect(database().prepare('SELECT hash FROM password_hashes').pluck().all()).toEqual(['hash'])
  })

  it('keeps triggers and settings of the tables', () => {
    database().exec(
      'CREATE TABLE seen (n); CREATE TRIGGER watch AFTER INSERT ON sets BEGIN INSERT INTO seen VALUES (1); END',
    )
    const settings = (): unknown => database().prepare('SELECT k, v FROM search_config ORDER BY k').all()
    const before = settings()
    rebuildTables(store.writer)
    expect(settings()).toEqual(before)
    expect(
      database().prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'sets'").pluck().all(),
    ).toEqual(['watch'])
    expect(database().prepare('SELECT count(*) FROM seen').pluck().get()).toBe(0)
  })

  it('updates read tables of another version', () => {
    database().exec(
      "UPDATE projections SET version = 0; INSERT INTO projections VALUES ('runs', 0, 0) ON CONFLICT DO NOTHING",
    )
    expect(outdatedModels(store.writer.read(listReadModels))).not.toEqual([])
    rebuildTables(store.writer)
    expect(outdatedModels(store.writer.read(listReadModels))).toEqual([])
  })

  it('rejects a fenced writer', () => {
    onFile(store.file, (other) => other.exec("UPDATE holder SET instance_id = 'another'"))
    expect(() => rebuildTables(store.writer)).toThrow('another instance')
  })

  it.each(['started', 'replayed', 'renamed', 'swapped', 'removed'] satisfies RebuildStep[])(
    'whose process is killed at %s is finished by the next one',
    (step) => {
      const inline = tables()
      database().exec(damage)
      const before = tables()
      const program = `
      import { rebuildTables } from './maintenance/rebuild/sqlite.ts'
      import { project } from './projections/index.ts'
      import { openSqliteWriter } from './storage/sqlite/storage.ts'
      const writer = openSqliteWriter({ file: process.argv[1], project, now: Date.now, instance: 'instance-1' })
      let left = 2
      const observe = (step) => { if (step === '${step}' && (step !== 'replayed' || --left === 0)) process.kill(process.pid, 'SIGKILL') }
      rebuildTables(writer, { batch: { records: 2, bytes: 1e9 }, observe })`
      const { signal, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module-typescript', '-e', program, store.file],
        { encoding: 'utf8' },
      )
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
      expect(tables()).toEqual(step === 'removed' ? inline : before)
      rebuildTables(store.writer, { batch })
      expect(tables()).toEqual(inline)
      expect(freshLeft()).toEqual([])
    },
  )
})
