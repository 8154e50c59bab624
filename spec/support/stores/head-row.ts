import { appendLeaf, decodeFrontier, encodeFrontier } from '../../../storage/log/merkle.ts'

/** Returns the head row of a log with `size` equal records. */
export const headRow = (
  size: number,
): { readonly size: number; readonly frontier: Buffer; readonly recorded_at: number } => {
  let frontier = decodeFrontier(0, Buffer.alloc(0))
  for (let n = 0; n < size; n++) frontier = appendLeaf(frontier, Buffer.alloc(32, 7))
  return { size, frontier: encodeFrontier(frontier), recorded_at: 0 }
}
