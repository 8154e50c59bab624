import { createHash, hash } from 'node:crypto'
import { TILE_HEIGHT, type TreeNode } from './nodes.ts'

/**
 * An append-only Merkle tree of RFC 6962, stored as the roots of its perfect subtrees, largest first. These roots
 * suffice to compute the tree head and to append leaves. There is one root for each 1 bit in `size`, so at most 53.
 */
export type Frontier = { readonly size: number; readonly hashes: readonly Buffer[] }

const HASH_BYTES = 32

// The prefixes prevent a leaf from being presented as a node.
const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** SHA-256(0x00 ‖ entry). */
export const leafHash = (entry: Uint8Array | string): Buffer => createHash('sha256').update(LEAF).update(entry).digest()

/** SHA-256(0x01 ‖ left ‖ right). Over hex digits, because that is twice as fast as a hash that returns a buffer. */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  Buffer.from(hash('sha256', Buffer.concat([NODE, left, right]), 'hex'), 'hex')

export const emptyFrontier = (): Frontier => ({ size: 0, hashes: [] })

/**
 * Appends one leaf, given as its leaf hash. Passes the nodes to `onCompleted` that this leaf completes and the log
 * stores, the lowest first.
 */
export const appendLeaf = (
  { size, hashes }: Frontier,
  leaf: Buffer,
  onCompleted?: (node: TreeNode) => void,
): Frontier => {
  const remaining = [...hashes]
  let root = leaf
  let height = 0
  // Each trailing 1 bit of the size stands for a subtree as large as the new one. The two merge, like a carry in
  // addition. Sizes exceed 32 bits, so bit operators cannot be used.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
    const left = remaining.pop()
    if (!left) throw new Error(`a frontier of size ${size} has only ${hashes.length} hashes`)
    root = nodeHash(left, root)
    height++
    if (height % TILE_HEIGHT === 0)
      onCompleted?.({ level: height / TILE_HEIGHT, n: (size + 1) / 2 ** height - 1, hash: root })
  }
  return { size: size + 1, hashes: [...remaining, root] }
}

/** The tree head: SHA-256 of nothing for the empty tree. */
export const treeRoot = ({ hashes }: Frontier): Buffer =>
  hashes.length === 0 ? createHash('sha256').digest() : hashes.reduceRight((right, left) => nodeHash(left, right))

/** The concatenated hashes; the size is stored separately. */
export const encodeFrontier = ({ hashes }: Frontier): Buffer => Buffer.concat(hashes)

/** Decodes the output of `encodeFrontier`. Throws if the bytes cannot belong to a tree of that size. */
export const decodeFrontier = (size: number, bytes: Uint8Array): Frontier => {
  if (!Number.isSafeInteger(size) || size < 0) throw new Error(`${size} is not the size of a tree`)
  const count = countOneBits(size)
  if (bytes.length !== count * HASH_BYTES)
    throw new Error(`a frontier of size ${size} takes ${count * HASH_BYTES} bytes, not ${bytes.length}`)
  return {
    size,
    hashes: Array.from({ length: count }, (_, n) => Buffer.from(bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES))),
  }
}

const countOneBits = (size: number): number => {
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  return ones
}

/** The leaves from index `from` to before `to`. `from` is a multiple of the smallest power of two that holds them. */
export type Range = { readonly from: number; readonly to: number }

/** The two parts of a range of at least two leaves: the left one is the largest power of two below its length. */
export const splitRange = ({ from, to }: Range): readonly [Range, Range] => {
  let length = 1
  while (length * 2 < to - from) length *= 2
  return [
    { from, to: from + length },
    { from: from + length, to },
  ]
}

/**
 * The ranges whose roots are the consistency proof between the trees of the first `from` and the first `to` leaves:
 * PROOF(m, D[n]) of RFC 6962 2.1.2.
 */
export const consistencyParts = (from: number, to: number): readonly Range[] => {
  const parts: Range[] = []
  let range: Range = { from: 0, to }
  while (range.to !== from) {
    const [left, right] = splitRange(range)
    const isLeft = from <= right.from
    parts.push(isLeft ? right : left)
    range = isLeft ? left : right
  }
  // The verifier knows the smaller tree's root. Any other subtree at the end of that tree has to be in the proof.
  if (range.from > 0) parts.push(range)
  return parts.toReversed()
}
