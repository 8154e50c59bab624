import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { rebuildTables } from '../../../../maintenance/rebuild/sqlite.ts'
import { openWriterOnSqlite } from '../../../../runtime/writer/sqlite.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { filesWith } from '../../../support/files-with.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

let spec: SpecApp
afterEach(() => spec.close())

const JSON_BODY = { 'content-type': 'application/json' }

const erase = async (target: object): Promise<void> => {
  const { statusCode, body } = await spec.sendAs('admin')('POST', '/erasures', {
    headers: JSON_BODY,
    body: JSON.stringify({ reference: 'CASE-1', ...target }),
  })
  expect([statusCode, body]).toEqual([200, expect.any(String)])
}

const WORDS = [
  'canaryid',
  'canaryoutput',
  'canarytag',
  'canaryconfig',
  'canarycase',
  'canarypassword',
  'canaryuser',
  'canarykey',
] as const
const found = (): string[] => WORDS.filter((word) => filesWith(spec.dataDir, word).length > 0)

const canaryRun = (run_id: string, n = 0) =>
  aDocument({
    run_id,
    config_snapshot: { description: 'canaryconfig' },
    filters: { tags: ['canarytag'] },
    // Every run has words of its own too, so that the search index gets several segments.
    cases: Array.from({ length: 20 }, (_, i) =>
      aCase({
        cell: { test_id: `canarycase ${n} ${i}` },
        case_key: `canarycase ${n} ${i}`,
        name: 'canarycase',
        output: `canaryoutput ${n} word${n}x${i} `.repeat(5),
      }),
    ),
  })

const otherRuns = async (from: number): Promise<void> => {
  for (let n = from; n < from + 15; n++)
    await spec.ingest(
      aDocument({ run_id: `other ${n}`, cases: [aCase({ output: `ordinary words ${n} of another run` })] }),
    )
}

describe('erased bytes', () => {
  it('of a run and of an account are in no file of the state directory', async () => {
    spec = await openApp()
    await otherRuns(0)
    const user = await spec.addUser('u1')
    await spec.service.commit.createUser(SYSTEM, {
      user_id: 'u2',
      username: 'canaryuser',
      password_hash: 'canarypassword',
      role: 'viewer',
    })
    await user.send('POST', '/apikeys', { headers: JSON_BODY, body: JSON.stringify({ name: 'canarykey' }) })
    for (const [n, run_id] of ['canaryid', 'canaryid 2'].entries())
      expect(
        (await user.send('POST', '/runs', { headers: JSON_BODY, body: JSON.stringify(canaryRun(run_id, n)) }))
          .statusCode,
      ).toBe(201)
    await spec.service.commit.pinBaseline(SYSTEM, { project: 'chat', suite: 'smoke', run_id: 'canaryid' })
    await otherRuns(15)
    expect(found()).toEqual(WORDS)

    // One that is deleted long before it is erased.
    await spec.sendAs('admin')('DELETE', '/runs/canaryid%202')
    await otherRuns(30)
    for (const run_id of ['canaryid', 'canaryid 2']) await erase({ run_id })
    for (const user_id of ['u1', 'u2']) {
      await spec.service.commit.deleteUser(SYSTEM, { user_id })
      await erase({ user_id })
    }
    expect(found()).toEqual([])
    expect((await verifyStore(spec)).finding).toBeNull()
    expect((await spec.sendAs('admin')('GET', '/search?q=ordinary')).statusCode).toBe(200)
  })

  it('are not in the tables of an interrupted rebuild', async () => {
    spec = await openApp()
    await spec.ingest(canaryRun('canaryid'))
    const { writer, close } = await openWriterOnSqlite({
      file: join(spec.dataDir, 'service.db'),
      instance: spec.service.instance,
      now: () => 0,
      onCommitted: () => {},
      log: () => {},
    })
    expect(() =>
      rebuildTables(writer, {
        observe: (step) => {
          if (step === 'swap') throw new Error('interrupted')
        },
      }),
    ).toThrow('interrupted')
    await close()
    const tables = "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'fresh_*'"
    expect(await spec.column(tables)).not.toEqual([0])
    await erase({ run_id: 'canaryid' })
    expect(await spec.column(tables)).toEqual([0])
    expect(found()).toEqual([])
  })
})
