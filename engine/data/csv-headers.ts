import { extname } from 'node:path/posix'
import { isFileText } from '../suite/file-reference.ts'
import { SuiteError } from '../suite/issues.ts'
import type { LoadedSuite, SuiteIssue } from '../suite/suite.ts'
import { csvHeaderFaults } from './csv.ts'
import { matchingFiles, readSuiteFile, SuiteFileError } from './suite-files.ts'

/**
 * Returns what is wrong with the columns of the CSV files among the tests of a suite. Only the columns are checked: a
 * file that cannot be found or read is reported by the run.
 */
export const csvHeaderIssues = async ({ directory, suite }: LoadedSuite): Promise<readonly SuiteIssue[]> => {
  const issues: SuiteIssue[] = []
  for (const source of suite.tests) {
    if (source.kind !== 'files' || !isFileText(source.glob)) continue
    for (const path of await unlessUnreadable([], () => matchingFiles(directory, source.glob))) {
      const extension = extname(path).toLowerCase()
      if (extension !== '.csv' && extension !== '.tsv') continue
      issues.push(
        ...(await unlessUnreadable<readonly SuiteIssue[]>([], async () =>
          csvHeaderFaults(path, await readSuiteFile(directory, path), extension),
        )),
      )
    }
  }
  return issues
}

const unlessUnreadable = async <T>(otherwise: T, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SuiteFileError || error instanceof SuiteError) return otherwise
    throw error
  }
}
