import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts'
import { parseNote } from '../../domain/proof/note.ts'
import { privateKeyText } from '../../runtime/proof/keys.ts'
import { smallDocument } from '../support/documents/small-document.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { exampleKey, ORIGIN } from '../support/proof/opened-signer.ts'
import { inRotation, queryRows, startReplicas, type Replica } from '../support/servers/replicas.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'

type Row = { readonly size: number; readonly root: string; readonly note: string }

let database: FreshDatabase
let replicas: readonly Replica[]

const checkpoints = () =>
  queryRows<Row>(
    database.superUrl,
    "SELECT size::int, encode(root, 'hex') AS root, note FROM checkpoints ORDER BY size",
  )

describe('three replicas with one key', () => {
  beforeAll(async () => {
    database = await freshDatabase()
    replicas = await startReplicas(3, database.appUrl, {
      SERVICE_CHECKPOINT_KEY: privateKeyText(ORIGIN, new Uint8Array(32).fill(1)),
      SERVICE_CHECKPOINT_SECONDS: '1',
    })
  })
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await database.close()
  })

  it('record the key once, and sign one history', async () => {
    const keys = await queryRows(database.superUrl, 'SELECT key_id, origin, vkey FROM log_keys')
    expect(keys).toEqual([{ key_id: exampleKey().id, origin: ORIGIN, vkey: exampleKey().vkey }])
    const adopted = await queryRows(database.superUrl, "SELECT seq FROM events WHERE type = 'LogKeyAdopted'")
    expect(adopted).toHaveLength(1)

    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        inRotation(replicas, n).ask('POST', '/runs', { body: smallDocument(`run-${n}`) }),
      ),
    )
    const [log] = await queryRows<{ size: number }>(database.superUrl, 'SELECT size::int FROM log_head')
    await expect.poll(async () => (await checkpoints()).at(-1)?.size).toBe(log!.size)
    const rows = await checkpoints()
    for (const { size, root, note } of rows) {
      const signed = parseCheckpoint(parseNote(note).text)
      expect({ ...signed, root: Buffer.from(signed.root).toString('hex') }).toEqual({ origin: ORIGIN, size, root })
    }
    expect(rows.length).toBeGreaterThan(1)
  })

  it('sign a last checkpoint when they stop', async () => {
    const [first, ...others] = replicas
    await Promise.all(others.map((replica) => replica.stop()))
    await first!.ask('POST', '/runs', { body: smallDocument('the last') })
    await first!.stop()
    const [log] = await queryRows<{ size: number }>(database.superUrl, 'SELECT size::int FROM log_head')
    expect((await checkpoints()).at(-1)!.size).toBe(log!.size)
  })
})
