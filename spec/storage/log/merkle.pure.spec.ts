import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import {
  appendLeaf,
  decodeFrontier,
  emptyFrontier,
  encodeFrontier,
  leafHash,
  nodeHash,
  treeRoot,
} from '../../../storage/log/merkle.ts'

/** The leaves and heads in the tests of Certificate Transparency implementations. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** The Merkle Tree Hash as RFC 6962, section 2.1, defines it. */
const naiveRoot = (entries: readonly Uint8Array[]): Buffer => {
  const [only] = entries
  if (!only) return sha256()
  if (entries.length === 1) return sha256(Buffer.of(0), only)
  let k = 1
  while (k * 2 < entries.length) k *= 2
  return sha256(Buffer.of(1), naiveRoot(entries.slice(0, k)), naiveRoot(entries.slice(k)))
}

const grow = (entries: readonly Uint8Array[]) =>
  entries.reduce((tree, entry) => appendLeaf(tree, leafHash(entry)), emptyFrontier())

describe('the Merkle tree', () => {
  it.each(ROOTS.map((root, size) => [size, root] as const))(
    'has the known head for the first %i reference leaves',
    (size, root) => {
      const entries = LEAVES.slice(0, size).map((hex) => Buffer.from(hex, 'hex'))
      expect(treeRoot(grow(entries)).toString('hex')).toBe(root)
      expect(naiveRoot(entries).toString('hex')).toBe(root)
    },
  )

  it('hashes a text entry as its UTF-8 bytes', () => expect(leafHash('ä')).toEqual(leafHash(Buffer.from('ä', 'utf8'))))

  it('grows to the head that the definition gives for all entries', () =>
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 200 }), (entries) => {
        expect(treeRoot(grow(entries))).toEqual(naiveRoot(entries))
      }),
    ))

  it('continues from a stored frontier to the same head', () =>
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 80 }),
        fc.nat({ max: 80 }),
        (entries, stop) => {
          const earlierTree = grow(entries.slice(0, stop))
          const stored = decodeFrontier(earlierTree.size, encodeFrontier(earlierTree))
          expect(stored).toEqual(earlierTree)
          const laterTree = entries.slice(stop).reduce((tree, entry) => appendLeaf(tree, leafHash(entry)), stored)
          expect(treeRoot(laterTree)).toEqual(naiveRoot(entries))
        },
      ),
    ))

  it('passes the roots of full subtrees of 256 and 65,536 leaves, each when its last leaf is appended', () => {
    const leaves = Array.from({ length: 65_537 }, (_, n) => leafHash(String(n)))
    const passed: string[] = []
    const at = new Map<string, Buffer>()
    let tree = emptyFrontier()
    let rootAt65536: Buffer | null = null
    for (const leaf of leaves) {
      if (tree.size === 65_536) rootAt65536 = treeRoot(tree)
      tree = appendLeaf(tree, leaf, ({ level, n, hash }) => {
        passed.push(`${tree.size + 1}: ${level}/${n}`)
        at.set(`${level}/${n}`, hash)
      })
    }
    expect(passed).toEqual([...Array.from({ length: 256 }, (_, n) => `${(n + 1) * 256}: 1/${n}`), '65536: 2/0'])
    const rootOfLeaves = (from: number, to: number) =>
      treeRoot(leaves.slice(from, to).reduce((grown, leaf) => appendLeaf(grown, leaf), emptyFrontier()))
    for (const n of [0, 1, 255]) expect(at.get(`1/${n}`)).toEqual(rootOfLeaves(n * 256, (n + 1) * 256))
    expect(at.get('2/0')).toEqual(rootAt65536)
  })

  it('leaves the smaller tree unchanged when a leaf is appended', () => {
    const tree = grow([Buffer.of(1), Buffer.of(2), Buffer.of(3)])
    const encoded = encodeFrontier(tree)
    appendLeaf(tree, leafHash('next'))
    expect(tree.size).toBe(3)
    expect(encodeFrontier(tree)).toEqual(encoded)
  })

  it('computes heads for sizes beyond 32 bits', () => {
    const ones = Array.from({ length: 40 }, (_, n) => leafHash(String(n)))
    const full = { size: 2 ** 40 - 1, hashes: ones }
    const next = appendLeaf(full, leafHash('last'))
    expect(next.size).toBe(2 ** 40)
    expect(next.hashes).toEqual([ones.reduceRight((right, left) => nodeHash(left, right), leafHash('last'))])
    expect(decodeFrontier(next.size, encodeFrontier(next))).toEqual(next)
  })

  it.each([
    [1, 0],
    [0, 32],
    [3, 32],
    [3, 65],
    [2 ** 33 + 1, 32],
    [-1, 0],
    [0.5, 32],
    [2 ** 53, 32],
  ])('rejects a frontier of size %d with %i bytes', (size, length) => {
    expect(() => decodeFrontier(size, Buffer.alloc(length))).toThrow()
  })

  it('rejects a frontier that is too short for its size', () =>
    expect(() => appendLeaf({ size: 3, hashes: [leafHash('one')] }, leafHash('next'))).toThrow('size 3'))
})
