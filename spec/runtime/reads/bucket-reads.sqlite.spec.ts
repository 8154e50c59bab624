import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CLI } from '../../../queries/access/viewer.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf } from '../../support/documents/parts.ts'
import { bucketOf, settingsOf } from '../../support/s3/buckets.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { onFile } from '../../support/stores/store.ts'
import { transcriptOf } from '../../support/transcripts/transcripts.ts'

const EVENTS = Array.from({ length: 3000 }, (_, n) => ({
  type: 'message',
  role: 'user',
  content: `step ${n} `.repeat(20),
}))
const TRANSCRIPT = transcriptOf(EVENTS)
const asked = { run_id: 'agent', sha256: digestOf(TRANSCRIPT) }

let s3: S3Server
let service: OpenService
const dataDir = mkdtempSync(join(tmpdir(), 'ers-bucket-reads-'))
beforeAll(async () => {
  for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
  s3 = await startS3Server()
  const url = s3.storeUrl('reads')
  // One thread for reads: what holds it keeps all others waiting.
  service = await openService({ dataDir, threads: true, readers: 1, bucket: { settings: settingsOf(url) } })
  await service.commit.ingestRun(CLI, {
    body: new Uint8Array(Buffer.from(JSON.stringify(aDocument({ run_id: 'agent', cases: [aCase()] })))),
    encoding: null,
  })
  const bucket = bucketOf(url, { identity: async () => service.reader.read(findLogIdentity) })
  const parts = openPartStore({ ...service, partsFolder: join(dataDir, 'parts'), bucket }, PART_LIMITS)
  const [case_key] = onFile(join(dataDir, 'service.db'), (database) =>
    database.prepare('SELECT case_key FROM cases').pluck().all(),
  ) as string[]
  const manifest = manifestOf([{ bytes: TRANSCRIPT, role: 'transcript', case_key }])
  for (const bytes of [TRANSCRIPT, manifest]) await parts.storeWhole(CLI, digestOf(bytes), new Uint8Array(bytes))
  await service.commit.attachEvidence(CLI, { run_id: 'agent', manifest: digestOf(manifest), maxPartBytes: Infinity })
})
afterAll(async () => {
  await service?.close()
  await s3?.[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('reads that need an object of a bucket that says nothing', () => {
  it('keep no thread from other reads, and are answered when the bucket answers', async () => {
    const gate = Promise.withResolvers<void>()
    s3.state.hold = ({ method, key }) => (method === 'GET' && key.includes('objects/') ? gate.promise : undefined)
    const reads = Array.from({ length: 3 }, () => service.longReads.outlineStep(CLI, asked))
    await expect.poll(() => s3.requests.some((request) => request.startsWith('GET reads/objects/'))).toBe(true)
    for (let n = 0; n < 3; n++)
      expect((await service.longReads.search(CLI, { q: `word ${n}`, limit: 1 }))?.etag).toBeTruthy()
    gate.resolve()
    for (const answer of await Promise.all(reads)) expect(answer?.body.length).toBeGreaterThan(100)
  })
})
