import { extname } from 'node:path/posix'
import { messageOf } from '../../domain/plain/message-of.ts'
import type { Json, JsonObject } from '../json.ts'
import { parseFloats, typedNumbers } from '../numbers.ts'
import { child, dottedPath, inside, keyPath, SuiteError, type Path } from '../suite/issues.ts'
import { quotedNames } from '../../domain/text/nearest.ts'
import { issueAt, parseYaml } from '../suite/source/parse-yaml.ts'
import { findPlace, treeValue, type Tree } from '../suite/source/tree.ts'
import type { SuiteIssue } from '../suite/suite.ts'
import { isList, isMapping } from '../suite/values.ts'
import { readCsv, type CsvExtension } from './csv.ts'

/** A test as a file has it, before any check. */
export type FoundTest = {
  readonly value: Json
  /** Where it is, for messages: `cases/a.csv line 3`. */
  readonly source: string
  /** Returns the issue for a place inside the test. */
  readonly issue: (path: Path, severity: SuiteIssue['severity'], message: string, onKey: boolean) => SuiteIssue
}

/** Returns an issue of a file without a line. */
const fileIssue = (file: string, message: string): SuiteIssue => ({ severity: 'error', file, path: '', message })

/** A test without positions inside: messages name it as a whole, by `source`. */
const unplaced = (source: string, value: Json): FoundTest => ({
  value,
  source,
  issue: (path, severity, message) => ({ severity, file: source, path: dottedPath(path), message }),
})

/** Returns the tests of a list, or of the key `tests` of a mapping. */
const fileTests = (value: Json, file: string): { readonly tests: readonly Json[]; readonly at: Path } => {
  if (isList(value)) return { tests: value, at: null }
  const tests = isMapping(value) ? (value as JsonObject)['tests'] : undefined
  if (isList(tests)) return { tests, at: keyPath('tests') }
  throw new SuiteError([fileIssue(file, 'expected a list of tests, or a mapping with the list `tests`')])
}

const yamlTests = (file: string, text: string): FoundTest[] => {
  const issues: SuiteIssue[] = []
  const tree: Tree | null = parseYaml({ name: file, text }, (place, message) =>
    issues.push(issueAt(place, null, 'error', message)),
  )
  if (issues.length > 0) throw new SuiteError(issues)
  if (tree === null) return []
  const { tests, at } = fileTests(typedNumbers(treeValue(tree)), file)
  return tests.map((value, index) => {
    const place = child(at, index)
    return {
      value,
      source: `${file} [${index}]`,
      issue: (path, severity, message, onKey) => {
        const whole = inside(place, path)
        return issueAt(findPlace(tree, whole, onKey), whole, severity, message)
      },
    }
  })
}

const parseJson = (file: string, text: string, where = ''): Json => {
  try {
    return typedNumbers(parseFloats(text))
  } catch (error) {
    throw new SuiteError([fileIssue(file, `${where}is not JSON: ${messageOf(error)}`)], { cause: error })
  }
}

const jsonTests = (file: string, text: string): FoundTest[] =>
  fileTests(parseJson(file, text), file).tests.map((value, index) => unplaced(`${file} [${index}]`, value))

const jsonLineTests = (file: string, text: string): FoundTest[] =>
  text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const number = index + 1
    return [unplaced(`${file} line ${number}`, parseJson(file, line, `line ${number} `))]
  })

const csvTests = (file: string, text: string, extension: CsvExtension, warnings: SuiteIssue[]): FoundTest[] =>
  readCsv(file, text, extension, warnings).map(({ test, line }) => unplaced(`${file} line ${line}`, test))

const READERS: Readonly<Record<string, (file: string, text: string, warnings: SuiteIssue[]) => FoundTest[]>> = {
  '.yaml': yamlTests,
  '.yml': yamlTests,
  '.json': jsonTests,
  '.jsonl': jsonLineTests,
  '.ndjson': jsonLineTests,
  '.csv': (file, text, warnings) => csvTests(file, text, '.csv', warnings),
  '.tsv': (file, text, warnings) => csvTests(file, text, '.tsv', warnings),
}

/**
 * Returns the tests of a file, in its order, and adds to the warnings. Throws `SuiteError` if its format is not known or
 * it cannot be parsed.
 */
export const testsOfFile = (file: string, text: string, warnings: SuiteIssue[]): readonly FoundTest[] => {
  const extension = extname(file).toLowerCase()
  const read = Object.hasOwn(READERS, extension) ? READERS[extension] : undefined
  if (read === undefined) {
    const accepted = quotedNames(Object.keys(READERS))
    throw new SuiteError([
      fileIssue(file, `files of tests cannot have the extension \`${extension}\`; accepted: ${accepted}`),
    ])
  }
  return read(file, text, warnings)
}

/** Returns tests that a program printed: one object with `tests`, or one object per line. */
export const generatedTests = (source: string, stdout: string): readonly FoundTest[] => {
  const text = stdout.trim()
  if (text === '') return []
  const whole = text.startsWith('{') ? wholeObject(text) : undefined
  if (whole !== undefined) {
    const { tests } = whole
    if (!isList(tests))
      throw new SuiteError([
        fileIssue(source, 'printed one object without the list `tests`; print `{"tests": [...]}` for a single test'),
      ])
    return tests.map((value, index) => unplaced(`${source} [${index}]`, value))
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => unplaced(`${source} [${index}]`, parseJson(source, line, `test ${index} `)))
}

/** Returns the object if the whole text is one; undefined for objects in lines. */
const wholeObject = (text: string): JsonObject | undefined => {
  try {
    return typedNumbers(parseFloats(text)) as JsonObject
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
