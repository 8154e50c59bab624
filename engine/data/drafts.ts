import { buildTest } from '../suite/build/build-test.ts'
import { checkTest } from '../suite/check/check-tests.ts'
import { withHint } from '../suite/hints.ts'
import { keysOf, SuiteError, type Path } from '../suite/issues.ts'
import type { Finding } from '../suite/shape/shape.ts'
import { test as testShape, type AuthoredTest } from '../suite/shape/test-shape.ts'
import type { SuiteIssue, TestSpec } from '../suite/suite.ts'
import type { FoundTest } from './test-file.ts'

/** A test with its id, before matrix and defaults. */
export type Draft = {
  readonly id: string
  readonly test: TestSpec
  readonly source: string
  /** Returns an error with the place of a path inside the test. */
  readonly issue: (path: Path, message: string) => SuiteIssue
  /** Generated tests are not multiplied by their `matrix`. */
  readonly expandsMatrix: boolean
}

/** Whether a finding is a key inside an assertion that its kind lacks: other engines ignore it in files of tests. */
const isTolerated = (path: Path, { kind }: Finding): boolean =>
  kind === 'unknown-key' && keysOf(path)[0] === 'assert' && keysOf(path).length > 2

/**
 * Checks the tests of a file or a generator as inline tests are, and returns them with their default ids, `<stem>/<index>`. Keys that an
 * assertion lacks become warnings. `mayComeFirst`: a history may start the conversation.
 * Throws `SuiteError` with all errors of the file.
 */
export const draftsOf = (
  found: readonly FoundTest[],
  stem: string,
  { expandsMatrix, mayComeFirst }: { readonly expandsMatrix: boolean; readonly mayComeFirst: boolean },
  warnings: SuiteIssue[],
): readonly Draft[] => {
  const errors: SuiteIssue[] = []
  const drafts: Draft[] = []
  for (const [index, { value: written, source, issue }] of found.entries()) {
    const value = testShape.normal!(written)
    const before = errors.length
    testShape.check(value, null, (path, message, finding) => {
      const hinted = withHint(value, path, message, finding)
      if (isTolerated(path, finding)) warnings.push(issue(path, 'warning', hinted, finding.onKey))
      else errors.push(issue(path, 'error', hinted, finding.onKey))
    })
    if (errors.length > before) continue
    checkTest(value as AuthoredTest, null, mayComeFirst, {
      error: (path, message) => void errors.push(issue(path, 'error', message, false)),
      warning: (path, message) => void warnings.push(issue(path, 'warning', message, false)),
    })
    if (errors.length > before) continue
    const test = buildTest(value as AuthoredTest)
    drafts.push({
      id: test.id ?? `${stem}/${index}`,
      test,
      source,
      issue: (path, message) => issue(path, 'error', message, false),
      expandsMatrix,
    })
  }
  if (errors.length > 0) throw new SuiteError(errors)
  return drafts
}
