import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseCheckpoint } from '../../../domain/proof/checkpoint.ts'
import { checkCheckpoint } from '../../../domain/proof/check.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { parseNote } from '../../../domain/proof/note.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { createSpecSigner, exampleKey, ORIGIN, startSpecSigner } from '../../support/proof/opened-signer.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

const START = 1_780_000_000_000

let fresh: FreshService
let time: number

beforeEach(async () => {
  time = START
  fresh = await openFreshService({ now: () => time })
  await record()
})
afterEach(() => fresh.close())

/** Adds one record to the log. */
const record = (): Promise<void> =>
  fresh.service.commit.restrictSet(SYSTEM, { project: `p${(time += 10)}`, suite: null })

const sizes = () => fresh.sql.column('SELECT size FROM checkpoints ORDER BY size')

describe('the signer of checkpoints', () => {
  it('signs size and root of the log at its start, verifiably', async () => {
    const { signer } = await startSpecSigner(fresh)
    const newest = (await signer.newest())!
    const { size, root } = await fresh.service.head()
    expect({ size: newest.size, root: newest.root.toString('hex') }).toEqual({ size, root })
    expect(parseCheckpoint(parseNote(newest.note).text)).toMatchObject({ origin: ORIGIN, size })
    expect(signer.vkeys).toEqual([exampleKey().vkey])
    const keys = [await parseVkey(signer.vkeys[0]!, nodeCrypto)]
    await checkCheckpoint(newest.note, { keys, policy: null }, nodeCrypto)
  })

  it('signs again after the interval, if the log has grown', async () => {
    const { signer, timers } = await startSpecSigner(fresh, { seconds: 7 })
    const first = (await signer.newest())!.size
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([7000])
    timers.fire()
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([7000])
    await record()
    timers.fire()
    await expect.poll(sizes, { interval: 1 }).toEqual([first, first + 1])
  })

  it('signs a last checkpoint when it closes, and then none', async () => {
    const { signer, timers } = await startSpecSigner(fresh)
    const { size } = (await signer.newest())!
    await record()
    await signer.close()
    expect(timers.waiting).toEqual([])
    expect(await sizes()).toEqual([size, size + 1])
  })

  it('signs with all keys', async () => {
    const keys = [exampleKey(1), exampleKey(2)]
    const { signer } = await startSpecSigner(fresh, { keys })
    const note = (await signer.newest())!.note
    expect(parseNote(note).signatures.map(({ id }) => id)).toEqual(keys.map(({ id }) => id))
  })

  it('refuses reads before it has started', async () => {
    const { signer } = createSpecSigner(fresh)
    await expect(signer.newest()).rejects.toThrow('the service does not sign checkpoints yet')
  })
})

describe('a checkpoint that covers a record', () => {
  it('is the newest if that suffices', async () => {
    const { signer, timers } = await startSpecSigner(fresh)
    const newest = (await signer.newest())!
    await record()
    expect((await signer.covering(newest.size)).size).toBe(newest.size)
    expect(timers.waiting).toHaveLength(1)
  })

  it('is signed at once if needed', async () => {
    const { signer } = await startSpecSigner(fresh)
    await record()
    const { size } = await fresh.service.head()
    expect((await signer.covering(size)).size).toBe(size)
  })

  it('is shared by all callers, at most one a second', async () => {
    const { signer, timers } = await startSpecSigner(fresh)
    await record()
    const { size } = await fresh.service.head()
    await signer.covering(size)
    await record()
    await record()
    const later = [signer.covering(size + 1), signer.covering(size + 2)]
    await expect.poll(() => timers.waiting.map(({ ms }) => ms), { interval: 1 }).toEqual([60_000, 980])
    timers.waiting.splice(1)[0]!.work()
    expect((await Promise.all(later)).map((checkpoint) => checkpoint.size)).toEqual([size + 2, size + 2])
    expect(await sizes()).toEqual([size - 1, size, size + 2])
  })

  it('does not exist beyond the log', async () => {
    const { signer, timers } = await startSpecSigner(fresh)
    const { size } = await fresh.service.head()
    const beyond = expect(signer.covering(size + 1)).rejects.toThrow(`no checkpoint covers ${size + 1} records`)
    let over = false
    void beyond.finally(() => (over = true))
    await expect
      .poll(
        () => {
          timers.waiting.splice(1).forEach(({ work }) => work())
          return over
        },
        { interval: 1 },
      )
      .toBe(true)
    await beyond
  })
})

it('old checkpoints are deleted after 30 days, except the last of each day', async () => {
  const { signer, timers } = await startSpecSigner(fresh)
  const first = (await signer.newest())!.size
  const sign = async (): Promise<void> => {
    await record()
    timers.fire()
    const { size } = await fresh.service.head()
    await expect.poll(async () => (await sizes()).at(-1), { interval: 1 }).toBe(size)
  }
  await sign()
  await sign()
  time = START + 86_400_000
  await sign()
  await sign()
  expect(await sizes()).toEqual([first, first + 1, first + 2, first + 3, first + 4])
  time = START + 30.9 * 86_400_000
  await sign()
  await expect.poll(sizes, { interval: 1 }).toEqual([first + 2, first + 3, first + 4, first + 5])
  time = START + 40 * 86_400_000
  await sign()
  await expect.poll(sizes, { interval: 1 }).toEqual([first + 2, first + 4, first + 5, first + 6])
})
