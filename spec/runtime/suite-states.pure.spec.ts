import { describe, expect, it } from 'vitest'
import { setTag } from '../../commands/tags.ts'
import { setKey } from '../../domain/sets.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import type { LongReads } from '../../queries/long-reads.ts'
import type { SetVersion } from '../../queries/sets/overview.ts'
import { responseCache } from '../../runtime/response-cache.ts'
import { suiteStates } from '../../runtime/suite-states.ts'

const SIGNAL = new AbortController().signal
const aSet = (suite: string, run_count = 1): SetVersion => ({
  set_key: setKey({ project: 'chat', suite }) ?? '',
  project: 'chat',
  suite,
  run_count,
  latest_run_no: 1,
  baseline_run_id: null,
})

const opened = () => {
  const cache = responseCache()
  const reads: Array<readonly string[]> = []
  const stored = new Map<string, SetVersion>()
  let meanwhile = () => {}
  const readStates: LongReads['suiteStates'] = async (_viewer, { keys }) => {
    reads.push(keys)
    meanwhile()
    return { body: JSON.stringify(keys.flatMap((key) => stored.get(key) ?? [])), etag: null }
  }
  const states = suiteStates({ cache, longReads: { suiteStates: readStates } })
  const read = async (...sets: readonly SetVersion[]) => {
    const before = reads.length
    const found = await states.read(SYSTEM, sets, SIGNAL)
    return { found: found.length, read: reads.slice(before).flat().length }
  }
  const store = (...sets: readonly SetVersion[]) => {
    for (const set of sets) stored.set(set.set_key, set)
  }
  const invalidate = ({ project, suite }: SetVersion) =>
    cache.invalidate([{ project, suite, names: [setTag({ project, suite }).name] }])
  return { read, reads, store, invalidate, cache, meanwhile: (change: () => void) => (meanwhile = change) }
}

describe('the states of suites', () => {
  it('are read once, until the tag of their set is invalidated', async () => {
    const { read, store, invalidate } = opened()
    const [a, b] = [aSet('a'), aSet('b')]
    store(a, b)
    expect(await read(a, b)).toEqual({ found: 2, read: 2 })
    expect(await read(a, b)).toEqual({ found: 2, read: 0 })
    invalidate(a)
    expect(await read(a, b)).toEqual({ found: 2, read: 1 })
    expect(await read(a, b)).toEqual({ found: 2, read: 0 })
  })

  it('are read again for another version of their set, even before its tag is invalidated', async () => {
    const { read, store } = opened()
    store(aSet('a'))
    await read(aSet('a'))
    store(aSet('a', 2))
    expect(await read(aSet('a', 2))).toEqual({ found: 1, read: 1 })
    expect(await read(aSet('a', 2))).toEqual({ found: 1, read: 0 })
  })

  it('are not cached if the set changed while they were read', async () => {
    const { read, store, invalidate, meanwhile } = opened()
    store(aSet('a'))
    meanwhile(() => invalidate(aSet('a')))
    expect(await read(aSet('a'))).toEqual({ found: 1, read: 1 })
    meanwhile(() => {})
    expect(await read(aSet('a'))).toEqual({ found: 1, read: 1 })
    expect(await read(aSet('a'))).toEqual({ found: 1, read: 0 })
  })

  it('are read in parts, and sets that the viewer lost meanwhile are missing', async () => {
    const { read, reads, store } = opened()
    const sets = Array.from({ length: 250 }, (_, n) => aSet(`s${n}`))
    store(...sets.slice(1))
    expect(await read(...sets)).toEqual({ found: 249, read: 250 })
    expect(reads.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(await read(...sets)).toEqual({ found: 249, read: 1 })
  })
})
