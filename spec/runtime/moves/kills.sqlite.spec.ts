import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openMover } from '../../../runtime/moves/mover.ts'
import { openService } from '../../../runtime/open-service.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { buildScript } from '../../support/built-script.ts'
import { moveAll } from '../../support/documents/moves.ts'
import { smallDocument } from '../../support/documents/small-document.ts'
import { bucketOf, settingsOf } from '../../support/s3/buckets.ts'
import { KEYS, startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { onFile } from '../../support/stores/store.ts'

const PROCESS = fileURLToPath(new URL('../../support/moves/killed-process.ts', import.meta.url))
const STEPS = [
  ...['claimed', 'begun', 'sent', 'confirmed', 'stored', 'read back', 'ended', 'deleted'],
  ...['claimMoves', 'beginMoves', 'endMoves', 'deleteRun', 'forgetObject', 'returnDocument'].flatMap((name) => [
    `before ${name}`,
    `after ${name}`,
  ]),
]
const DAY_MS = 86_400_000

const root = mkdtempSync(join(tmpdir(), 'ers-move-kills-'))
let s3: S3Server
let built: string
beforeAll(async () => {
  built = await buildScript(PROCESS, root)
  for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
  s3 = await startS3Server()
})
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

describe('a process that moves documents', () => {
  it.each(STEPS)('loses nothing and leaves nothing if it is killed at: %s', async (step) => {
    const [dataDir, prefix] = [join(root, step), `step-${STEPS.indexOf(step)}`]
    const [file, url] = [join(dataDir, 'service.db'), s3.storeUrl(prefix)]
    const child = spawn(process.execPath, [built, dataDir, step, url], {
      env: { ...bareEnvironment(), ...KEYS },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, errors, [, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null, string | null]>,
    ])
    expect(signal, errors).toBe('SIGKILL')
    const findingIn = async () =>
      (await verifyLog(file, null, undefined, { parts: 'all', bucket: bucketOf(url) })).finding
    expect(await findingIn()).toBeNull()

    let now = Date.now() + 120_000
    const service = await openService({ dataDir, now: () => now++, bucket: { settings: settingsOf(url) } })
    const { reader, documents, commit } = service
    const bucket = bucketOf(url, { identity: async () => reader.read(findLogIdentity) })
    const partStore = openPartStore({ ...service, partsFolder: null, bucket, now: () => now++ }, PART_LIMITS)
    await moveAll(openMover({ reader, commit, now: () => now++, holder: 'next', bucket, partStore }))
    for (const run_id of ['stays', 'goes', 'returns']) {
      const run = await reader.read(findRun(CLI, run_id))
      const mayBeGone = out.includes('deletes goes') && run_id === 'goes'
      if (!run) expect(mayBeGone || !out.includes(`stored ${run_id}`), run_id).toBe(true)
      else expect(Buffer.concat(await Array.fromAsync(documents.whole(run))).toString()).toBe(smallDocument(run_id))
    }
    now += 2 * DAY_MS
    await partStore.sweep(new AbortController().signal)
    await service.close()
    expect(await findingIn()).toBeNull()
    const known = onFile(file, (database) => database.prepare('SELECT object_id FROM objects').pluck().all())
    const there = [...s3.objects.keys()].filter((key) => key.startsWith(`${prefix}/objects/`))
    expect(there.map((key) => key.split('/').at(-1)).toSorted()).toEqual(known.toSorted())
  })
})
