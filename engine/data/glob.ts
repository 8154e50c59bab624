import type { Dirent } from 'node:fs'
import { ANY, exactly, fits, RUN, type Wildcard } from '../text/wildcards.ts'

/** Matches names of one segment of a path. */
type Name = readonly Wildcard[]
/** The segment `**`: any number of folders, none included. */
const FOLDERS = '**'
type Segment = typeof FOLDERS | Name

const WILDCARD = /[*?[]/

/** Returns the test of a set such as `[a-z_]` or, of all other characters, `[!a-z_]`. */
const parseSet = (inner: readonly string[]): Wildcard => {
  const negated = inner[0] === '!'
  const characters = negated ? inner.slice(1) : inner
  const ranges: Array<readonly [low: number, high: number]> = []
  for (let at = 0; at < characters.length; at++) {
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length
    ranges.push([characters[at]!.codePointAt(0)!, characters[isRange ? at + 2 : at]!.codePointAt(0)!])
    if (isRange) at += 2
  }
  return (character) => {
    const code = character.codePointAt(0)!
    return ranges.some(([low, high]) => low <= code && code <= high) !== negated
  }
}

const parseName = (segment: string): Name => {
  const characters = [...segment]
  const parts: Wildcard[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    // A bracket right behind the opening one belongs to the set.
    const first = characters[at + 1] === '!' ? at + 2 : at + 1
    const end = character === '[' ? characters.indexOf(']', first + 1) : -1
    if (character === '*') {
      if (parts.at(-1) !== RUN) parts.push(RUN)
    } else if (character === '?') parts.push(ANY)
    else if (end < 0) parts.push(exactly(character))
    else {
      parts.push(parseSet(characters.slice(at + 1, end)))
      at = end
    }
  }
  return parts
}

/** Returns the part of a glob without wildcards, and the segments behind it. */
const parsed = (pattern: string): { readonly base: string; readonly segments: readonly Segment[] } => {
  const written = pattern.split(/[\\/]/).filter((segment) => segment !== '' && segment !== '.')
  const first = written.findIndex((segment) => WILDCARD.test(segment))
  if (first < 0) return { base: written.join('/'), segments: [] }
  const segments: Segment[] = []
  for (const segment of written.slice(first))
    if (segment !== FOLDERS) segments.push(parseName(segment))
    else if (segments.at(-1) !== FOLDERS) segments.push(FOLDERS)
  // Files match, no folders.
  if (segments.at(-1) === FOLDERS) segments.push([RUN])
  return { base: written.slice(0, first).join('/'), segments }
}

/**
 * Returns the paths that a glob names, with slashes and in no order: of files and of anything else. `*` is a run of
 * characters in one segment, `?` one character, `[a-z]` one of a set, `[!a-z]` one that is not in it, and the segment
 * `**` any number of folders; all else stands for itself. Names with a dot in front match like others. `**` does not
 * enter folders through symbolic links: they may form circles. `entriesOf` returns what is in a folder, and nothing if
 * the path is no folder.
 */
export const globPaths = async (
  pattern: string,
  entriesOf: (folder: string) => Promise<readonly Dirent[]>,
): Promise<string[]> => {
  const { base, segments } = parsed(pattern)
  if (/[\\/]$/.test(pattern)) return []
  if (segments.length === 0) return [base]
  const found: string[] = []

  /** Visits a folder once, whatever segments may match there. */
  const visit = async (folder: string, positions: ReadonlySet<number>): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const next = new Set<number>()
      let isMatch = false
      const tryName = (position: number): void => {
        if (!fits(segments[position] as Name, entry.name)) return
        if (position === segments.length - 1) isMatch = true
        else next.add(position + 1)
      }
      for (const position of positions)
        if (segments[position] === FOLDERS) {
          if (entry.isDirectory()) next.add(position)
          tryName(position + 1)
        } else tryName(position)
      if (isMatch) found.push(path)
      if (next.size > 0 && (entry.isDirectory() || entry.isSymbolicLink())) await visit(path, next)
    }
  }
  await visit(base, new Set([0]))
  return found
}
