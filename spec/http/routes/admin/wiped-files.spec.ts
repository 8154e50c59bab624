import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COPIED } from '../../../../maintenance/copy/tables.ts'
import { readTables } from '../../../../projections/index.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'
import { APP } from '../../../support/postgres/databases.ts'
import { onPostgres } from '../../../support/stores/open-fresh.ts'

let spec: SpecApp
beforeAll(async () => {
  spec = await openApp()
  if (!onPostgres) return
  // Only the owner of a table may vacuum it.
  const tables = await spec.column('SELECT tablename FROM pg_tables WHERE schemaname = current_schema()')
  await spec.execute(tables.map((table) => `ALTER TABLE "${String(table)}" OWNER TO ${APP};`).join(''))
})
afterAll(() => spec.close())

const erase = async (target: object): Promise<number> =>
  (
    await spec.sendAs('admin')('POST', '/erasures', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reference: 'CASE-1', ...target }),
    })
  ).statusCode

/** The tables that were vacuumed by command, with how often. */
const vacuums = async (): Promise<ReadonlyMap<string, number>> => {
  const rows = await spec.rows(
    'SELECT relname, vacuum_count FROM pg_stat_user_tables WHERE schemaname = current_schema() AND vacuum_count > 0',
  )
  return new Map(rows.map(({ relname, vacuum_count }) => [String(relname), Number(vacuum_count)]))
}
const logBytes = (): number => statSync(join(spec.dataDir, 'service.db-wal')).size
const pending = () => spec.column('SELECT id FROM pending_wipes ORDER BY id')

/** Whether the files are wiped during some work. */
const isWiped = async (work: () => Promise<unknown>): Promise<boolean> => {
  if (onPostgres) {
    const before = (await vacuums()).get('event_bodies') ?? 0
    await work()
    return ((await vacuums()).get('event_bodies') ?? 0) > before
  }
  const before = logBytes()
  await work()
  return logBytes() < before
}

describe('the files of a store', () => {
  it('are wiped by an erasure, and not by one of what never was', async () => {
    await spec.ingest(aDocument({ run_id: 'a' }))
    expect(await isWiped(() => erase({ run_id: 'a' }))).toBe(true)
    expect(await pending()).toEqual([])
    await spec.ingest(aDocument({ run_id: 'b' }))
    for (const target of [{ run_id: 'a' }, { run_id: 'a typo' }, { user_id: 'nobody' }])
      expect(await isWiped(async () => expect(await erase(target)).toBe(404))).toBe(false)
  })

  it('are wiped by the repetition of an erasure that could not wipe them', async () => {
    await spec.ingest(aDocument({ run_id: 'again' }))
    await spec.service.commit.eraseRecords(SYSTEM, {
      erasure_id: 'e1',
      reference: 'CASE-2',
      target: { run_id: 'again' },
      dry_run: false,
      after: 0,
    })
    expect(await pending()).toEqual(['e1/0'])
    await spec.ingest(aDocument({ run_id: 'c' }))
    expect(await isWiped(async () => expect(await erase({ run_id: 'again', dry_run: true })).toBe(404))).toBe(false)
    expect(await isWiped(async () => expect(await erase({ run_id: 'again' })).toBe(404))).toBe(true)
    expect(await pending()).toEqual([])
  })

  it('are wiped again for a commit that came while another erasure wiped them', async () => {
    const eraseSome = (after: number) =>
      spec.service.commit.eraseRecords(SYSTEM, {
        erasure_id: 'e2',
        reference: 'CASE-3',
        target: { run_id: 'd' },
        dry_run: false,
        after,
      })
    await spec.ingest(aDocument({ run_id: 'd' }))
    await eraseSome(0)
    const [first] = await pending()
    // The wipe of another erasure has begun, and ends after the next commit of this one.
    await spec.ingest(aDocument({ run_id: 'd' }))
    await eraseSome((await spec.service.head()).size - 1)
    await spec.execute(`DELETE FROM pending_wipes WHERE id = '${String(first)}'`)
    expect(await pending()).toHaveLength(1)
    expect(await isWiped(spec.service.wipe)).toBe(true)
    expect(await pending()).toEqual([])
  })

  it.runIf(onPostgres)('are wiped in every table that has rows of runs and accounts', async () => {
    const wiped = await vacuums()
    const tables = [
      ...readTables,
      ...COPIED.map(({ name }) => name),
      ...['event_bodies', 'identity_subjects', 'password_hashes', 'session_tokens', 'key_secrets'],
      ...['credential_uses', 'saved_views', 'principals', 'document_frames'],
    ]
    expect(tables.filter((table) => !wiped.has(table))).toEqual([])
  })
})
