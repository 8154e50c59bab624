import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { changeFeed, MAX_EVENTS_BEHIND, type Batch } from '../../runtime/change-feed.ts'
import { openFreshService, type FreshService } from '../support/stores/open-fresh.ts'

const PROJECTS = Array.from({ length: 600 }, (_, n) => `p${n}`)

let fresh: FreshService
let start = 0

beforeAll(async () => {
  fresh = await openFreshService()
  const { commit, head } = fresh.service
  start = (await head()).size
  for (const project of PROJECTS) await commit.restrictSet(SYSTEM, { project, suite: null })
})
afterAll(() => fresh.close())

const access = (from: number, to: number): unknown[] =>
  Array.from({ length: to - from }, (_, n) => ({ seq: from + n + 1, kind: 'access' }))

describe('the feed of changes', () => {
  it('lists what changed after a position, from memory or from the log', async () => {
    const { changes, reader, caughtUp, head } = fresh.service
    await caughtUp()
    const { size } = await head()
    expect(changes.position()).toBe(size)
    // A feed of a later process has seen nothing of it.
    const later = changeFeed()
    later.publish({ from: size, to: size, changes: [] })
    for (const feed of [changes, later]) {
      expect(await feed.since(start, reader)).toEqual(access(start, size))
      expect(await feed.since(size - 7, reader)).toEqual(access(size - 7, size))
      expect(await feed.since(size, reader)).toEqual([])
      expect(await feed.since(size + 1, reader)).toBeNull()
    }
    later.publish({ from: size, to: size + 1, changes: [{ seq: size + 1, kind: 'access' }] })
    expect(await later.since(size - 1, reader)).toEqual(access(size - 1, size + 1))
  })

  it('lists nothing if everything changed, or too much', async () => {
    const { reader } = fresh.service
    const feed = changeFeed()
    feed.publish({ from: 0, to: 5, changes: [] })
    feed.publish({ from: 5, to: 6, changes: null })
    expect(await feed.since(5, reader)).toBeNull()
    expect(await feed.since(6, reader)).toEqual([])
    feed.publish({ from: 6, to: 7 + MAX_EVENTS_BEHIND, changes: [] })
    expect(await feed.since(6, reader)).toBeNull()
    expect(await feed.since(7, reader)).toEqual([])
    // An older copy of the database replaced it.
    feed.publish({ from: 3, to: 3, changes: null })
    expect(await feed.since(6, reader)).toBeNull()
  })

  it('passes batches on until the listener leaves', () => {
    const feed = changeFeed()
    const seen: Batch[] = []
    const leave = feed.subscribe((batch) => seen.push(batch))
    feed.publish({ from: 0, to: 1, changes: [] })
    leave()
    feed.publish({ from: 1, to: 2, changes: [] })
    expect(seen.map(({ to }) => to)).toEqual([1])
  })
})
