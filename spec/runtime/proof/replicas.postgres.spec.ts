import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCheckpoint, checkReceipt } from '../../../domain/proof/check.ts'
import { parseCheckpoint } from '../../../domain/proof/checkpoint.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { parseNote } from '../../../domain/proof/note.ts'
import { privateKeyText } from '../../../runtime/proof/keys.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres/server.ts'
import { exampleKey, ORIGIN } from '../../support/proof/opened-signer.ts'
import { inRotation, queryRows, startReplicas, type Replica } from '../../support/servers/replicas.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

const KEY = {
  SERVICE_CHECKPOINT_KEY: privateKeyText(ORIGIN, new Uint8Array(32).fill(1)),
  SERVICE_CHECKPOINT_SECONDS: '1',
}
const trust = async () => ({ keys: [await parseVkey(exampleKey().vkey, nodeCrypto)], policy: null })

const upload = async (replica: Replica, id: string): Promise<void> => {
  expect((await replica.ask('POST', '/runs', { body: smallDocument(id) })).status).toBe(201)
}
const sizeAt = async (replica: Replica): Promise<number> => {
  const { status, text } = await replica.ask('GET', '/log/checkpoint')
  expect(status).toBe(200)
  await checkCheckpoint(text, await trust(), nodeCrypto)
  return parseCheckpoint(parseNote(text).text).size
}

describe('three replicas with one key', () => {
  const RUNS = 3
  let database: FreshDatabase
  let replicas: readonly Replica[]

  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(3, database.appUrl, KEY)
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await database.close()
  })

  it('serve one checkpoint of each size, and never a smaller one than before', async () => {
    let newest = 0
    for (let n = 0; n < RUNS; n++) {
      const id = `run-${n}`
      await upload(inRotation(replicas, n), id)
      // Each replica may have to sign for it.
      const answers = await Promise.all(replicas.map((replica) => replica.ask('GET', `/runs/${id}/receipt`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      for (const { text } of answers) {
        const { size } = (await checkReceipt(text, await trust(), nodeCrypto)).checkpoint
        const sizes: number[] = []
        for (const replica of replicas) sizes.push(await sizeAt(replica))
        for (const served of sizes) {
          expect(served).toBeGreaterThanOrEqual(Math.max(newest, size))
          newest = served
        }
      }
    }
    const rows = await queryRows<{ size: number; notes: number }>(
      database.superUrl,
      'SELECT size::int, count(DISTINCT note)::int AS notes FROM checkpoints GROUP BY size',
    )
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.filter(({ notes }) => notes !== 1)).toEqual([])
    const adopted = await queryRows<{ n: number }>(
      database.superUrl,
      "SELECT count(*)::int AS n FROM events WHERE type = 'LogKeyAdopted'",
    )
    expect(adopted).toEqual([{ n: 1 }])
  })
})

describe('a standby that is promoted before it has all records', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ers-promoted-'))
    primary = await startPostgres()
    await queryRows(primary.url(), 'CREATE ROLE ers LOGIN')
    await queryRows(primary.url(), 'CREATE DATABASE ers OWNER ers')
  })
  afterAll(async () => {
    await standby.stop()
    await primary.stop()
    rmSync(folder, { recursive: true })
  })

  it('is not signed again: its checkpoint file shows what was signed', async () => {
    const env = { ...KEY, SERVICE_CHECKPOINT_FILE: join(folder, 'checkpoints') }
    const before = await startReplicas(1, primary.url('ers', 'ers'), env)
    await upload(inRotation(before, 0), 'kept')
    await before[0]?.stop()
    standby = await startPostgres({ standbyOf: primary })
    await standby.halt()

    const [replica] = await startReplicas(1, primary.url('ers', 'ers'), env)
    if (!replica) throw new Error('no replica started')
    await upload(replica, 'lost')
    expect((await replica.ask('GET', '/runs/lost/receipt')).status).toBe(200)
    const signed = await sizeAt(replica)
    await replica.stop()
    await primary.halt()

    await standby.resume()
    await queryRows(standby.url(), 'SELECT pg_promote()')
    const [{ n: size } = { n: 0 }] = await queryRows<{ n: number }>(
      standby.url('ers'),
      'SELECT count(*)::int AS n FROM events',
    )
    expect(size).toBeLessThan(signed)
    await expect(startReplicas(1, standby.url('ers', 'ers'), env)).rejects.toThrow('the log ends at')
    const kept = await queryRows<{ n: number }>(
      standby.url('ers'),
      'SELECT coalesce(max(size), 0)::int AS n FROM checkpoints',
    )
    expect(kept[0]?.n).toBeLessThanOrEqual(size)
  })
})
