import type { RawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../json.ts'
import { keysOf, type Path } from '../issues.ts'

/** A file that a suite is composed of. `name` is how messages call it. */
export type SourceText = { readonly name: string; readonly text: string }

/** A parsed value with its place: `at` is its offset in the text of `source`, in UTF-16 units. */
export type ScalarTree = {
  readonly value: null | boolean | number | string | RawNumber
  readonly source: SourceText
  readonly at: number
}
export type ListTree = { readonly items: readonly Tree[]; readonly source: SourceText; readonly at: number }
export type MapTree = {
  readonly members: ReadonlyMap<string, Member>
  readonly source: SourceText
  readonly at: number
}
export type Tree = ScalarTree | ListTree | MapTree

/** A value of a mapping, with the place of its key. */
export type Member = { readonly key: Place; readonly tree: Tree }
export type Place = { readonly source: SourceText; readonly at: number }

/** The key, written without quotes, whose value is merged into its mapping (YAML 1.1, type `merge`). */
export const MERGE_KEY = '<<'

export const isMapTree = (tree: Tree): tree is MapTree => 'members' in tree
export const isListTree = (tree: Tree): tree is ListTree => 'items' in tree

/**
 * Returns the plain value of a tree. A tree that occurs several times, through aliases, becomes one shared value: the
 * values of a composed suite are never changed in place.
 */
export const treeValue = (tree: Tree, shared: Map<Tree, Json> = new Map()): Json => {
  if (isMapTree(tree)) {
    const known = shared.get(tree)
    if (known !== undefined) return known
    const value: Record<string, Json> = {}
    for (const [key, member] of tree.members) value[key] = treeValue(member.tree, shared)
    shared.set(tree, value)
    return value
  }
  if (isListTree(tree)) {
    const known = shared.get(tree)
    if (known !== undefined) return known
    const value = tree.items.map((item) => treeValue(item, shared))
    shared.set(tree, value)
    return value
  }
  return tree.value
}

/**
 * Returns where the value of a path is, or its key with `onKey`. If the path leads to something that is not there, the
 * place of the innermost part that is.
 */
export const findPlace = (root: Tree, path: Path, onKey: boolean): Place => {
  let tree = root
  let place: Place = root
  const keys = keysOf(path)
  for (const [index, key] of keys.entries()) {
    const isLast = index === keys.length - 1
    if (typeof key === 'number') {
      const item = isListTree(tree) ? tree.items[key] : undefined
      if (item === undefined) return place
      place = tree = item
    } else {
      const member = isMapTree(tree) ? tree.members.get(key) : undefined
      if (member === undefined) return place
      tree = member.tree
      // A block mapping or list starts below its key: the key is the better place to look at.
      place = (isLast && onKey) || isMapTree(tree) || isListTree(tree) ? member.key : tree
    }
  }
  return place
}

const lineStartsOf = new WeakMap<SourceText, number[]>()

const lineStarts = (source: SourceText): number[] => {
  const known = lineStartsOf.get(source)
  if (known !== undefined) return known
  const starts = [0]
  for (let end = source.text.indexOf('\n'); end >= 0; end = source.text.indexOf('\n', end + 1)) starts.push(end + 1)
  lineStartsOf.set(source, starts)
  return starts
}

/** Returns line and column of an offset, both counted from 1, and the text of the line. */
export const linePosition = ({ source, at }: Place): { line: number; column: number; source: string } => {
  const starts = lineStarts(source)
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= at) low = middle
    else high = middle - 1
  }
  const start = starts[low]!
  const text = source.text.slice(start, starts[low + 1] ?? source.text.length).replace(/\r?\n$/, '')
  return { line: low + 1, column: at - start + 1, source: text }
}
