import { createHash } from 'node:crypto'

// RFC 6962 2.1 word for word, so that nothing is shared with the code that it checks.

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

/** The largest power of two below a size of at least 2. */
const splitOf = (size: number): number => {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}

export const naiveLeaf = (entry: Uint8Array): Buffer => sha256(Buffer.of(0), entry)

/** The Merkle Tree Hash of leaf hashes. */
export const naiveRoot = (leaves: readonly Uint8Array[]): Buffer => {
  const [only] = leaves
  if (!only) return sha256()
  if (leaves.length === 1) return Buffer.from(only)
  const k = splitOf(leaves.length)
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

/** PATH(m, D[n]). */
export const naivePath = (index: number, leaves: readonly Uint8Array[]): Buffer[] => {
  if (leaves.length <= 1) return []
  const k = splitOf(leaves.length)
  return index < k
    ? [...naivePath(index, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(index - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))]
}

/** PROOF(m, D[n]). */
export const naiveConsistency = (from: number, leaves: readonly Uint8Array[]): Buffer[] => {
  const subproof = (m: number, part: readonly Uint8Array[], isWhole: boolean): Buffer[] => {
    if (m === part.length) return isWhole ? [] : [naiveRoot(part)]
    const k = splitOf(part.length)
    return m <= k
      ? [...subproof(m, part.slice(0, k), isWhole), naiveRoot(part.slice(k))]
      : [...subproof(m - k, part.slice(k), false), naiveRoot(part.slice(0, k))]
  }
  return subproof(from, leaves, true)
}
