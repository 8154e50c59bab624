import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import { inclusionPath } from '../../../queries/log/tree.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { readSigningGuard, signingGuardOf } from '../../../storage/sqlite/signing-guard.ts'
import { exampleKey, ORIGIN, startSpecSigner } from '../../support/proof/opened-signer.ts'
import { onPostgres, openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'
import type { Commit } from '../../../commands/commit.ts'
import { callsByName } from '../../../runtime/calls-by-name.ts'
import { wrapCalls } from '../../support/wrap-calls.ts'

let fresh: FreshService
/** A store whose log began in the same way, and then recorded something else. */
let other: FreshService
let folder: string
let file: string

beforeEach(async () => {
  let time = 1_780_000_000_000
  const now = (): number => (time += 10)
  ;[fresh, other] = await Promise.all([openFreshService({ now }), openFreshService({ now })])
  folder = mkdtempSync(join(tmpdir(), 'ers-checkpoints-'))
  file = join(folder, 'checkpoints')
  await grow(fresh.service, 5)
})
afterEach(async () => {
  await fresh.close()
  await other.close()
  rmSync(folder, { recursive: true })
})

let projects = 0
const grow = async ({ commit }: OpenService, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await commit.restrictSet(SYSTEM, { project: `p${projects++}`, suite: null })
}

const headOf = async ({ head }: OpenService): Promise<string> => {
  const { size, root } = await head()
  return `${size}:${root}`
}

const sizesIn = ({ sql }: FreshService) => sql.column('SELECT size FROM checkpoints ORDER BY size')

/** Changes what a running process reads and writes, as if its database were replaced by a standby. */
const replaceable = () => {
  let current = fresh.service
  return {
    parts: {
      reader: {
        dialect: current.reader.dialect,
        read: (query) => current.reader.read(query),
        readAll: (queries) => current.reader.readAll(queries),
      },
      commit: callsByName<Commit>((name, [viewer, args]: readonly [Viewer, never]) =>
        current.commit[name](viewer, args),
      ),
    } satisfies Partial<Parameters<typeof startSpecSigner>[2]>,
    replace: () => {
      current = other.service
    },
  }
}

describe('a signer', () => {
  it('stops when its database is replaced by one that lacks records', async () => {
    const { parts, replace } = replaceable()
    const { signer, timers, lines } = await startSpecSigner(fresh, {}, parts)
    await grow(other.service, 2)
    const signed = await headOf(fresh.service)
    replace()
    timers.fire()
    await expect.poll(() => lines.map(({ level }) => level), { interval: 1 }).toEqual([60])
    expect(lines[0]!['msg']).toContain(`it signs ${signed}, and the log ends at ${await headOf(other.service)}`)
    await expect(signer.newest()).rejects.toThrow('Nothing is signed any more')
    await expect(signer.covering(1)).rejects.toThrow('Nothing is signed any more')
    expect(signer.status().has_stopped).toBe(true)
    // It does not begin again when the other log has grown.
    await grow(other.service, 9)
    timers.fire()
    await signer.close()
    expect(await sizesIn(other)).toEqual([])
  })

  it('stops when its database is replaced by one with other records', async () => {
    const { parts, replace } = replaceable()
    const { signer, lines } = await startSpecSigner(fresh, {}, parts)
    await grow(other.service, 9)
    replace()
    await expect(signer.newest()).rejects.toMatchObject({ name: 'Unavailable' })
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining(' there. Nothing is signed any more')])
    expect(await sizesIn(other)).toEqual([])
  })

  it('does not take nodes of the replaced database from memory', async () => {
    const { parts, replace } = replaceable()
    await grow(fresh.service, 195)
    const { signer } = await startSpecSigner(fresh, {}, parts)
    await grow(fresh.service, 100)
    // A proof of any record reads its whole tile, and keeps it.
    await inclusionPath(parts.reader, 0, 300)
    await grow(other.service, 320)
    replace()
    await expect(signer.newest()).rejects.toMatchObject({ name: 'Unavailable' })
    expect(await sizesIn(other)).toEqual([])
  })

  it('stops if another checkpoint of the same size is stored meanwhile', async () => {
    const { service } = fresh
    const { signer } = await startSpecSigner(
      fresh,
      {},
      {
        // Another process stores a checkpoint of another history first.
        commit: wrapCalls(service.commit, async ({ name, run }) => {
          const { size } = await service.head()
          if (name === 'keepCheckpoint') {
            const note = `${ORIGIN}\n${size}\n${Buffer.alloc(32, 7).toString('base64')}\n\n— ${ORIGIN} AAAAAAAA\n`
            await service.commit.keepCheckpoint(SYSTEM, { size, root: '07'.repeat(32), signed_at: 1, note })
          }
          return run()
        }),
      },
    )
    expect(signer.status().has_stopped).toBe(true)
  })
})

describe('a replica that still signs under a former name', () => {
  it('stops as soon as another one has adopted a new name, whose checkpoints go on', async () => {
    const next = `${ORIGIN}/2`
    const guards = { guardFile: null }
    const former = await startSpecSigner(fresh, {}, guards)
    const renamed = await startSpecSigner(fresh, { keys: [exampleKey(3, next)] }, guards)
    await grow(fresh.service, 1)
    const sizes = await sizesIn(fresh)
    former.timers.fire()
    await expect.poll(() => former.lines.map(({ level }) => level), { interval: 1 }).toEqual([60])
    expect(former.lines[0]!['msg']).toContain(`the configured keys are of ${ORIGIN}, a former name of this log`)
    await expect(former.signer.newest()).rejects.toThrow('A former name never signs again')
    expect(await sizesIn(fresh)).toEqual(sizes)

    const { size } = await fresh.service.head()
    renamed.timers.fire()
    await expect.poll(async () => (await renamed.signer.newest())?.size, { interval: 1 }).toBe(size)
    expect(renamed.signer.status().has_stopped).toBe(false)
    expect(renamed.lines).toMatchObject([{ level: 40, origin: next, former: ORIGIN }])
  })
})

describe('a file that shows what was signed', () => {
  it.skipIf(onPostgres)('must be replaced before a signature, and until it can be, nothing is signed', async () => {
    const state = join(folder, 'state')
    mkdirSync(state)
    const { signer, timers, lines } = await startSpecSigner(fresh, {}, { guardFile: join(state, 'checkpoint') })
    const signed = await sizesIn(fresh)
    rmSync(state, { recursive: true })
    await grow(fresh.service, 1)
    const { size } = await fresh.service.head()
    await expect(signer.covering(size)).rejects.toMatchObject({
      name: 'Unavailable',
      message: expect.stringContaining(
        `${join(state, 'checkpoint')}, which keeps what was signed, cannot be written`,
      ) as string,
    })
    expect(await sizesIn(fresh)).toEqual(signed)
    expect(lines).toEqual([])
    mkdirSync(state)
    timers.fire()
    await expect.poll(() => sizesIn(fresh), { interval: 1 }).toEqual([...signed, size])
  })

  it('must be readable, and until it is, nothing is signed', async () => {
    const { signer } = await startSpecSigner(fresh, { file })
    rmSync(folder, { recursive: true })
    await fresh.sql.execute('DELETE FROM checkpoints')
    await expect(signer.newest()).rejects.toMatchObject({
      name: 'Unavailable',
      message: expect.stringContaining(`SERVICE_CHECKPOINT_FILE: ${file} cannot be used`) as string,
    })
    mkdirSync(folder)
  })
})

describe('a start', () => {
  const start = (store: FreshService, config: Parameters<typeof startSpecSigner>[1] = {}) =>
    startSpecSigner(store, { file, ...config })

  it('fails if the log lacks records of the last checkpoint in the checkpoint file', async () => {
    await (await start(fresh)).signer.close()
    await grow(other.service, 2)
    const size = (await other.service.head()).size
    await expect(start(other)).rejects.toMatchObject({
      name: 'CheckpointNotInLog',
      message: expect.stringMatching(
        /^the last checkpoint in the file of SERVICE_CHECKPOINT_FILE is not a prefix .* made by "ers log keygen --origin results\.example\/log\/2 --out FILE", and name its file in SERVICE_CHECKPOINT_KEY_FILE$/s,
      ) as string,
    })
    expect((await other.service.head()).size).toBe(size)
  })

  it('fails if the log lacks records, also while an upgrade fills its tree', async () => {
    await (await start(fresh)).signer.close()
    await other.sql.execute("DELETE FROM projections WHERE name = 'tree'")
    await expect(start(other)).rejects.toMatchObject({ name: 'CheckpointNotInLog' })
    // A new name would have to say what it continues, and cannot yet.
    await grow(other.service, 20)
    await expect(start(other, { keys: [exampleKey(3, `${ORIGIN}/2`)] })).rejects.toThrow(
      `the configured keys are of ${ORIGIN}/2, a new name of this log, but the tree of its earlier records is not computed yet`,
    )
    expect(await other.sql.column('SELECT key_id FROM log_keys')).toEqual([])
  })

  it('fails if the log has other records than the last checkpoint in the checkpoint file', async () => {
    await (await start(fresh)).signer.close()
    await grow(other.service, 20)
    await expect(start(other)).rejects.toMatchObject({ name: 'CheckpointNotInLog' })
    expect(await sizesIn(other)).toEqual([])
  })

  it('fails if the newest stored checkpoint is not a prefix of the log', async () => {
    const { signer } = await start(fresh)
    const { size, root, signed_at, note } = (await signer.newest())!
    await grow(other.service, 20)
    await other.service.commit.keepCheckpoint(SYSTEM, { size, root: root.toString('hex'), signed_at, note })
    rmSync(file)
    await expect(start(other)).rejects.toThrow('the newest stored checkpoint is not a prefix of this log')
  })

  it.skipIf(onPostgres)('fails if the guard of the state directory is not a prefix of the log', async () => {
    await startSpecSigner(fresh)
    const guard = signingGuardOf(join(other.dataDir, 'service.db'))
    writeFileSync(guard, readFileSync(signingGuardOf(join(fresh.dataDir, 'service.db'))))
    await grow(other.service, 20)
    await expect(startSpecSigner(other)).rejects.toThrow(`the checkpoint in ${guard} is not a prefix of this log`)
    expect(await sizesIn(other)).toEqual([])
  })

  it.skipIf(onPostgres)('fails if the guard is of another log, and leaves it as it is', async () => {
    const guard = signingGuardOf(join(fresh.dataDir, 'service.db'))
    const note = (origin: string) => `${origin}\n9\n${Buffer.alloc(32, 7).toString('base64')}\n\n— ${origin} AAAAAAAA\n`
    writeFileSync(guard, note('foreign'))
    const refusal = `the checkpoint in ${guard} is of foreign, and this log never had that name`
    await expect(startSpecSigner(fresh)).rejects.toThrow(refusal)
    // Also before the first key is made.
    const none = { keys: null, defaultKeyFile: join(folder, 'checkpoint-key') }
    await expect(startSpecSigner(fresh, none)).rejects.toThrow(refusal)
    expect(readFileSync(guard, 'utf8')).toBe(note('foreign'))
    // The name of an older copy that never recorded it, and the next one.
    writeFileSync(guard, note('foreign'))
    await startSpecSigner(fresh, { keys: [exampleKey(3, 'foreign/2')] })
    expect(readFileSync(guard, 'utf8')).toMatch(/^foreign\/2\n[^]*\n\nforeign\n9\n/)
  })

  it.skipIf(onPostgres)('fails if the guard cannot be read', async () => {
    const guard = signingGuardOf(join(fresh.dataDir, 'service.db'))
    writeFileSync(guard, 'something else')
    await expect(startSpecSigner(fresh)).rejects.toThrow(`the checkpoint in ${guard} is not a checkpoint: `)
  })

  it.skipIf(onPostgres)('signs nothing that it cannot note in the guard', async () => {
    const { signer, lines } = await startSpecSigner(fresh, {}, { guardFile: join(folder, 'no-folder', 'checkpoint') })
    expect(lines.map(({ msg }) => msg)).toEqual(['no checkpoint could be signed; it is tried again'])
    expect(await signer.newest()).toBeNull()
    expect(await sizesIn(fresh)).toEqual([])
  })

  it('ignores a checkpoint whose write to the checkpoint file was interrupted', async () => {
    await (await start(fresh)).signer.close()
    const whole = readFileSync(file, 'utf8')
    appendFileSync(file, `${ORIGIN}\n99\nAAAA`)
    await grow(fresh.service, 1)
    await start(fresh)
    const [, second = ''] = readFileSync(file, 'utf8').split(`${ORIGIN}\n99\nAAAA\n\n`)
    const { size } = await fresh.service.head()
    expect(readFileSync(file, 'utf8').startsWith(whole)).toBe(true)
    expect(second).toMatch(new RegExp(`^${ORIGIN}\n${size}\n.{44}\n\n— ${ORIGIN} .*\n\n$`))
  })

  it('signs an older copy under a new name, which says what it continues', async () => {
    const { signer } = await start(fresh)
    const { size, root } = (await signer.newest())!
    await grow(fresh.service, 3)
    await signer.close()
    // The copy has the first checkpoint of the log, and not the last.
    await fresh.sql.execute(`DELETE FROM checkpoints WHERE size > ${size}`)
    writeFileSync(file, `${ORIGIN}\n999\n${Buffer.alloc(32, 7).toString('base64')}\n\n— ${ORIGIN} AAAAAAAA\n\n`)
    const guardFile = onPostgres ? null : signingGuardOf(join(fresh.dataDir, 'service.db'))
    if (guardFile !== null) writeFileSync(guardFile, readFileSync(file, 'utf8').trimEnd() + '\n')
    await expect(start(fresh)).rejects.toMatchObject({ name: 'CheckpointNotInLog' })

    const next = `${ORIGIN}/2`
    const renamed = await start(fresh, { keys: [exampleKey(3, next)] })
    const newest = (await renamed.signer.newest())!
    expect(newest.note.startsWith(`${next}\n${newest.size}\n`)).toBe(true)
    const [continues] = await fresh.sql.column(`SELECT continues FROM log_keys WHERE origin = '${next}'`)
    expect(JSON.parse(String(continues))).toEqual({ origin: ORIGIN, size, root: root.toString('hex') })
  })

  it('signs no older copy under a former name, although another name has signed since', async () => {
    await (await start(fresh)).signer.close()
    await grow(fresh.service, 2)
    await (await start(fresh)).signer.close()
    // The older copy is `other`; the state directory keeps its guard.
    const guardFile = onPostgres ? null : signingGuardOf(join(fresh.dataDir, 'service.db'))
    await grow(other.service, 20)
    const next = `${ORIGIN}/2`
    await (await startSpecSigner(other, { file, keys: [exampleKey(3, next)] }, { guardFile })).signer.close()
    expect(readFileSync(file, 'utf8')).toContain(`\n${next}\n`)

    // A third copy, in which no other name was ever recorded.
    const third = await openFreshService({ now: () => 1_780_000_000_000 })
    try {
      await grow(third.service, 30)
      await expect(startSpecSigner(third, { file }, { guardFile: null })).rejects.toThrow(
        'the last checkpoint in the file of SERVICE_CHECKPOINT_FILE is not a prefix of this log',
      )
      if (guardFile !== null) {
        expect(readSigningGuard(guardFile)).toMatch(new RegExp(`^${next}\n`))
        await expect(startSpecSigner(third, {}, { guardFile })).rejects.toThrow(
          `the checkpoint in ${guardFile} is not a prefix of this log`,
        )
      }
    } finally {
      await third.close()
    }
  })

  it('goes on with the checkpoint file after its name has changed', async () => {
    await (await start(fresh)).signer.close()
    // A former log was longer.
    writeFileSync(file, `former\n999\n${Buffer.alloc(32, 7).toString('base64')}\n\n— former AAAAAAAA\n\n`)
    const { signer } = await start(fresh)
    expect(readFileSync(file, 'utf8').endsWith(`\n\n${(await signer.newest())!.note}\n`)).toBe(true)
  })
})
