import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { moveOnReplicas } from '../support/moves/three-replicas.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { startS3Server, type S3Server } from '../support/s3/stand-in.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'

let s3: S3Server
let database: FreshDatabase
beforeAll(async () => {
  s3 = await startS3Server()
  database = await freshDatabase()
})
afterAll(async () => {
  await database.close()
  await s3[Symbol.asyncDispose]()
})

// `npm run soak -- moves` does it with ten thousand runs.
describe('three replicas that move documents, one of which is killed', () => {
  it('answer every read right, and leave one object a run and no frames', async () => {
    expect(await moveOnReplicas(database, s3, 240)).toEqual([])
  }, 600_000)
})
