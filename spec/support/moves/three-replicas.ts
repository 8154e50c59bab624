import { scheduler } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { verifyDatabase } from '../../../maintenance/verify/log.ts'
import { smallDocument } from '../documents/small-document.ts'
import type { FreshDatabase } from '../postgres/databases.ts'
import { bucketOf } from '../s3/buckets.ts'
import { KEYS, type S3Server } from '../s3/stand-in.ts'
import { inRotation, queryRows, startReplicas, type Replica } from '../servers/replicas.ts'

const AT_ONCE = 12
const LOOK_MS = 250

const documentOf = (n: number): string => smallDocument(`run-${n}`, { word: `word${n}` })
const isDeleted = (n: number): boolean => n % 9 === 4

/**
 * Three replicas move the documents of runs that are uploaded, read and deleted meanwhile. One of them is killed after the first half. Returns what is
 * wrong then: a read with another answer than the document, a run without its object or with two, frames that are left, and what verify finds.
 */
export const moveOnReplicas = async (
  { appUrl, superUrl }: Pick<FreshDatabase, 'appUrl' | 'superUrl'>,
  s3: S3Server,
  runs: number,
): Promise<readonly string[]> => {
  const url = s3.storeUrl('moved')
  const env = { ...KEYS, SERVICE_OBJECT_STORE_URL: url, SERVICE_OBJECT_STORE_DOCUMENTS: 'move' }
  let left: readonly Replica[] = await startReplicas(3, appUrl, env)
  const problems: string[] = []
  const check = (isRight: boolean, problem: string): void => {
    if (!isRight) problems.push(problem)
  }
  const count = async (table: string): Promise<number> =>
    Number((await queryRows<{ n: string }>(superUrl, `SELECT count(*) AS n FROM ${table}`))[0]?.n)

  /** Reads a run on two replicas: its document and its cases, or nothing once it may be deleted. */
  const checkRun = async (n: number, mayBeGone: boolean): Promise<void> => {
    const answer = await inRotation(left, n).ask('GET', `/runs/run-${n}/export`)
    const isGone = answer.status === 404 && mayBeGone
    check(isGone || answer.text === documentOf(n), `run-${n}: ${answer.status}`)
    const { status } = await inRotation(left, n + 1).ask('GET', `/runs/run-${n}/cases`)
    check(status === 200 || (status === 404 && mayBeGone), `cases of run-${n}: ${status}`)
  }
  const passThrough = async (n: number): Promise<void> => {
    const replica = inRotation(left, n)
    const { status } = await replica.ask('POST', '/runs', { body: documentOf(n) })
    check(status === 201, `upload of run-${n}: ${status}`)
    await checkRun(n, false)
    const earlier = Math.floor(n / 2)
    if (n >= 2 * AT_ONCE) await checkRun(earlier, isDeleted(earlier))
    if (isDeleted(n)) check((await replica.ask('DELETE', `/runs/run-${n}`)).status === 204, `run-${n} is not deleted`)
  }

  try {
    for (let n = 0; n < runs; n += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs - n) }, (_, i) => passThrough(n + i)))
      const [victim, ...others] = left
      if (n < runs / 2 || others.length < 2 || !victim) continue
      left = others
      await victim.kill()
    }
    // The minute of the killed one passes.
    await queryRows(superUrl, 'UPDATE pending_moves SET until = 0')
    while ((await count('pending_moves')) > 0) await scheduler.wait(LOOK_MS)

    check((await count('document_frames')) === 0, 'frames are left')
    const stored = await queryRows<{ id: string; document_sha256: string; objects: string }>(
      superUrl,
      `SELECT id, document_sha256, (SELECT count(*) FROM run_objects WHERE run_objects.run_no = runs.run_no) AS objects
       FROM runs`,
    )
    const expected = Array.from({ length: runs }, (_, n) => n).filter((n) => !isDeleted(n)).length
    check(stored.length === expected, `${stored.length} runs are stored, not ${expected}`)
    for (const { id, document_sha256, objects } of stored) {
      check(Number(objects) === 1, `${id} has ${objects} objects`)
      const { text } = await inRotation(left, id.length).ask('GET', `/runs/${id}/export`)
      check(createHash('sha256').update(text).digest('hex') === document_sha256, `${id} has other bytes`)
    }
    const strays = await queryRows<{ object_id: string }>(
      superUrl,
      `SELECT object_id FROM objects
       WHERE state = 'stored' AND object_id NOT IN (SELECT object_id FROM run_objects)`,
    )
    check(strays.length === 0, `${strays.length} objects are of no run`)
    const bucket = bucketOf(url)
    const { finding } = await verifyDatabase(appUrl, null, undefined, { bucket })
    bucket.close()
    check(finding === null, `verify finds ${finding?.message ?? ''}`)
  } finally {
    await Promise.all(left.map((replica) => replica.stop()))
  }
  return problems
}
