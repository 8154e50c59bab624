import { noise, PIECE } from '../documents/parts.ts'

/** The sizes of the parts that the killed process stores: whole, in two pieces, dropped again. */
export const PART_SIZES = [300_000, PIECE + 1000, 500_000] as const

/** The bytes of the n-th part of a run of the killed process. */
export const partOfSeed = (seed: number, n: number, size: number): Buffer => noise(size, seed * 10 + n + 1)
