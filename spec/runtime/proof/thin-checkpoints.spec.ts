import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deleteCheckpoints } from '../../../commands/checkpoint/keep-checkpoint.ts'
import { thinCheckpoints } from '../../../runtime/proof/thin-checkpoints.ts'
import { insertRows } from '../../../storage/sql.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import type { Commit } from '../../../commands/commit.ts'
import { callsByName } from '../../../runtime/calls-by-name.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)

let store: SpecStorage
beforeEach(async () => void (store = await openStorage()))
afterEach(() => store.close())

/** Stores checkpoints of the sizes 1, 2, 3, …, signed at these times, each with a cosignature. */
const keep = async (times: readonly number[]): Promise<void> => {
  for (let from = 0; from < times.length; from += 1000) {
    const part = times.slice(from, from + 1000).map((time, n) => ({ size: from + n + 1, time }))
    await store.run(
      insertRows(
        'checkpoints',
        ['size', 'root', 'signed_at', 'note'],
        part.map(({ size, time }) => [size, Buffer.alloc(32), time, 'note']),
      ),
      insertRows(
        'cosignatures',
        ['size', 'key_name', 'key_id', 'line', 'at'],
        part.map(({ size }) => [size, 'w', '00000000', 'line', 1]),
      ),
    )
  }
}

/** Deletes the old ones. Returns how many each commit has deleted. */
const thinAt = async (now: number): Promise<number[]> => {
  const deleted: number[] = []
  const commit = callsByName<Commit>(async (name, [viewer, args]: Parameters<typeof deleteCheckpoints>) => {
    if (name !== 'deleteCheckpoints') throw new Error(`an unexpected command: ${name}`)
    deleted.push(args.sizes.length)
    await store.commitAll(deleteCheckpoints(viewer, args))
  })
  await thinCheckpoints({ reader: store.reader, commit }, now)
  return deleted
}

const sizes = () => store.sql.column('SELECT size FROM checkpoints ORDER BY size')
const cosigned = () => store.sql.column('SELECT size FROM cosignatures ORDER BY size')

describe('old checkpoints', () => {
  it('are deleted in commits of a thousand at most, and the last of each day stays', async () => {
    const ofDay = (day: number, count: number) => Array.from({ length: count }, (_, n) => START + day * DAY_MS + n)
    await keep([...ofDay(0, 1500), ...ofDay(1, 1), ...ofDay(2, 1200), ...ofDay(40, 5)])
    expect(await thinAt(START + 41 * DAY_MS)).toEqual([1000, 998, 700])
    expect(await sizes()).toEqual([1500, 1501, 2701, 2702, 2703, 2704, 2705, 2706])
    expect(await cosigned()).toEqual(await sizes())
    // The next day finds nothing new.
    expect(await thinAt(START + 42 * DAY_MS)).toEqual([])
  })

  it('are none before 30 days, and none in an empty store', async () => {
    expect(await thinAt(START)).toEqual([])
    await keep([START, START + 1])
    expect(await thinAt(START + 30 * DAY_MS)).toEqual([])
    expect(await thinAt(START + 30 * DAY_MS + 2)).toEqual([1])
    expect(await sizes()).toEqual([2])
  })
})
