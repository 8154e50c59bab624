import { afterAll, describe, expect, it, vi } from 'vitest'
import { json } from '../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { attach, digestOf, noise, PIECE, putPart, putPiece, sendEvidence } from '../../support/documents/parts.ts'
import { runCount } from '../../support/random/runs.ts'
import { bucketOf, settingsOf } from '../../support/s3/buckets.ts'
import { KEYS, startS3Server } from '../../support/s3/stand-in.ts'
import { openApp } from '../../support/servers/app.ts'
import { verifyStore } from '../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('at-work')
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

/** 1,000 with `SPEC_RUNS=100`. */
const VERIFICATIONS = runCount(10)
const HOUR_MS = 3_600_000
const shared = noise(300_000, 1)

describe.each(['the service itself', 'a bucket'])('a store whose parts are in %s', async (place) => {
  let clock = Date.UTC(2026, 4, 4, 8)
  const isInBucket = place === 'a bucket'
  const spec = await openApp({ now: () => clock++, ...(isInBucket && { bucket: settingsOf(url) }) })
  afterAll(() => spec.close())
  const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]

  /** The number of the run that is made in the same round as a change, and whether that round is one of four. */
  const firstOf = (n: number): number => n - (n % CHANGES.length)
  const isOf = (n: number, rounds: readonly number[]): boolean => rounds.includes(Math.floor(n / CHANGES.length) % 4)
  /** Each kind of change, with a number that no other has. Refusals are part of it: another change may have come first. */
  const CHANGES: ReadonlyArray<(n: number) => Promise<unknown>> = [
    async (n) => {
      await spec.ingest(aDocument({ run_id: `run-${n}`, cases: [aCase()] }))
      const entries = [noise(400_000, n + 2), shared, Buffer.from(`small ${n}`)]
      const manifest = await sendEvidence(
        write,
        entries.map((bytes) => ({ bytes, role: 'output', case_key: aCase().case_key })),
      )
      return attach(write, `run-${n}`, manifest)
    },
    async (n) => {
      await putPart(write, noise(300_000, n + 2))
      return write('DELETE', `/parts/${digestOf(noise(300_000, n + 2))}/upload`)
    },
    (n) => putPiece(write, Buffer.alloc(PIECE + 300_000, n), n % 2),
    (n) => putPart(write, noise(262_144 + (n % 3), n + 2)),
    // Of four runs one is deleted and then erased, one is erased, and two stay.
    async (n) => isOf(n, [1]) && admin('DELETE', `/runs/run-${firstOf(n)}`),
    async (n) => {
      const body = JSON.stringify({ reference: 'T-1', run_id: `run-${firstOf(n - CHANGES.length)}` })
      return isOf(n - CHANGES.length, [1, 2]) && admin('POST', '/erasures', { headers: json, body })
    },
    async () => {
      clock += 9 * HOUR_MS
      return spec.services.partStore.sweep(AbortSignal.timeout(600_000))
    },
  ]

  it('is never taken for damaged while parts are sent, named, dropped, swept, deleted and erased', async () => {
    const found: unknown[] = []
    let parts = 0
    for (let i = 0; i < VERIFICATIONS; i++) {
      const changes = CHANGES.map(async (change, kind) => change(i * CHANGES.length + kind))
      const options = { parts: 'all', ...(isInBucket && { bucket: bucketOf(url) }) } as const
      const verified = await verifyStore(spec, options)
      await Promise.all(changes)
      if (verified.finding !== null || verified.notes.length > 0) found.push({ i, ...verified })
      parts = Math.max(parts, verified.parts)
    }
    expect(found).toEqual([])
    // Not all was refused: there were parts to check.
    expect(parts).toBeGreaterThan(VERIFICATIONS / 2)
    const left = await spec.getJson<{ runs: unknown[] }>('/runs?limit=200')
    expect(left.runs.length).toBeGreaterThan(VERIFICATIONS / 3)
  })
})
