import { basename, extname } from 'node:path/posix'
import type { Programs } from '../processes/program.ts'
import { historyMayComeFirst } from '../suite/check/check-prompts.ts'
import { duplicateId, hasWrittenId } from '../suite/check/check-tests.ts'
import { FILE_PREFIX, isFileText } from '../suite/file-reference.ts'
import { inside, keyPath, SuiteError, type Path } from '../suite/issues.ts'
import { issueOf } from '../suite/locate.ts'
import type { ExpandedTest, LoadedSuite, SuiteIssue } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import { createExpansion } from './expansion.ts'
import { draftsOf, type Draft } from './drafts.ts'
import { generate, generatorName, generatorRedactor } from './generate.ts'
import { matchingFiles, readSuiteFile, SuiteFileError } from './suite-files.ts'
import { generatedTests, testsOfFile } from './test-file.ts'

export type ExpandOptions = {
  readonly templates: Templates
  readonly programs: Programs
  /** The environment of the command, for variables that generators are passed. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly generators: boolean
  readonly signal: AbortSignal
}

/** The tests of a suite. */
export type ExpandedTests = {
  readonly tests: readonly ExpandedTest[]
  readonly warnings: readonly SuiteIssue[]
  /** Generators that were not run, as `generator node gen.mjs`. */
  readonly skippedGenerators: readonly string[]
  readonly emptyGenerators: readonly string[]
}

/** Warnings about ids that occur twice are cut here: thousands of them would hide all others. */
const MAX_DUPLICATE_WARNINGS = 20

/**
 * Returns all tests of a suite: those of files, globs and generators too, with ids, matrix, defaults, `$file` values and
 * `$digest:` salts resolved. Generators come last. Throws `SuiteError` for the
 * first file or test that cannot be used, `HarnessError` for a generator that does not run, and the reason of the signal.
 */
export const expandTests = async (loaded: LoadedSuite, options: ExpandOptions): Promise<ExpandedTests> => {
  const { directory, suite } = loaded
  const warnings: SuiteIssue[] = []
  const skippedGenerators: string[] = []
  const emptyGenerators: string[] = []
  const expansion = createExpansion(loaded, options.templates)
  const tests: ExpandedTest[] = []
  const mayComeFirst = historyMayComeFirst(suite.prompts)

  for (const [index, source] of suite.tests.entries()) {
    if (source.kind === 'inline') {
      const { test } = source
      const issue: Draft['issue'] = (path, message) =>
        issueOf(loaded, inside(keyPath('tests', index), path), 'error', message)
      const draft = { id: test.id ?? `inline/${index}`, test, source: inlineSource(index), issue, expandsMatrix: true }
      await expansion.add(draft, tests)
    } else if (source.kind === 'files') {
      const paths = await locating(loaded, keyPath('tests', index), () => testFiles(directory, source.glob))
      if (paths.length === 0)
        warnings.push(issueOf(loaded, keyPath('tests', index), 'warning', `no file matches ${source.glob}`))
      for (const path of paths) {
        const text = await locating(loaded, keyPath('tests', index), () => readSuiteFile(directory, path))
        const stem = basename(path, extname(path))
        const found = testsOfFile(path, text, warnings)
        if (found.length === 0) warnings.push({ severity: 'warning', file: path, path: '', message: 'holds no tests' })
        for (const draft of draftsOf(found, stem, { expandsMatrix: true, mayComeFirst }, warnings))
          await expansion.add(draft, tests)
      }
    }
  }

  for (const source of suite.tests) {
    if (source.kind !== 'generator') continue
    const name = generatorName(source)
    if (!options.generators) {
      skippedGenerators.push(name)
      continue
    }
    const { programs, env, signal } = options
    const redact = generatorRedactor(source, env)
    const stdout = await generate(source, { directory, programs, env, signal, redact })
    // Once more after parsing: the escapes of JSON may have hidden a secret.
    const printed = generatedTests(name, stdout).map((found) => ({ ...found, value: redact.json(found.value) }))
    if (printed.length === 0) emptyGenerators.push(name)
    const program = source.command[0]!.replaceAll('\\', '/')
    const stem = basename(program, extname(program))
    for (const draft of draftsOf(printed, stem, { expandsMatrix: false, mayComeFirst }, warnings))
      await expansion.add(draft, tests)
  }

  warnings.push(...duplicateIds(tests, loaded.file, comparedSources(loaded)))
  return { tests, warnings, skippedGenerators, emptyGenerators }
}

const inlineSource = (index: number): string => `tests[${index}]`

const testFiles = (directory: string, glob: string): Promise<string[]> => {
  if (isFileText(glob)) return matchingFiles(directory, glob)
  throw new SuiteFileError(`a text among the tests must start with \`${FILE_PREFIX}\`, as in \`${FILE_PREFIX}${glob}\``)
}

/** Runs work; a fault of a file gets its place in the suite. */
const locating = async <T>(loaded: LoadedSuite, path: Path, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SuiteFileError)) throw error
    throw new SuiteError([issueOf(loaded, path, 'error', error.message)], { cause: error })
  }
}

/** Sources of the inline tests whose ids were compared with each other when the suite was loaded. */
const comparedSources = ({ suite }: LoadedSuite): ReadonlySet<string> =>
  new Set(
    suite.tests.flatMap((source, index) =>
      source.kind === 'inline' && hasWrittenId(source.test) ? [inlineSource(index)] : [],
    ),
  )

/** Returns a warning for each test with the id of an earlier one, unless loading has reported the test. */
const duplicateIds = (
  tests: readonly ExpandedTest[],
  file: string,
  compared: ReadonlySet<string>,
): readonly SuiteIssue[] => {
  const firstWith = new Map<string, ExpandedTest>()
  const comparedIds = new Set<string>()
  const warnings: SuiteIssue[] = []
  let cut = 0
  for (const test of tests) {
    const first = firstWith.get(test.id)
    const isReported = compared.has(test.source) && comparedIds.has(test.id)
    if (compared.has(test.source)) comparedIds.add(test.id)
    if (first === undefined) firstWith.set(test.id, test)
    else if (isReported) continue
    else if (warnings.length === MAX_DUPLICATE_WARNINGS) cut++
    else
      warnings.push({
        severity: 'warning',
        file,
        path: 'tests',
        message: duplicateId(test.id, test.source, first.source),
      })
  }
  if (cut > 0)
    warnings.push({
      severity: 'warning',
      file,
      path: 'tests',
      message: `${cut} more tests have an id that is used twice`,
    })
  return warnings
}
