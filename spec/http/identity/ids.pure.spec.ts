import { describe, expect, it } from 'vitest'
import { newIds } from '../../../http/identity/ids.ts'

describe('minted ids', () => {
  it('are ulids that rise and never repeat, more of them than one fetch of randomness makes', () => {
    const mint = newIds()
    const ids = Array.from({ length: 5_000 }, mint)
    for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('are other ones in every process: two mints share no random part', () => {
    const random = Array.from({ length: 200 }, () => newIds()().slice(10))
    expect(new Set(random).size).toBe(200)
    // Every digit occurs.
    expect(new Set(random.join('')).size).toBe(32)
  })
})
