import type { PartPiece } from './rows.ts'

/**
 * What is prepared needs a part of a bucket. Thrown by `prepare`, which is called again when the part was read: other commands do not wait for
 * the network.
 */
export class PartAway extends Error {
  override readonly name = 'PartAway'
  readonly part_no: number
  readonly pieces: readonly PartPiece[]
  constructor(part_no: number, pieces: readonly PartPiece[]) {
    super(`part ${part_no} is in a bucket`)
    this.part_no = part_no
    this.pieces = pieces
  }
}
