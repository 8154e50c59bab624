import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyDatabase } from '../../maintenance/verify/log.ts'
import { smallDocument } from '../support/documents/small-document.ts'
import type { FreshDatabase } from '../support/postgres/databases.ts'
import { bucketOf } from '../support/s3/buckets.ts'
import { KEYS, startS3Server, type S3Server } from '../support/s3/stand-in.ts'
import { inRotation, queryRows, startReplicas, type Replica } from '../support/servers/replicas.ts'
import { freshDatabase } from '../support/stores/fresh-database.ts'

/** `npm run soak -- moves` has ten thousand. */
const RUNS = Number(process.env['SPEC_MOVED_RUNS'] ?? 240)
const AT_ONCE = 12

let s3: S3Server
let url: string
let database: FreshDatabase
let replicas: readonly Replica[]
let left: Replica[]
beforeAll(async () => {
  s3 = await startS3Server()
  url = s3.storeUrl('moved')
  database = await freshDatabase()
  const env = { ...KEYS, SERVICE_OBJECT_STORE_URL: url, SERVICE_OBJECT_STORE_DOCUMENTS: 'move' }
  replicas = await startReplicas(3, database.appUrl, env)
  left = [...replicas]
})
afterAll(async () => {
  await Promise.all(left.map((replica) => replica.stop()))
  await database.close()
  await s3[Symbol.asyncDispose]()
})

const count = async (table: string): Promise<number> =>
  Number((await queryRows<{ n: string }>(database.superUrl, `SELECT count(*) AS n FROM ${table}`))[0]?.n)
const documentOf = (n: number): string => smallDocument(`run-${n}`, { word: `word${n}` })
const isDeleted = (n: number): boolean => n % 9 === 4

describe('three replicas that move documents, one of which is killed', () => {
  it('answer every read right, and leave one object a run and no frames', async () => {
    const wrong: string[] = []
    /** Reads a run on a replica: its document, or nothing once it may be deleted. */
    const check = async (n: number, mayBeGone: boolean): Promise<void> => {
      const answer = await inRotation(left, n).ask('GET', `/runs/run-${n}/export`)
      const isGone = answer.status === 404 && mayBeGone
      if (!isGone && answer.text !== documentOf(n)) wrong.push(`run-${n}: ${answer.status}`)
      const detail = await inRotation(left, n + 1).ask('GET', `/runs/run-${n}/cases`)
      if (detail.status !== 200 && !(detail.status === 404 && mayBeGone))
        wrong.push(`cases of run-${n}: ${detail.status}`)
    }
    const one = async (n: number): Promise<void> => {
      const replica = inRotation(left, n)
      expect((await replica.ask('POST', '/runs', { body: documentOf(n) })).status).toBe(201)
      await check(n, false)
      const earlier = Math.floor(n / 2)
      if (n >= 2 * AT_ONCE) await check(earlier, isDeleted(earlier))
      if (isDeleted(n)) expect((await replica.ask('DELETE', `/runs/run-${n}`)).status).toBe(204)
    }
    for (let n = 0; n < RUNS; n += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, RUNS - n) }, (_, i) => one(n + i)))
      const [victim, ...others] = left
      if (n < RUNS / 2 || others.length < 2 || !victim) continue
      left = others
      await victim.kill()
    }
    // The minute of the killed one passes.
    await queryRows(database.superUrl, 'UPDATE pending_moves SET until = 0')
    await expect.poll(() => count('pending_moves'), { timeout: 60_000 }).toBe(0)
    expect(wrong).toEqual([])
    expect(await count('document_frames')).toBe(0)
    const runs = await queryRows<{ id: string; document_sha256: string; objects: string }>(
      database.superUrl,
      `SELECT id, document_sha256, (SELECT count(*) FROM run_objects WHERE run_objects.run_no = runs.run_no) AS objects FROM runs`,
    )
    expect(runs).toHaveLength(Array.from({ length: RUNS }, (_, n) => n).filter((n) => !isDeleted(n)).length)
    expect(runs.filter(({ objects }) => Number(objects) !== 1)).toEqual([])
    for (const { id, document_sha256 } of runs) {
      const { text } = await inRotation(left, id.length).ask('GET', `/runs/${id}/export`)
      expect(createHash('sha256').update(text).digest('hex'), id).toBe(document_sha256)
    }
    const bucket = bucketOf(url)
    const { finding } = await verifyDatabase(database.appUrl, null, undefined, { bucket })
    bucket.close()
    expect(finding).toBeNull()
    // What no run has is what the killed one had begun, or is being removed.
    const stored = await queryRows<{ object_id: string }>(
      database.superUrl,
      `SELECT object_id FROM objects WHERE state = 'stored' AND object_id NOT IN (SELECT object_id FROM run_objects)`,
    )
    expect(stored).toEqual([])
  }, 600_000)
})
