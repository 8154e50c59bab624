import { dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { messageOf } from '../../../domain/plain/message-of.ts'
import { pathIn } from '../file-reference.ts'
import { keyPath } from '../issues.ts'
import type { SuiteIssue } from '../suite.ts'
import { issueAt, parseYaml } from './parse-yaml.ts'
import { isListTree, isMapTree, type MapTree, type Member, type Place, type SourceText, type Tree } from './tree.ts'

/** What loading reads of the file system. */
export type SuiteFiles = {
  readonly readFile: (path: string) => Promise<Uint8Array>
  readonly isDirectory: (path: string) => Promise<boolean>
  /** The path without symbolic links: two names of one file are recognized by it. */
  readonly realpath: (path: string) => Promise<string>
}

/** The text of a file cannot be used. The message says why, without the name of the file. */
class UnreadableText extends Error {
  override readonly name = 'UnreadableText'
}

/** Decodes UTF-8 without its byte order mark. Throws `UnreadableText`. */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new UnreadableText('is not UTF-8 text', { cause: error })
  }
}

/** Something that is no file on disk, such as a pipe or a device: reading it may never end. */
export class NotRegular extends Error {
  override readonly name = 'NotRegular'

  constructor() {
    super('is not a regular file')
  }
}

/** Says in words why a file cannot be read. */
export const readFault = (error: unknown): string => {
  if (error instanceof UnreadableText || error instanceof NotRegular) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'does not exist'
  if (code === 'EISDIR') return 'is a folder'
  // A socket.
  if (code === 'ENXIO') return 'is not a regular file'
  if (code === 'ELOOP') return 'is a circle of symbolic links'
  if (code === 'EACCES') return 'may not be read'
  return `cannot be read: ${messageOf(error)}`
}

/**
 * Reads a suite file with everything that it extends and imports, and returns the composed tree without these two keys.
 * Precedence, low to high: the base of `extends`, `imports` in order, the file itself. Null if a file has a fault; all
 * faults are in `issues`.
 */
export const compose = async (
  file: { readonly path: string; readonly name: string },
  files: SuiteFiles,
  issues: SuiteIssue[],
): Promise<MapTree | null> => {
  const parsed = new Map<string, Tree | null>()

  const report = (place: Place, message: string): void => void issues.push(issueAt(place, null, 'error', message))

  const read = async (path: string, realPath: string, name: string): Promise<Tree | null> => {
    // A file that two branches reach is read once.
    const known = parsed.get(realPath)
    if (known !== undefined) return known
    const source: SourceText = { name, text: decodeUtf8(await files.readFile(path)) }
    const before = issues.length
    const tree = parseYaml(source, report)
    if (tree === null && issues.length === before) report({ source, at: 0 }, 'the file is empty; a mapping is needed')
    parsed.set(realPath, tree)
    return tree
  }

  /** `declared` is where the file is named; undefined for the suite itself. */
  const load = async (
    path: string,
    name: string,
    chain: readonly string[],
    declared: { readonly place: Place; readonly path: ReturnType<typeof keyPath> } | undefined,
  ): Promise<MapTree | null> => {
    const fail = (message: string): null => {
      issues.push(
        declared === undefined
          ? { severity: 'error', file: name, path: '', message }
          : issueAt(declared.place, declared.path, 'error', `${name} ${message}`),
      )
      return null
    }
    let realPath: string
    let tree: Tree | null
    try {
      realPath = await files.realpath(path)
      if (chain.includes(realPath)) return fail('is composed of itself: extends and imports form a circle')
      tree = await read(path, realPath, name)
    } catch (error) {
      return fail(readFault(error))
    }
    if (tree === null) return null
    if (!isMapTree(tree)) {
      report(tree, 'a mapping is needed at the top of the file')
      return null
    }

    const layers: MapTree[] = []
    const before = issues.length
    for (const reference of references(tree, issues)) {
      const target = pathIn(reference.target)
      const targetName = isAbsolute(target) ? target : normalize(join(dirname(name), target))
      const layer = await load(resolve(dirname(path), target), targetName, [...chain, realPath], reference)
      if (layer !== null) layers.push(layer)
    }
    if (issues.length > before) return null
    return [...layers, withoutReferences(tree)].reduce(merge)
  }

  return load(file.path, file.name, [], undefined)
}

type Reference = { readonly target: string; readonly place: Place; readonly path: ReturnType<typeof keyPath> }

const isNull = (tree: Tree): boolean => 'value' in tree && tree.value === null

const references = (tree: MapTree, issues: SuiteIssue[]): Reference[] => {
  const found: Reference[] = []
  const add = (item: Tree, path: ReturnType<typeof keyPath>): void => {
    if ('value' in item && typeof item.value === 'string') found.push({ target: item.value, place: item, path })
    else issues.push(issueAt(item, path, 'error', 'expected the path of a file'))
  }
  const base = tree.members.get('extends')?.tree
  if (base !== undefined && !isNull(base)) add(base, keyPath('extends'))
  const imports = tree.members.get('imports')?.tree
  if (imports !== undefined && isListTree(imports))
    for (const [index, item] of imports.items.entries()) add(item, keyPath('imports', index))
  else if (imports !== undefined && !isNull(imports))
    issues.push(issueAt(imports, keyPath('imports'), 'error', 'expected a list of files'))
  return found
}

const withoutReferences = (tree: MapTree): MapTree => {
  const members = new Map(tree.members)
  members.delete('extends')
  members.delete('imports')
  return { ...tree, members }
}

/** Joins two mappings key by key; lists under `assert` are concatenated, the lower first; all else is replaced. */
const merge = (low: MapTree, high: MapTree): MapTree => {
  const members = new Map<string, Member>(low.members)
  for (const [key, member] of high.members) {
    const lower = members.get(key)
    members.set(key, lower === undefined ? member : { key: member.key, tree: merged(lower.tree, member.tree, key) })
  }
  return { ...high, members }
}

const merged = (low: Tree, high: Tree, key: string): Tree => {
  if (isMapTree(low) && isMapTree(high)) return merge(low, high)
  if (key === 'assert' && isListTree(low) && isListTree(high)) return { ...high, items: [...low.items, ...high.items] }
  return high
}
