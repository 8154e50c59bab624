import { describe, expect, it } from 'vitest'
import { noticedDigest, sealedIds } from '../../../http/streams/sealed-ids.ts'

const KEY = Buffer.alloc(32, 1)
const ID = { position: 2 ** 40 + 1, noticed: noticedDigest('access') }

describe('the sealed ids of stream messages', () => {
  it('are opened by every process with the key, and by no other', () => {
    const sealed = sealedIds(KEY).seal(ID)
    expect(sealedIds(KEY).open(sealed)).toEqual(ID)
    expect(sealedIds(Buffer.alloc(32, 2)).open(sealed)).toBeNull()
    expect(sealedIds(null).open(sealedIds(null).seal(ID))).toBeNull()
  })

  it('never repeat, and have one length for every position', () => {
    const ids = sealedIds(KEY)
    const sealed = Array.from({ length: 100 }, (_, position) => ids.seal({ ...ID, position: position ** 7 }))
    expect(new Set(sealed).size).toBe(sealed.length)
    expect(new Set(sealed.map(({ length }) => length)).size).toBe(1)
    expect(new Set(Array.from({ length: 10 }, () => ids.seal(ID))).size).toBe(10)
  })

  it('are rejected when any character is changed', () => {
    const ids = sealedIds(KEY)
    const sealed = ids.seal(ID)
    // The last character holds bits that decoding drops.
    for (let at = 0; at < sealed.length - 1; at++)
      expect(ids.open(`${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`)).toBeNull()
  })
})
