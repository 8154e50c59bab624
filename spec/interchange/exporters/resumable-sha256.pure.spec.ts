import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sha256Add, sha256End, sha256Start } from '../../../interchange/exporters/resumable-sha256.ts'

it('is the digest of Node, however the bytes are cut', () =>
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (pieces) => {
      const state = pieces.reduce((before, piece) => structuredClone(sha256Add(before, piece)), sha256Start())
      expect(sha256End(state)).toBe(createHash('sha256').update(Buffer.concat(pieces)).digest('hex'))
    }),
  ))
