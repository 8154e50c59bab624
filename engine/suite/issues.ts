import { UsageError } from '../json.ts'
import type { SuiteIssue } from './suite.ts'

/** A place in a suite: the keys and indexes from the root, innermost first. Null is the root. */
export type Path = { readonly parent: Path; readonly key: string | number } | null

export const child = (parent: Path, key: string | number): Path => ({ parent, key })

/** Returns the path of the keys, from the outermost. */
export const keyPath = (...keys: ReadonlyArray<string | number>): Path => {
  let path: Path = null
  for (const key of keys) path = child(path, key)
  return path
}

/** Returns a path inside of another one. */
export const inside = (outer: Path, inner: Path): Path =>
  inner === null ? outer : { parent: inside(outer, inner.parent), key: inner.key }

/** Returns the keys of a path, outermost first. */
export const keysOf = (path: Path): Array<string | number> => {
  const keys: Array<string | number> = []
  for (let at = path; at !== null; at = at.parent) keys.push(at.key)
  return keys.reverse()
}

/** Returns a path as messages write it, for example `tests[2].assert[0].value`. */
export const dottedPath = (path: Path): string =>
  keysOf(path).reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    if (!/^[\w$/-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')

/** All findings about a suite that cannot be used. The message has every issue, errors first. */
export class SuiteError extends UsageError {
  readonly issues: readonly SuiteIssue[]

  constructor(issues: readonly SuiteIssue[], options?: ErrorOptions) {
    const ordered = [
      ...issues.filter(({ severity }) => severity === 'error'),
      ...issues.filter(({ severity }) => severity === 'warning'),
    ]
    super(ordered.map(formatIssue).join('\n'), options)
    this.issues = ordered
  }
}

/**
 * A name such as `api_key:`, or the header of credentials, in YAML or JSON, then its value: in quotes, or up to the end of
 * the entry.
 */
const WRITTEN_KEY =
  /((?:api[-_]?key|authorization)["']?\s*:\s*)("(?:\\.|[^"\\])*(?:"|$)|'(?:''|[^'])*(?:'|$)|[^\s"',}\]].*?(?=,(?:\s|$)|[}\]](?:[\s,}\]]|$)|$))/gimu

/** Hides credentials that a text has. The text keeps its length: a caret stays in its place. */
const withoutKeys = (text: string): string =>
  text.replace(WRITTEN_KEY, (_, name: string, value: string) => name + '*'.repeat(value.length))

/** The longest part of a source line that a message shows. */
const MAX_SOURCE_COLUMNS = 160

/**
 * Returns an issue as a terminal shows it: `<file>:<line>:<column>: error: <path>: <what>`, then the line of the file
 * and a caret below the column. Parts that the issue lacks are left out. A credential that was written into the file is
 * shown as stars.
 */
export const formatIssue = ({ severity, file, path, message, line, column, source }: SuiteIssue): string => {
  const place = line === undefined ? file : `${file}:${line}${column === undefined ? '' : `:${column}`}`
  const head = `${place}: ${severity}: ${path === '' ? '' : `${path}: `}${withoutKeys(message)}`
  if (source === undefined || source.trim() === '' || column === undefined) return head
  const from = column <= MAX_SOURCE_COLUMNS / 2 ? 0 : column - MAX_SOURCE_COLUMNS / 2
  // A tab stays a tab in front of the caret, so that both lines are equally wide.
  const shown = withoutKeys(source)
    .slice(from, from + MAX_SOURCE_COLUMNS)
    .replaceAll(/[^\t\P{C}]/gu, '�')
  const indent = shown.slice(0, column - 1 - from).replaceAll(/[^\t]/g, ' ')
  return `${head}\n    ${shown}\n    ${indent}^`
}
