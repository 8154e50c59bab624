import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { openSync, closeSync, fsyncSync, rmSync } from 'node:fs'
import { readStoreUrl } from '../../../storage/objects/s3/settings.ts'
import { openSender } from '../../../storage/objects/s3/send.ts'
import { bucketAddress, signS3 } from '../../../domain/aws/sign.ts'
import { KEYS } from '../../../spec/support/s3/stand-in.ts'
import type { Body } from './bodies.ts'

const MIB = 2 ** 20

/** MiB a second of some bytes in a time. */
export const rateOf = (bytes: number, ms: number): number => bytes / MIB / (ms / 1000)

/** Runs a program to its end. Throws: Error. */
export const run = async (program: string, args: readonly string[]): Promise<void> => {
  const [code] = (await once(spawn(program, args, { stdio: 'ignore' }), 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
}

/** Milliseconds of `zstd -3` of a file, until what it wrote is on disk, and of `sha256sum` of it afterwards. */
export const timeOfZstd = async (file: string): Promise<number> => {
  const out = `${file}.zst`
  const from = performance.now()
  await run('zstd', ['-3', '-q', '-f', file, '-o', out])
  const handle = openSync(out, 'r')
  fsyncSync(handle)
  closeSync(handle)
  await run('sha256sum', [file])
  const ms = performance.now() - from
  rmSync(out)
  return ms
}

/** Runs jobs, some of them at the same time. */
export const atOnce = async (lanes: number, count: number, job: (n: number) => Promise<void>): Promise<void> => {
  let next = 0
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < count) await job(next++)
    }),
  )
}

/** Sends signed requests to a bucket directly. */
const openBucket = (storeUrl: string) => {
  const settings = readStoreUrl(storeUrl)
  const sender = openSender()
  const address = bucketAddress({ ...settings, region: 'us-east-1' })
  const credentials = { accessKeyId: KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY }
  const send = async (
    method: 'GET' | 'PUT',
    name: number,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    digest = createHash('sha256').update(body).digest('hex'),
  ): Promise<void> => {
    const signed = await signS3(
      { method, url: `${address}/${settings.prefix}/raw/${name}`, bodySha256: digest, headers },
      { region: 'us-east-1', credentials, now: Date.now },
    )
    const { status } = await sender.send({
      ...{ ...signed, method, body: body.length > 0 ? [body] : [] },
      ...{ timeoutMs: 60_000, maxBytes: MIB },
    })
    if (status >= 300) throw new Error(`the bucket answered ${status}`)
  }
  const put = (n: number, body: Buffer): Promise<void> => {
    const digest = createHash('sha256').update(body).digest()
    const headers = { 'content-type': 'application/octet-stream', 'x-amz-checksum-sha256': digest.toString('base64') }
    return send('PUT', n, headers, body, digest.toString('hex'))
  }
  return { put, send, close: sender.close }
}

/** Milliseconds in which a body is put into a bucket directly, in pieces, four at a time, each with its digest and a signature. */
export const timeOfSignedPuts = async (storeUrl: string, { pieces, piece }: Body): Promise<number> => {
  const bucket = openBucket(storeUrl)
  const from = performance.now()
  await atOnce(4, pieces, (n) => bucket.put(n, piece(n)))
  const ms = performance.now() - from
  bucket.close()
  return ms
}

/** Milliseconds of each read of a range of an object of a bucket. */
export const timesOfSignedRanges = async (
  storeUrl: string,
  { piece }: Body,
  length: number,
  count: number,
): Promise<number[]> => {
  const bucket = openBucket(storeUrl)
  await bucket.put(0, piece(0))
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const start = (n * 7919 * 512) % (piece(0).length - length)
    const from = performance.now()
    await bucket.send('GET', 0, { range: `bytes=${start}-${start + length - 1}` }, Buffer.alloc(0))
    times.push(performance.now() - from)
  }
  bucket.close()
  return times.sort((x, y) => x - y)
}
