import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { partOnServer, threePieces } from '../../support/parts/on-server.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { queryRows, startReplicas, type Replica } from '../../support/servers/replicas.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'

let database: FreshDatabase
let replicas: readonly Replica[]
beforeAll(async () => {
  database = await freshDatabase()
  replicas = await startReplicas(2, database.appUrl)
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await database.close()
})

describe('a part whose pieces two replicas receive', () => {
  it('in any order, doubled and at once, is one part, byte for byte', async () => {
    const bytes = threePieces()
    const [one, other] = replicas.map((replica) => partOnServer(replica, bytes))
    if (!one || !other) throw new Error('there are two replicas')
    // Each has stored a piece that the other has not, so that none can check the digest from memory alone.
    await one.putPiece(2)
    await other.putPiece(0)
    const answers = await Promise.all([
      ...[2, 0, 1].map((n) => one.putPiece(n)),
      ...[1, 2, 0].map((n) => other.putPiece(n)),
    ])
    const whole = { bytes: bytes.length, received: bytes.length }
    expect(answers).toContainEqual(expect.objectContaining({ ...whole, complete: true }))
    expect([await one.upload(), await other.upload()]).toEqual(
      Array.from({ length: 2 }, () => ({ ...whole, missing: [], complete: true })),
    )
    const count = (from: string) => queryRows(database.superUrl, `SELECT count(*)::int AS count FROM ${from}`)
    expect([await count('parts'), await count('objects')]).toEqual([[{ count: 1 }], [{ count: 3 }]])
    expect(await one.nameByRun('of-both')).toEqual([200, 201])
    expect([await one.isOfRun('of-both'), await other.isOfRun('of-both')]).toEqual([true, true])
  })
})
