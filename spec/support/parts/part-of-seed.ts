import { createCipheriv } from 'node:crypto'
import { PIECE } from '../documents/parts.ts'

/** The sizes of the parts that the killed process stores: whole, in two pieces, dropped again. */
export const PART_SIZES = [300_000, PIECE + 1000, 500_000] as const

// Made once, because collecting such memory takes time.
const ZEROS = new Uint8Array(Math.max(...PART_SIZES))

/** The bytes of the n-th part of a run of the killed process. They cannot be compressed, and their memory is their own. */
export const partOfSeed = (seed: number, n: number, size: number): Buffer<ArrayBuffer> =>
  createCipheriv('aes-128-ctr', `${seed * 10 + n}`.padStart(16), new Uint8Array(16)).update(ZEROS.subarray(0, size))
