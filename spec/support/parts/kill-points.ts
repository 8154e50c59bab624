import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { findNamedParts } from '../../../queries/evidence/staged.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openService } from '../../../runtime/open-service.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { buildScript } from '../built-script.ts'
import { digestOf } from '../documents/parts.ts'
import { storedObjects } from '../documents/stored-objects.ts'
import { PART_LIMITS } from '../servers/part-limits.ts'
import { bucketOf, settingsOf } from '../s3/buckets.ts'
import { KEYS, type S3Server } from '../s3/stand-in.ts'
import { putEmptyStore } from '../stores/empty-stores.ts'
import { sqlOnDatabase, sqlOnFile } from '../stores/plain-sql.ts'
import { verifyStore } from '../stores/verified.ts'
import { partOfSeed, PART_SIZES } from './part-of-seed.ts'
import { storeAt } from './store-at.ts'

const PROCESS = fileURLToPath(new URL('killed-process.ts', import.meta.url))

/** The steps before and after each commit. */
const COMMITS = [
  ...[
    'beginObject',
    'stageParts',
    'storePiece',
    'completePart',
    'attachEvidence',
    'dropUpload',
    'forgetObject',
  ].flatMap((name) => [`before ${name}`, `after ${name}`]),
]

/** The steps of storing and removing large parts in files, in the database, and in a bucket. */
export const KILL_POINTS = ['written', 'synced', 'renamed', 'durable', 'unlinked', ...COMMITS]
export const TABLE_KILL_POINTS = [
  ...['writeObjectRows', 'removeObjectRows'].flatMap((name) => [`before ${name}`, `after ${name}`]),
  ...COMMITS,
]
export const BUCKET_KILL_POINTS = ['sent', 'confirmed', 'deleted', ...COMMITS]

const DAY_MS = 86_400_000

/**
 * Builds the process that `killAt` kills, and returns its path. It runs to its end once, on a state directory or a database of its own, so that Node keeps
 * the code that it has compiled for the next starts.
 */
export const buildKilled = async (folder: string, at = join(folder, 'not killed')): Promise<string> => {
  const built = await buildScript(PROCESS, folder)
  const { problems } = await killAt(built, at, 'none', 1, 1)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return built
}

/**
 * Runs a process that stores and removes parts in files of a state directory, in its database or in a bucket, killed at the n-th time of a step, of
 * `any`, or n ms after it has begun (`moment`). Then checks that nothing that it acknowledged is lost, that nothing is wrong with the store, and that
 * nothing is left after a sweep. Returns whether it was killed, what is wrong, and if it was not killed how often it reached the step. `built` is from
 * `buildKilled`; `at` is the path of a new state directory, or the URL of a database with its tables.
 */
export const killAt = async (
  built: string,
  at: string,
  point: string,
  n: number,
  seed: number,
  place: 'files' | 'table' | S3Server = 'files',
): Promise<{ readonly killed: boolean; readonly problems: readonly string[]; readonly reached: number }> => {
  const s3 = typeof place === 'string' ? null : place
  const url = s3?.storeUrl(`seed-${seed}`) ?? ''
  const settings = s3 && settingsOf(url)
  const placeName = typeof place === 'string' ? place : 's3'
  const { location, databaseUrl, dataDir, partsFolder } = storeAt(at, placeName)
  const file = join(dataDir, 'service.db')
  // No step is one of a migration.
  if (databaseUrl === null) {
    mkdirSync(dataDir)
    putEmptyStore('service', file)
  }
  const child = spawn(process.execPath, [built, at, point, String(n), String(seed), url, placeName], {
    env: { ...bareEnvironment(), ...KEYS, NODE_COMPILE_CACHE: join(dirname(built), 'cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (point === 'moment') child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), n))
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  if (code !== null && code !== 0) return { killed: false, problems: [`the process failed: ${errors}`], reached: 0 }
  const problems: string[] = []
  const check = (isRight: boolean, problem: string): void => {
    if (!isRight) problems.push(`${problem}, killed at ${point} (${n}, seed ${seed})`)
  }
  const verify = async (when: string): Promise<void> => {
    const { finding } = await verifyStore({ databaseUrl, dataDir }, { parts: 'all', bucket: s3 && bucketOf(url) })
    check(finding === null, `verify finds ${finding?.message ?? ''} ${when}`)
  }
  await verify('after the kill')

  let now = Date.now()
  const service = await openService({ ...location, now: () => now++, bucket: settings && { settings } })
  const identity = async () => service.reader.read(findLogIdentity)
  const bucket = s3 && bucketOf(url, { identity })
  const store = openPartStore({ ...service, partsFolder, bucket, now: () => now++ }, PART_LIMITS)
  const read = async (part_no: number, bytes: number): Promise<string> => {
    const hash = createHash('sha256')
    for await (const chunk of store.read(part_no, 0, bytes)) hash.update(chunk)
    return hash.digest('hex')
  }
  const acknowledged = out.split('\n').filter((line) => line.endsWith(';'))
  const dropped = new Set(acknowledged.flatMap((line) => /^dropped (\w+);$/.exec(line)?.[1] ?? []))
  for (const line of acknowledged) {
    const [, sha256 = ''] = /^stored (\w+);$/.exec(line) ?? []
    if (sha256 === '' || dropped.has(sha256)) continue
    const named = (await service.reader.read(findNamedParts(SYSTEM, [sha256]))).get(sha256)
    const part_no = named?.staged ?? named?.ofRun
    // A drop that was begun may have come through.
    if (named === undefined && acknowledged.includes(`drops ${sha256};`)) continue
    check(named !== undefined && (await read(part_no ?? 0, named.bytes)) === sha256, `part ${sha256} is lost`)
  }
  // What was interrupted can be sent again.
  for (const [at, size] of PART_SIZES.entries()) {
    const bytes = partOfSeed(seed, at, size)
    await store.storeWhole(SYSTEM, digestOf(bytes), bytes)
  }
  now += 2 * DAY_MS
  await store.sweep(AbortSignal.timeout(60_000))
  await service.close()
  await verify('after the sweep')
  const sql = databaseUrl === null ? sqlOnFile(file) : sqlOnDatabase(databaseUrl)
  const known = await sql.column("SELECT object_id FROM objects WHERE state = 'stored'")
  const unstored = await sql.column("SELECT 1 FROM objects WHERE state <> 'stored'")
  const prefix = `seed-${seed}/objects/`
  const inBucket = [...(s3?.objects.keys() ?? [])].filter((key) => key.startsWith(prefix))
  const left = [
    ...(await storedObjects({ databaseUrl, dataDir, column: sql.column })),
    ...inBucket.map((key) => key.slice(key.lastIndexOf('/') + 1)),
  ]
  await sql.close()
  check(left.toSorted().join() === known.toSorted().join(), `${left.length} files are left for ${known.length} objects`)
  check(unstored.length === 0, 'rows of interrupted objects are left')
  return { killed: code === null, problems, reached: Number(/^reached (\d+);$/m.exec(out)?.[1] ?? 0) }
}
