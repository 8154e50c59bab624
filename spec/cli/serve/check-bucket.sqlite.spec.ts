import { expect, it } from 'vitest'
import { checkBucket } from '../../../cli/serve/check-bucket.ts'
import { bucketOf } from '../../support/s3/buckets.ts'
import { startS3Server } from '../../support/s3/stand-in.ts'
import { openApp } from '../../support/servers/app.ts'

it('a start does not wait for a bucket that does not answer: it warns, and goes on', async () => {
  const s3 = await startS3Server()
  const { service, close } = await openApp()
  const bucket = bucketOf(s3.storeUrl('p'))
  try {
    s3.state.fault = () => 'nothing'
    const warnings: unknown[] = []
    const logger = { info: () => {}, warn: (...line: unknown[]) => void warnings.push(line) }
    await checkBucket(bucket, { reader: service.reader, logger, waitMs: 20 })
    const line = (reason: string) => [{ reason }, 'large parts cannot be stored or read yet']
    expect(warnings).toEqual([line('no answer within 20 ms')])
    // What the check ends with is logged, and ends nothing.
    s3.state.fault = () => ({ status: 403, code: 'AccessDenied' })
    await s3[Symbol.asyncDispose]()
    await expect.poll(() => warnings).toEqual([line('no answer within 20 ms'), line(expect.any(String) as string)])
  } finally {
    bucket.close()
    await close()
    await s3[Symbol.asyncDispose]()
  }
})
