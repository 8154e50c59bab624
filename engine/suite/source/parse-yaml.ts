import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node, type ParsedNode } from 'yaml'
import { dottedPath } from '../issues.ts'
import type { SuiteIssue } from '../suite.ts'
import { quotedNames } from '../../../domain/text/nearest.ts'
import { plainScalar } from './scalar.ts'
import {
  MERGE_KEY,
  isListTree,
  isMapTree,
  linePosition,
  type MapTree,
  type Member,
  type Place,
  type SourceText,
  type Tree,
} from './tree.ts'
import { needsQuotes, yamlFaults } from './yaml-faults.ts'

/** Tags that stand for a mapping with one key: `!raw x` is `{$raw: x}`. */
const SUGAR: Readonly<Record<string, string>> = { '!raw': '$raw', '!file': '$file' }
const CORE_TAG = 'tag:yaml.org,2002:'

const TOO_DEEP = 'the values are nested too deeply'
/** Values nested deeper are refused: all that reads them later calls itself for each level. */
const MAX_DEPTH = 200

/** Faults for which the message of the parser speaks to programmers. */
const FAULTS: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTION: TOO_DEEP,
  MULTIPLE_DOCS: 'the file holds several YAML documents; one is accepted',
}

/** Aliases may make a file this many times as large as it is written, and this many values larger in any case. */
const MAX_ALIAS_FACTOR = 10
const MAX_ALIAS_VALUES = 100_000
/** Merge keys copy at most this many members in a file: a few lines could copy any number. */
const MAX_MERGED_MEMBERS = 100_000

/** Reports a fault of the text of a file. */
export type ReportFault = (place: Place, message: string) => void

/**
 * Parses YAML 1.2 with the core schema, and merge keys, into a tree of values with their places. Faults of the text are
 * reported: syntax, keys that occur twice, unknown tags, numbers that JSON lacks, aliases and merge keys that expand
 * without measure. Null if the text has no tree.
 */
export const parseYaml = (source: SourceText, report: ReportFault): Tree | null => {
  try {
    return parsed(source, report)
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error
    report({ source, at: 0 }, TOO_DEEP)
    return null
  }
}

const parsed = (source: SourceText, report: ReportFault): Tree | null => {
  const document = parseDocument(source.text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    // Our own check takes linear time and knows both places.
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
  })
  const errors = document.errors.map(({ pos, code, message }) => ({
    at: pos[0],
    message: FAULTS[code] ?? message,
  }))
  for (const { place, message } of yamlFaults(source, errors)) report(place, message)
  if (document.errors.length > 0 || document.contents === null) return null
  const tree = treeOf(document.contents, source, report)
  return tree !== null && isMeasured(tree, source, report) ? tree : null
}

/**
 * Converts the nodes of the package. Long, because the functions for each kind of node call each other and share the
 * anchors. Null if there is a fault.
 */
const treeOf = (contents: ParsedNode, source: SourceText, report: ReportFault): Tree | null => {
  let failed = false
  const fault = (at: number, message: string): null => {
    failed = true
    report({ source, at }, message)
    return null
  }
  const anchors = new Map<string, Tree | 'open'>()

  let copied = 0
  let depth = 0
  const convert = (node: Node | null, at: number): Tree | null => {
    depth++
    const tree = depth > MAX_DEPTH ? fault(at, TOO_DEEP) : converted(node, at)
    depth--
    return tree
  }

  const converted = (node: Node | null, at: number): Tree | null => {
    if (node === null) return { value: null, source, at }
    // An empty value is where its key or dash is.
    const start = isScalar(node) && node.source === '' && node.type === 'PLAIN' ? at : (node.range?.[0] ?? at)
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target === 'open') return fault(start, `the alias *${node.source} is inside of the value that it names`)
      return target ?? fault(start, `no value before this place has the anchor &${node.source}`)
    }
    const anchor = 'anchor' in node ? node.anchor : undefined
    if (anchor !== undefined) anchors.set(anchor, 'open')
    const tree = tagged(node, start)
    if (anchor !== undefined && tree !== null) anchors.set(anchor, tree)
    return tree
  }

  const tagged = (node: Node, at: number): Tree | null => {
    const tag = 'tag' in node && typeof node.tag === 'string' ? node.tag : undefined
    const sugar = tag !== undefined && Object.hasOwn(SUGAR, tag) ? SUGAR[tag] : undefined
    if (tag !== undefined && sugar === undefined && !tag.startsWith(CORE_TAG))
      return fault(at, `the tag ${tag} is not known; accepted tags: ${quotedNames(Object.keys(SUGAR))}`)
    const tree = untagged(node, at, tag)
    if (sugar === undefined || tree === null) return tree
    const place = { source, at }
    return { members: new Map([[sugar, { key: place, tree }]]), ...place }
  }

  const untagged = (node: Node, at: number, tag: string | undefined): Tree | null => {
    if (isMap(node)) return mapping(node, at)
    if (isSeq(node)) {
      const items: Tree[] = []
      for (const item of node.items) {
        const tree = convert(item as Node | null, at)
        if (tree !== null) items.push(tree)
      }
      return { items, source, at }
    }
    if (!isScalar(node)) return fault(at, 'this YAML construct is not accepted')
    if (node.type !== 'PLAIN' || tag === `${CORE_TAG}str`) return { value: String(node.source ?? ''), source, at }
    const value = plainScalar(node.source ?? '')
    return value === undefined ? fault(at, `${node.source} is not a number that JSON can hold`) : { value, source, at }
  }

  const mapping = (node: Node & { items: readonly unknown[] }, at: number): Tree => {
    const members = new Map<string, Member>()
    const merges: MapTree[] = []
    for (const pair of node.items as ReadonlyArray<{ key: Node; value: Node | null }>) {
      const keyAt = pair.key.range?.[0] ?? at
      if (
        !isScalar(pair.key) ||
        pair.key.source === undefined ||
        (pair.key.source === '' && pair.key.type === 'PLAIN')
      ) {
        if (source.text.startsWith('{{', keyAt - 1)) fault(keyAt - 1, needsQuotes('{{'))
        else fault(keyAt, 'a key must be a text')
        continue
      }
      const key = pair.key.source
      const first = members.get(key)
      if (first !== undefined) {
        const { line, column } = linePosition(first.key)
        fault(keyAt, `the key \`${key}\` occurs twice in one mapping; first in line ${line}, column ${column}`)
      } else if (key === '__proto__') fault(keyAt, 'the key `__proto__` is not accepted')
      else {
        const tree = convert(pair.value, keyAt)
        if (tree === null) continue
        if (key === MERGE_KEY && pair.key.type === 'PLAIN') merges.push(...mergedBy(tree, keyAt))
        else members.set(key, { key: { source, at: keyAt }, tree })
      }
    }
    for (const { members: merged } of merges) {
      copied += merged.size
      if (copied > MAX_MERGED_MEMBERS) {
        fault(at, `the merge keys of this file copy more than ${MAX_MERGED_MEMBERS} members`)
        break
      }
      // What is written in the mapping itself wins, then what is merged first.
      for (const [key, member] of merged) if (!members.has(key)) members.set(key, member)
    }
    return { members, source, at }
  }

  /** The mappings that a merge key names: one, or a list of them. */
  const mergedBy = (tree: Tree, keyAt: number): readonly MapTree[] => {
    const named = isListTree(tree) ? tree.items : [tree]
    if (named.every(isMapTree)) return named
    fault(keyAt, `the merge key \`${MERGE_KEY}\` takes a mapping, or a list of mappings`)
    return []
  }

  const tree = convert(contents, 0)
  return failed ? null : tree
}

/** Whether aliases do not make a tree far larger than its text: such a suite would take all memory when it is used. */
const isMeasured = (root: Tree, source: SourceText, report: ReportFault): boolean => {
  const sizes = new Map<Tree, number>()
  const sizeOf = (tree: Tree): number => {
    const known = sizes.get(tree)
    if (known !== undefined) return known
    let size = 1
    if ('members' in tree) for (const member of tree.members.values()) size += sizeOf(member.tree)
    else if ('items' in tree) for (const item of tree.items) size += sizeOf(item)
    sizes.set(tree, size)
    return size
  }
  const expanded = sizeOf(root)
  if (expanded <= sizes.size * MAX_ALIAS_FACTOR + MAX_ALIAS_VALUES) return true
  report({ source, at: 0 }, `the aliases of this file expand its ${sizes.size} values to ${expanded}`)
  return false
}

/** Returns an issue with the line of its place. */
export const issueAt = (
  place: Place,
  path: Parameters<typeof dottedPath>[0],
  severity: SuiteIssue['severity'],
  message: string,
): SuiteIssue => ({ severity, file: place.source.name, path: dottedPath(path), message, ...linePosition(place) })
