import { dottedPath, type Path } from './issues.ts'
import { issueAt } from './source/parse-yaml.ts'
import { findPlace, type Tree } from './source/tree.ts'
import type { LoadedSuite, SuiteIssue } from './suite.ts'

/** The composed tree of each loaded suite, for issues that are found later. */
const trees = new WeakMap<LoadedSuite, Tree>()

export const rememberPlaces = (loaded: LoadedSuite, tree: Tree): void => void trees.set(loaded, tree)

/** Returns an issue of a loaded suite, with the line of the place if the suite was loaded from a file. */
export const issueOf = (
  loaded: LoadedSuite,
  path: Path,
  severity: SuiteIssue['severity'],
  message: string,
): SuiteIssue => {
  const tree = trees.get(loaded)
  return tree === undefined
    ? { severity, file: loaded.file, path: dottedPath(path), message }
    : issueAt(findPlace(tree, path, false), path, severity, message)
}
