import { expect, it } from 'vitest'
import { watchBucket } from '../../../runtime/background/watch-bucket.ts'
import { ObjectsUnavailable } from '../../../storage/errors.ts'
import { bucketOf } from '../../support/s3/buckets.ts'
import { startS3Server } from '../../support/s3/stand-in.ts'

it('a bucket that failed is asked until it is back: one error line, then what waited is removed', async () => {
  const s3 = await startS3Server()
  const bucket = bucketOf(s3.storeUrl('p'))
  const lines: string[] = []
  let backs = 0
  const logger = {
    error: (fields: object) => void lines.push(JSON.stringify(fields)),
    info: (message: string) => void lines.push(message),
  } as unknown as Parameters<typeof watchBucket>[1]['logger']
  const stop = watchBucket(bucket, { logger, onBack: async () => void backs++ }, 5)
  try {
    s3.state.fault = () => ({ status: 503, code: 'ServiceUnavailable' })
    for (let i = 0; i < 4; i++) await expect(bucket.read('a'.repeat(32), 0, 5)).rejects.toThrow(ObjectsUnavailable)
    await expect.poll(() => lines).toEqual([expect.stringContaining('503 ServiceUnavailable')])
    const probes = () => s3.requests.filter((request) => request === 'GET p/store').length
    const before = probes()
    await expect.poll(probes).toBeGreaterThan(before + 3)
    expect(lines).toHaveLength(1)
    expect([bucket.health.isOpen(), backs]).toEqual([true, 0])
    s3.state.fault = () => null
    await expect.poll(() => backs).toBe(1)
    expect(lines.slice(1)).toEqual(['the store of large parts answers again'])
    expect(bucket.health.isUp()).toBe(true)
  } finally {
    await stop()
    bucket.close()
    await s3[Symbol.asyncDispose]()
  }
})

it('what cannot be removed when a bucket is back is logged; a stop ends the removal and waits for it', async () => {
  const s3 = await startS3Server()
  const bucket = bucketOf(s3.storeUrl('p'))
  const errors: unknown[] = []
  const logger = {
    error: (fields: object) => void errors.push(fields),
    info: () => {},
  } as unknown as Parameters<typeof watchBucket>[1]['logger']
  const failed = new Error('the database is closed')
  const held = Promise.withResolvers<void>()
  const seen: AbortSignal[] = []
  const onBack = async (signal: AbortSignal): Promise<void> => {
    seen.push(signal)
    if (seen.length === 1) throw failed
    await held.promise
  }
  const stop = watchBucket(bucket, { logger, onBack }, 5)
  const failOnce = async (): Promise<void> => {
    s3.state.fault = ({ key }) => (key === 'p/store' ? null : { status: 403, code: 'AccessDenied' })
    await expect(bucket.read('a'.repeat(32), 0, 5)).rejects.toThrow(ObjectsUnavailable)
  }
  try {
    await failOnce()
    await expect.poll(() => errors).toEqual([{ err: failed }])
    await failOnce()
    await expect.poll(() => seen.length).toBe(2)
    let isStopped = false
    const stopped = stop().then(() => (isStopped = true))
    expect([seen[1]?.aborted, isStopped]).toEqual([true, false])
    held.resolve()
    await stopped
  } finally {
    await stop()
    bucket.close()
    await s3[Symbol.asyncDispose]()
  }
})
