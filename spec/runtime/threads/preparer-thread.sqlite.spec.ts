import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { Refused } from '../../../commands/refused.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

let dataDir: string
let service: OpenService
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-preparer-'))
  service = await openService({ dataDir, threads: true, readers: 0 })
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Long enough for the preparer. */
const LENGTH = 20_000
const upload = (document: unknown, length = LENGTH) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const body = new Uint8Array(Buffer.from(text.padEnd(length)))
  return service.commit.ingestRun(CLI, { body, encoding: null })
}
const reasonOf = async (response: Promise<unknown>): Promise<unknown> =>
  response.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Refused ? error.reason : error),
  )

describe('uploads while the writer is busy', () => {
  it('are each recorded once or rejected with their own reason', async () => {
    const fresh = Array.from({ length: 30 }, (_, i) =>
      upload(aDocument({ run_id: `r${i}`, cases: [aCase({ output: `output ${i}` })] }), i % 3 === 2 ? 0 : LENGTH),
    )
    const again = upload(aDocument({ run_id: 'r0', cases: [aCase({ output: 'output 0' })] }))
    const others = [
      aDocument({ run_id: 'r1', cases: [aCase({ output: 'another' })] }),
      '{"schema_version":3,',
      { ...aDocument({ run_id: 'w' }), schema_version: 9 },
    ]
    const reasons = others.map((other) => reasonOf(upload(other)))
    expect(await Promise.all(fresh)).toEqual(
      Array.from({ length: 30 }, (_, i) => ({ id: `r${i}`, created: true, hidden_cases: 0 })),
    )
    expect(await again).toEqual({ id: 'r0', created: false, hidden_cases: 0 })
    expect(await Promise.all(reasons)).toEqual(['conflict', 'bad_request', 'unprocessable'])
    await service.close()
    const { finding, documents } = await verifyLog(join(dataDir, 'service.db'), null)
    expect([finding, documents]).toEqual([null, 30])
  })

  it('are all recorded, even those that the preparer does not accept: small, large, encoded or too many', async () => {
    const large = (i: number) =>
      JSON.stringify(aDocument({ run_id: `large${i}`, cases: [aCase({ output: 'x'.repeat(900_000 + i * 100_000) })] }))
    const sent = Array.from({ length: 12 }, (_, i) => {
      const body = Buffer.from(large(i % 4).replace('large', `of${i}-`))
      return i % 3 === 2
        ? service.commit.ingestRun(CLI, { body: new Uint8Array(gzipSync(body)), encoding: 'gzip' })
        : service.commit.ingestRun(CLI, { body: new Uint8Array(body), encoding: null })
    })
    for (let i = 0; i < 12; i++) sent.push(upload(aDocument({ run_id: `small${i}` }), 0))
    expect((await Promise.all(sent)).map(({ created }) => created)).toEqual(sent.map(() => true))
    await service.close()
    expect((await verifyLog(join(dataDir, 'service.db'), null)).finding).toBeNull()
  })

  it('are awaited when the service closes', async () => {
    const sent = Array.from({ length: 20 }, (_, i) => upload(aDocument({ run_id: `r${i}` })))
    await service.close()
    expect((await Promise.all(sent)).every(({ created }) => created)).toBe(true)
    // No write-ahead log is left: the writer's connection was the last.
    expect(readdirSync(dataDir).filter((name) => name.startsWith('service.db'))).toEqual(['service.db'])
    const db = new Database(join(dataDir, 'service.db'), { readonly: true })
    expect(db.prepare('SELECT count(*) FROM runs').pluck().get()).toBe(20)
    db.close()
  })

  it('invalidate cached responses before the response to the upload', async () => {
    const invalidated: boolean[] = []
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const before = service.cache.generation()
        await upload(aDocument({ run_id: `r${i}` }))
        invalidated.push(!service.cache.isValid(before, ['runs']))
      }),
    )
    expect(invalidated).toEqual(Array.from({ length: 20 }, () => true))
    await service.close()
  })
})
