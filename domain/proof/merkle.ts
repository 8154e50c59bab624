import { concat, equal } from './bytes.ts'
import type { ProofCrypto } from './crypto.ts'

type Sha256 = ProofCrypto['sha256']

// The prefixes of RFC 6962 2.1 prevent a leaf from being presented as a node.
const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** SHA-256(0x00 ‖ entry). */
export const leafHash = async (entry: Uint8Array, sha256: Sha256): Promise<Uint8Array> => sha256(concat(LEAF, entry))

/** SHA-256(0x01 ‖ left ‖ right). */
export const nodeHash = async (left: Uint8Array, right: Uint8Array, sha256: Sha256): Promise<Uint8Array> =>
  sha256(concat(NODE, left, right))

// Indexes exceed 32 bits, so bit operators cannot be used.
const half = (value: number): number => Math.floor(value / 2)
const isOdd = (value: number): boolean => value % 2 === 1

/**
 * Walks from a node up to the root, as RFC 9162 2.1.3.2 describes it for the trees of RFC 6962. `join` is called with each
 * hash of the path and with the side on which it is. Returns false if the path is too long or too short.
 */
const climb = async (
  index: number,
  last: number,
  path: readonly Uint8Array[],
  join: (hash: Uint8Array, side: 'left' | 'right') => Promise<void>,
): Promise<boolean> => {
  let [node, end] = [index, last]
  for (const hash of path) {
    if (end === 0) return false
    if (isOdd(node) || node === end) {
      await join(hash, 'left')
      // The last node of a level that has no sibling moves up as it is.
      while (!isOdd(node) && node !== 0) [node, end] = [half(node), half(end)]
    } else await join(hash, 'right')
    ;[node, end] = [half(node), half(end)]
  }
  return end === 0
}

export type InclusionPath = {
  /** From 0. */
  readonly index: number
  /** Number of leaves of the tree. */
  readonly size: number
  /** The leaf hash. */
  readonly leaf: Uint8Array
  /** From the sibling of the leaf to the child of the root. */
  readonly path: readonly Uint8Array[]
}

/** The root that a leaf and its path give (RFC 6962 2.1.1). Null unless the path has exactly the length that it must have. */
export const rootOfPath = async (
  { index, size, leaf, path }: InclusionPath,
  sha256: Sha256,
): Promise<Uint8Array | null> => {
  if (index < 0 || index >= size) return null
  let root = leaf
  const isWhole = await climb(index, size - 1, path, async (hash, side) => {
    root = await (side === 'left' ? nodeHash(hash, root, sha256) : nodeHash(root, hash, sha256))
  })
  return isWhole ? root : null
}

export type Consistency = {
  readonly from: number
  readonly to: number
  readonly from_root: Uint8Array
  readonly to_root: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/**
 * Whether the proof shows that the tree of `from` leaves is a prefix of the tree of `to` leaves (RFC 6962 2.1.2). False for
 * `from` 0: nothing follows from an empty tree.
 */
export const isConsistent = async (
  { from, to, from_root, to_root, proof }: Consistency,
  sha256: Sha256,
): Promise<boolean> => {
  if (from < 1 || from > to) return false
  if (from === to) return proof.length === 0 && equal(from_root, to_root)
  let [node, end] = [from - 1, to - 1]
  while (isOdd(node)) [node, end] = [half(node), half(end)]
  // If the first tree is one full subtree of the second, the proof leaves out its root.
  const [first, ...path] = node === 0 ? [from_root, ...proof] : proof
  if (!first) return false
  let [old, now] = [first, first]
  const isWhole = await climb(node, end, path, async (hash, side) => {
    if (side === 'left') [old, now] = [await nodeHash(hash, old, sha256), await nodeHash(hash, now, sha256)]
    else now = await nodeHash(now, hash, sha256)
  })
  return isWhole && equal(old, from_root) && equal(now, to_root)
}
