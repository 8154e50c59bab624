import { writeSync } from 'node:fs'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openService } from '../../../runtime/open-service.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { aDocument } from '../documents/documents.ts'
import { digestOf, manifestOf, PIECE } from '../documents/parts.ts'
import { PART_LIMITS } from '../servers/part-limits.ts'
import { bucketOf, settingsOf } from '../s3/buckets.ts'
import { wrapCalls } from '../wrap-calls.ts'
import { partOfSeed, PART_SIZES } from './part-of-seed.ts'
import { storeAt } from './store-at.ts'

// Stores and removes large parts, and kills itself at the n-th time of a step. What it has done it writes to its standard output,
// at its end also how often it reached the step.

const [at = '', point = '', times = '1', seedText = '1', bucketUrl = '', place = ''] = process.argv.slice(2)
const seed = Number(seedText)
let reached = 0
const reach = (step: string): void => {
  if ((step === point || point === 'any') && ++reached === Number(times)) process.kill(process.pid, 'SIGKILL')
}
const say = (line: string): void => void writeSync(1, `${line};\n`)

const bucketSettings = bucketUrl === '' ? null : settingsOf(bucketUrl)
const { location, partsFolder } = storeAt(at, place)
const service = await openService({ ...location, bucket: bucketSettings && { settings: bucketSettings } })
const commit = wrapCalls(service.commit, async ({ name, run }) => {
  reach(`before ${name}`)
  const result = await run()
  reach(`after ${name}`)
  return result
})
const identity = async () => service.reader.read(findLogIdentity)
const bucket = bucketUrl === '' ? null : bucketOf(bucketUrl, { identity, observe: reach })
const store = openPartStore({ ...service, commit, now: Date.now, bucket, observe: reach, partsFolder }, PART_LIMITS)
const run_id = `run-${seed}`
const document = new TextEncoder().encode(JSON.stringify(aDocument({ run_id })))
await service.commit.ingestRun(SYSTEM, { body: document, encoding: null })
say('begun')

const [whole, pieces, dropped] = PART_SIZES.map((size, n) => partOfSeed(seed, n, size))
if (!whole || !pieces || !dropped) throw new Error('there are three parts')
const put = async (bytes: Buffer): Promise<void> => {
  await store.storeWhole(SYSTEM, digestOf(bytes), new Uint8Array(bytes))
  say(`stored ${digestOf(bytes)}`)
}
await put(whole)
const sha256 = digestOf(pieces)
for (const n of [1, 0]) {
  const body = new Uint8Array(pieces.subarray(n * PIECE, (n + 1) * PIECE))
  await store.storePiece(SYSTEM, sha256, { n, total: pieces.length, body })
}
say(`stored ${sha256}`)
await put(dropped)
say(`drops ${digestOf(dropped)}`)
await store.dropUpload(SYSTEM, digestOf(dropped))
say(`dropped ${digestOf(dropped)}`)
const manifest = manifestOf([whole, pieces].map((bytes) => ({ bytes, role: 'original' })))
await put(manifest)
await commit.attachEvidence(SYSTEM, { run_id, manifest: digestOf(manifest), maxPartBytes: Infinity })
say('attached')
say(`reached ${reached}`)
await service.close()
