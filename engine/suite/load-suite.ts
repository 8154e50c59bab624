import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { digestSalt, DIGEST_PREFIX } from '../data/digest-salt.ts'
import { SuiteFileError } from '../data/suite-files.ts'
import type { JsonObject } from '../json.ts'
import { typedNumbers } from '../numbers.ts'
import { buildSuite } from './build/build-suite.ts'
import { checkContents } from './check/check-contents.ts'
import { checkSuite } from './check/check-suite.ts'
import { withHint } from './hints.ts'
import { SuiteError, keyPath, type Path } from './issues.ts'
import { rememberPlaces } from './locate.ts'
import { suiteShape, type AuthoredSuite } from './shape/suite-shape.ts'
import { snapshotOf } from './snapshot.ts'
import { compose, readFault, type SuiteFiles } from './source/compose.ts'
import { interpolate } from './source/interpolate.ts'
import { issueAt } from './source/parse-yaml.ts'
import { readRegular } from './source/read-regular.ts'
import { findPlace, treeValue } from './source/tree.ts'
import type { LoadedSuite, ProviderSpec, SuiteIssue } from './suite.ts'

const SUITE_NAMES = ['service.yaml', 'service.yml'] as const

const DISK: SuiteFiles = {
  readFile: readRegular,
  realpath,
  isDirectory: async (path) => (await stat(path)).isDirectory(),
}

export type LoadOptions = {
  /** The variables for `${env:NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where files are read. Default: the disk. */
  readonly files?: SuiteFiles
}

/**
 * Loads the suite of a file, or of a folder with a `service.yaml` or `service.yml`: composes, interpolates and checks
 * it. Tests of files and programs are not read: see `expandTests`. Throws
 * `SuiteError` with all findings if one of them is an error.
 */
export const loadSuite = async (path: string, { env, files = DISK }: LoadOptions): Promise<LoadedSuite> => {
  const file = await suiteFile(path, files)
  const directory = dirname(resolve(file))
  const issues: SuiteIssue[] = []
  const tree = await compose({ path: resolve(file), name: file }, files, issues)
  if (tree === null) throw new SuiteError(issues)

  const add = (severity: SuiteIssue['severity'], at: Path, message: string, onKey = false): void => {
    // A whole suite has no place in its file.
    if (at === null) issues.push({ severity, file, path: '', message })
    else issues.push(issueAt(findPlace(tree, at, onKey), at, severity, message))
  }
  const error = (at: Path, message: string): void => add('error', at, message)
  const warning = (at: Path, message: string): void => add('warning', at, message)

  const written = suiteShape.normal!(typedNumbers(treeValue(tree))) as JsonObject
  const authored = interpolate(written, env, error)
  const broken: Path[] = []
  suiteShape.check(authored, null, (at, message, finding) => {
    broken.push(at)
    add('error', at, withHint(authored, at, message, finding), finding.onKey)
  })
  await checkSuite(authored, broken, { error, warning })
  if (issues.some(({ severity }) => severity === 'error')) throw new SuiteError(issues)

  const suite = buildSuite(authored as AuthoredSuite)
  const providers = await withDigestSalts(suite.providers, directory, error)
  if (issues.some(({ severity }) => severity === 'error')) throw new SuiteError(issues)
  await checkContents(suite, directory, warning)
  const loaded: LoadedSuite = {
    file,
    directory,
    suite: { ...suite, providers },
    snapshot: snapshotOf(authored),
    warnings: issues,
  }
  rememberPlaces(loaded, tree)
  return loaded
}

/** Returns the suite file that a path names, as the caller would name it. */
const suiteFile = async (path: string, files: SuiteFiles): Promise<string> => {
  const fail = (file: string, message: string, cause?: unknown): never => {
    throw new SuiteError([{ severity: 'error', file, path: '', message }], { cause })
  }
  const exists = async (name: string): Promise<boolean> => {
    try {
      return !(await files.isDirectory(name))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      return fail(name, readFault(error), error)
    }
  }
  try {
    if (!(await files.isDirectory(path))) return path
  } catch (error) {
    return fail(path, readFault(error), error)
  }
  for (const name of SUITE_NAMES) if (await exists(join(path, name))) return join(path, name)
  return fail(path, `the folder has neither ${SUITE_NAMES.join(' nor ')}; \`ers init\` writes a first suite`)
}

/** Resolves the `$digest:` salts of programs. The other types of providers use the text as it is. */
const withDigestSalts = async (
  providers: readonly ProviderSpec[],
  directory: string,
  error: (at: Path, message: string) => void,
): Promise<readonly ProviderSpec[]> => {
  const resolved: ProviderSpec[] = []
  for (const [index, provider] of providers.entries()) {
    if (provider.type !== 'exec' || provider.cache_salt?.startsWith(DIGEST_PREFIX) !== true) {
      resolved.push(provider)
      continue
    }
    try {
      const glob = provider.cache_salt.slice(DIGEST_PREFIX.length)
      resolved.push({ ...provider, cache_salt: await digestSalt(directory, glob) })
    } catch (fault) {
      if (!(fault instanceof SuiteFileError)) throw fault
      error(keyPath('providers', index, 'cache_salt'), fault.message)
    }
  }
  return resolved
}
