import { describe, expect, it } from 'vitest'
import { newIds } from '../../../http/identity/ids.ts'

describe('generated ids', () => {
  it('are rising ULIDs that never repeat, also across several batches of random bytes', () => {
    const newId = newIds()
    const ids = Array.from({ length: 5_000 }, newId)
    for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('differ between processes: two generators share no random part', () => {
    const random = Array.from({ length: 200 }, () => newIds()().slice(10))
    expect(new Set(random).size).toBe(200)
    // Every digit occurs.
    expect(new Set(random.join('')).size).toBe(32)
  })
})
