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
    for (let i = 0; i < 4; i++) await expect(bucket.remove(['a'.repeat(32)])).rejects.toThrow(ObjectsUnavailable)
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
    stop()
    bucket.close()
    await s3[Symbol.asyncDispose]()
  }
})
