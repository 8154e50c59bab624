import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isConsistent, leafHash, nodeHash, rootOfPath } from '../../../domain/proof/merkle.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { naiveConsistency, naiveLeaf, naivePath, naiveRoot } from '../../support/proof/naive-tree.ts'

const { sha256 } = nodeCrypto

/** The sample leaves of Certificate Transparency implementations. */
const SAMPLES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const LEAVES = SAMPLES.map((hex) => naiveLeaf(Buffer.from(hex, 'hex')))
const SOME_HASH = Buffer.from('abacaba000000000000000000000000000000000000000000060061e00123456', 'hex')
const EMPTY_ROOT = naiveRoot([])

describe('the roots of the RFC 6962 sample leaves', () => {
  it.each([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [7, 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])('are those of the samples, for %i leaves', async (size, expected) => {
    expect(naiveRoot(LEAVES.slice(0, size)).toString('hex')).toBe(expected)
    for (const [index, leaf] of LEAVES.slice(0, size).entries()) {
      const root = await rootOfPath({ index, size, leaf, path: naivePath(index, LEAVES.slice(0, size)) }, sha256)
      expect(Buffer.from(root ?? []).toString('hex')).toBe(expected)
    }
  })

  it('are made of leaf and node hashes with prefixes', async () => {
    expect(await leafHash(Buffer.of(0x10), sha256)).toEqual(LEAVES[2])
    expect(await nodeHash(naiveLeaf(Buffer.of()), naiveLeaf(Buffer.of(0)), sha256)).toEqual(
      naiveRoot(LEAVES.slice(0, 2)),
    )
  })
})

type Inclusion = Parameters<typeof rootOfPath>[0] & { readonly root: Buffer }

const isIncluded = async ({ root, ...path }: Inclusion): Promise<boolean> => {
  const found = await rootOfPath(path, sha256)
  return found !== null && root.equals(found)
}

/** A copy of hashes with one bit of one of them flipped. */
const flipped = (hashes: readonly Uint8Array[], n: number): Uint8Array[] =>
  hashes.map((hash, m) => (m === n ? Uint8Array.from(hash, (byte, at) => (at === 0 ? byte ^ 8 : byte)) : hash))

/** Changed paths of hashes: the classes that the specs of transparency-dev/merkle have. */
const changedPaths = (path: readonly Uint8Array[], roots: readonly Uint8Array[]): [string, Uint8Array[]][] => [
  ['a hash of no bytes behind', [...path, Buffer.of()]],
  ['a hash behind', [...path, SOME_HASH]],
  ['a hash before', [SOME_HASH, ...path]],
  ['a hash of no bytes before', [Buffer.of(), ...path]],
  ...roots.flatMap((root): [string, Uint8Array[]][] => [
    ['a root behind', [...path, root]],
    ['a root before', [root, ...path]],
  ]),
  ...path.map((_, n): [string, Uint8Array[]] => [`a bit of hash ${n}`, flipped(path, n)]),
  ...path.map((_, n): [string, Uint8Array[]] => [`hash ${n} left out`, path.filter((__, m) => m !== n)]),
  ...path
    .slice(1)
    .map((_, n): [string, Uint8Array[]] => [
      `a hash put in behind ${n}`,
      [...path.slice(0, n + 1), SOME_HASH, ...path.slice(n + 1)],
    ]),
]

const changedInclusions = (good: Inclusion): [string, Inclusion][] => [
  ['index - 1', { ...good, index: good.index - 1 }],
  ['index + 1', { ...good, index: good.index + 1 }],
  ['index xor 2', { ...good, index: good.index ^ 2 }],
  ['size * 2', { ...good, size: good.size * 2 }],
  ['size / 2', { ...good, size: Math.floor(good.size / 2) }],
  ['another leaf', { ...good, leaf: Buffer.from('WrongLeaf') }],
  ['an empty root', { ...good, root: EMPTY_ROOT }],
  ['a random root', { ...good, root: SOME_HASH }],
  ...changedPaths(good.path, [good.root]).map(([what, path]): [string, Inclusion] => [what, { ...good, path }]),
]

describe('an inclusion path', () => {
  it.each([
    [0, 1],
    [0, 8],
    [5, 8],
    [2, 3],
    [1, 5],
  ])('of leaf %i of %i is accepted, and no change of it is', async (index, size) => {
    const leaves = LEAVES.slice(0, size)
    const good = {
      index,
      size,
      leaf: leaves[index] ?? SOME_HASH,
      path: naivePath(index, leaves),
      root: naiveRoot(leaves),
    }
    expect(await isIncluded(good)).toBe(true)
    for (const [what, changed] of changedInclusions(good))
      expect([what, await isIncluded(changed)]).toEqual([what, false])
  })

  it('gives no root unless it has the length of its place', async () => {
    const leaves = LEAVES.slice(0, 5)
    const path = naivePath(4, leaves)
    expect(path).toHaveLength(1)
    expect(await rootOfPath({ index: 4, size: 5, leaf: SOME_HASH, path: [] }, sha256)).toBeNull()
    expect(await rootOfPath({ index: 4, size: 5, leaf: SOME_HASH, path: [...path, SOME_HASH] }, sha256)).toBeNull()
    expect(await rootOfPath({ index: 5, size: 5, leaf: SOME_HASH, path }, sha256)).toBeNull()
    expect(await rootOfPath({ index: -1, size: 5, leaf: SOME_HASH, path }, sha256)).toBeNull()
  })

  it('holds beyond 32 bits', async () => {
    // The last leaf of a tree of 2^40 + 1 leaves is the sibling of the root of all others.
    const size = 2 ** 40 + 1
    expect(await rootOfPath({ index: size - 1, size, leaf: SOME_HASH, path: [EMPTY_ROOT] }, sha256)).toEqual(
      await nodeHash(EMPTY_ROOT, SOME_HASH, sha256),
    )
  })
})

type Consistency = Parameters<typeof isConsistent>[0]

const changedConsistencies = (good: Consistency): [string, Consistency][] => [
  ['from - 1', { ...good, from: good.from - 1 }],
  ['from + 1', { ...good, from: good.from + 1 }],
  ['from xor 2', { ...good, from: good.from ^ 2 }],
  ['from 0', { ...good, from: 0 }],
  ['from 0 and the empty root', { ...good, from: 0, from_root: EMPTY_ROOT, proof: [] }],
  ['to * 2', { ...good, to: good.to * 2 }],
  ['to / 2', { ...good, to: Math.floor(good.to / 2) }],
  ['another first root', { ...good, from_root: Buffer.from('WrongRoot') }],
  ['another second root', { ...good, to_root: Buffer.from('WrongRoot') }],
  ['swapped roots', { ...good, from_root: good.to_root, to_root: good.from_root }],
  ['no hashes', { ...good, proof: [] }],
  ...changedPaths(good.proof, [good.from_root, good.to_root]).map(([what, proof]): [string, Consistency] => [
    what,
    { ...good, proof },
  ]),
]

const consistencyOf = (from: number, leaves: readonly Buffer[]): Consistency => ({
  from,
  to: leaves.length,
  from_root: naiveRoot(leaves.slice(0, from)),
  to_root: naiveRoot(leaves),
  proof: naiveConsistency(from, leaves),
})

describe('a consistency proof', () => {
  it.each([
    [1, 8],
    [6, 8],
    [2, 5],
    [6, 7],
  ])('from %i to %i is accepted, and no change of it is', async (from, to) => {
    const good = consistencyOf(from, LEAVES.slice(0, to))
    expect(await isConsistent(good, sha256)).toBe(true)
    for (const [what, changed] of changedConsistencies(good))
      expect([what, await isConsistent(changed, sha256)]).toEqual([what, false])
  })

  it('from a size to itself is empty, and the roots are equal', async () => {
    const good = consistencyOf(3, LEAVES.slice(0, 3))
    expect(await isConsistent(good, sha256)).toBe(true)
    expect(await isConsistent({ ...good, to_root: SOME_HASH }, sha256)).toBe(false)
    expect(await isConsistent({ ...good, proof: [SOME_HASH] }, sha256)).toBe(false)
  })

  it('from nothing, or backwards, is none', async () => {
    const roots = { from_root: EMPTY_ROOT, to_root: EMPTY_ROOT, proof: [] }
    expect(await isConsistent({ ...roots, from: 0, to: 0 }, sha256)).toBe(false)
    expect(await isConsistent({ ...consistencyOf(2, LEAVES), from: 8, to: 2 }, sha256)).toBe(false)
  })
})

describe('proofs of random trees', () => {
  const leavesOf = (size: number) => Array.from({ length: size }, (_, n) => naiveLeaf(Buffer.from(String(n))))

  it('are those of a naive tree', async () => {
    const sizes = fc.integer({ min: 1, max: 300 }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)))
    await fc.assert(
      fc.asyncProperty(sizes, async ([n, size]) => {
        const leaves = leavesOf(size)
        const leaf = leaves[n] ?? SOME_HASH
        const root = naiveRoot(leaves)
        expect(await isIncluded({ index: n, size, leaf, path: naivePath(n, leaves), root })).toBe(true)
        expect(await isIncluded({ index: n, size, leaf: SOME_HASH, path: naivePath(n, leaves), root })).toBe(false)
        expect(await isConsistent(consistencyOf(n + 1, leaves), sha256)).toBe(true)
        expect(await isConsistent({ ...consistencyOf(n + 1, leaves), from_root: SOME_HASH }, sha256)).toBe(false)
      }),
      { numRuns: 60, seed: 19 },
    )
  })
})
