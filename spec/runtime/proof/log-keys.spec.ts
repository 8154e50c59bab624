import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseNote } from '../../../domain/proof/note.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { recordKeys } from '../../../runtime/proof/log-keys.ts'
import { parseKeys } from '../../../runtime/proof/keys.ts'
import { createSpecSigner, exampleKey, ORIGIN, startSpecSigner } from '../../support/proof/opened-signer.ts'
import { capturedLog } from '../../support/stores/captured-log.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

let fresh: FreshService
let folder: string

beforeEach(async () => {
  let time = 1_780_000_000_000
  fresh = await openFreshService({ now: () => (time += 10) })
  folder = mkdtempSync(join(tmpdir(), 'ers-log-keys-'))
  await fresh.service.commit.restrictSet(SYSTEM, { project: 'p', suite: null })
})
afterEach(async () => {
  await fresh.close()
  rmSync(folder, { recursive: true })
})

type Keys = ReadonlyArray<ReturnType<typeof exampleKey>>

/** Starts and stops with these keys. Returns the ids of the keys that signed. */
const signWith = async (...keys: Keys): Promise<string[]> => {
  const { signer } = await startSpecSigner(fresh, { keys })
  const { note } = (await signer.newest())!
  await signer.close()
  return parseNote(note).signatures.map(({ id }) => id)
}

/** The recorded keys, with whether they sign. */
const recorded = async () => {
  const rows = await fresh.sql.rows('SELECT key_id, retired_at FROM log_keys ORDER BY adopted_seq')
  return rows.map((row) => ({ id: row['key_id'], signs: row['retired_at'] === null }))
}

const events = () =>
  fresh.sql.column(
    "SELECT events.type FROM events JOIN event_bodies USING (seq) WHERE stream LIKE 'log-key/%' ORDER BY events.seq",
  )

const [first, second] = [exampleKey(1), exampleKey(2)]

describe('the keys of a log', () => {
  it('are recorded when they sign for the first time, once', async () => {
    await signWith(first)
    await signWith(first)
    expect(await events()).toEqual(['LogKeyAdopted'])
    expect(await fresh.sql.rows('SELECT key_id, origin, vkey, continues, retired_at FROM log_keys')).toEqual([
      { key_id: first.id, origin: ORIGIN, vkey: first.vkey, continues: null, retired_at: null },
    ])
    const [body] = await fresh.sql.column(`SELECT body FROM event_bodies WHERE stream = 'log-key/${first.id}'`)
    expect(JSON.parse(String(body))).toMatchObject({
      actor: { kind: 'system', user_id: null },
      data: { continues: null, key_id: first.id, origin: ORIGIN, vkey: first.vkey },
      version: 1,
    })
  })

  it('change with an overlap', async () => {
    expect(await signWith(first)).toEqual([first.id])
    expect(await signWith(first, second)).toEqual([first.id, second.id])
    expect(await signWith(second)).toEqual([second.id])
    expect(await recorded()).toEqual([
      { id: first.id, signs: false },
      { id: second.id, signs: true },
    ])
    expect(await events()).toEqual(['LogKeyAdopted', 'LogKeyAdopted', 'LogKeyRetired'])
  })

  it('change without an overlap, as after a theft, and back', async () => {
    await signWith(first)
    expect(await signWith(second)).toEqual([second.id])
    expect(await recorded()).toEqual([
      { id: first.id, signs: false },
      { id: second.id, signs: true },
    ])
    await signWith(first)
    expect(await recorded()).toEqual([
      { id: first.id, signs: true },
      { id: second.id, signs: false },
    ])
  })

  it('are logged when they change, and with a warning when the name changes', async () => {
    const { logger, lines } = capturedLog()
    const other = exampleKey(3, `${ORIGIN}/2`)
    for (const keys of [[first], [first], [second], [other]]) {
      const { signer } = await startSpecSigner(fresh, { keys }, { logger })
      await signer.close()
    }
    expect(lines).toMatchObject([
      { level: 30, origin: ORIGIN, adopted: [first.vkey], retired: [] },
      { level: 30, origin: ORIGIN, adopted: [second.vkey], retired: [first.vkey] },
      { level: 30, origin: other.name, adopted: [other.vkey], retired: [second.vkey] },
      { level: 40, origin: other.name, former: ORIGIN },
    ])
  })

  it('of another name begin another log, which continues this one', async () => {
    const { signer } = await startSpecSigner(fresh)
    const { size, root } = (await signer.newest())!
    const other = exampleKey(1, 'results.example/other')
    await signWith(other, exampleKey(2, other.name))
    const rows = await fresh.sql.column(`SELECT continues FROM log_keys WHERE origin = '${other.name}'`)
    const continues = { origin: ORIGIN, root: root.toString('hex'), size }
    expect(rows.map((text) => JSON.parse(String(text)) as unknown)).toEqual([continues, continues])
  })

  it('of a former name never sign again, neither at a start nor after another replica has changed the name', async () => {
    await signWith(first)
    const { signer } = createSpecSigner(fresh, { keys: [second] })
    await signer.check()
    const other = exampleKey(1, `${ORIGIN}/2`)
    await signWith(other)
    const { size } = await fresh.service.head()
    const refusal = {
      name: 'UserError',
      message: expect.stringMatching(
        new RegExp(
          `^the configured keys are of ${ORIGIN}, a former name of this log, which is signed as ${other.name} since record ${size - 1}\\. .*--origin ${other.name} --out FILE".* such as ${ORIGIN}/3$`,
        ),
      ) as string,
    }
    await expect(createSpecSigner(fresh, { keys: [first] }).signer.check()).rejects.toMatchObject(refusal)
    await expect(signer.start()).rejects.toMatchObject(refusal)
    await expect(recordKeys(fresh.service, [first], [])).rejects.toMatchObject(refusal)
    expect((await fresh.service.head()).size).toBe(size)
    // Another key of the present name may follow.
    await signWith(exampleKey(2, other.name))
  })
})

describe('the first key of a state directory', () => {
  const config = () => ({ keys: null, defaultKeyFile: join(folder, 'checkpoint-key') })

  it('is named after the first record, and only its owner can read it', async () => {
    const { signer } = await startSpecSigner(fresh, config())
    const file = join(folder, 'checkpoint-key')
    const [key] = parseKeys(readFileSync(file, 'utf8'))
    const [leaf] = await fresh.sql.column('SELECT leaf FROM events WHERE seq = 1')
    expect(key.name).toBe(`evaluation-results/${(leaf as Buffer).toString('hex').slice(0, 16)}`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(signer.vkeys).toEqual([key.vkey])
    expect((await signer.newest())!.note.startsWith(`${key.name}\n`)).toBe(true)
  })

  it('is not made again: a start without it fails and names the file', async () => {
    const { signer } = await startSpecSigner(fresh, config())
    const file = join(folder, 'checkpoint-key')
    rmSync(file)
    const { size } = await fresh.service.head()
    await expect(startSpecSigner(fresh, config())).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(`^${file} is missing, but this log is signed by the key `) as string,
    })
    await expect(startSpecSigner(fresh, config())).rejects.toThrow(signer.vkeys[0])
    expect((await fresh.service.head()).size).toBe(size)
  })
})
