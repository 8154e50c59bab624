import type { Json } from '../../json.ts'
import { child, keyPath, type Path } from '../issues.ts'
import type { AuthoredAssertion } from '../shape/assertion-shape.ts'
import type { AuthoredGrader } from '../shape/provider-shape.ts'
import type { AuthoredDefaults, AuthoredTest } from '../shape/test-shape.ts'
import { isMapping } from '../values.ts'
import { checkHistory } from './check-prompts.ts'
import { checkRequestPath } from './check-providers.ts'
import type { Findings, Numbered } from './findings.ts'

/** Checks a grader block of the suite or of an assertion. */
export const checkGrader = (grader: AuthoredGrader, path: Path, findings: Findings): void => {
  const request: Json | undefined = grader.provider['request']
  if (isMapping(request))
    checkRequestPath(request as { readonly path?: string }, child(child(path, 'provider'), 'request'), findings)
}

const checkAssertions = (assertions: readonly AuthoredAssertion[], path: Path, findings: Findings): void => {
  for (let index = 0; index < assertions.length; index++) {
    const grader = assertions[index]!['grader']
    if (isMapping(grader)) checkGrader(grader as AuthoredGrader, child(child(path, index), 'grader'), findings)
  }
}

/** Checks the defaults of the tests. */
export const checkDefaults = (
  { assert = [], history }: AuthoredDefaults,
  mayComeFirst: boolean,
  findings: Findings,
): void => {
  checkAssertions(assert, keyPath('defaults', 'assert'), findings)
  checkHistory(history, keyPath('defaults', 'history'), mayComeFirst, findings)
}

/** Checks the graders and the history of one test. */
export const checkTest = (test: AuthoredTest, path: Path, mayComeFirst: boolean, findings: Findings): void => {
  if (test.assert !== undefined) checkAssertions(test.assert, child(path, 'assert'), findings)
  checkHistory(test.history, child(path, 'history'), mayComeFirst, findings)
}

/** Checks the inline tests of a suite. */
export const checkTests = (
  tests: ReadonlyArray<Numbered<AuthoredTest>>,
  about: { readonly mayComeFirst: boolean; readonly hasDefaultAssertions: boolean },
  findings: Findings,
): void => {
  const firstWith = new Map<string, number>()
  for (const { value: test, index } of tests) {
    const path = keyPath('tests', index)
    checkTest(test, path, about.mayComeFirst, findings)
    const isMarked = test.expect_fail !== undefined && test.expect_fail !== false
    if (isMarked && (test.assert ?? []).length === 0 && !about.hasDefaultAssertions)
      findings.warning(path, 'marked expect_fail but asserts nothing')
    if (!hasWrittenId(test)) continue
    const first = firstWith.get(test.id)
    if (first === undefined) firstWith.set(test.id, index)
    else findings.warning(child(path, 'id'), duplicateId(test.id, `tests[${index}]`, `tests[${first}]`))
  }
}

/** Whether the id of a test is known when a suite is loaded: that of a matrix is not, before it is expanded. */
export const hasWrittenId = <T extends Pick<AuthoredTest, 'id'> & { readonly matrix?: unknown }>(
  test: T,
): test is T & { readonly id: string } => test.id !== undefined && test.matrix === undefined

/** Says that two tests have one id. */
export const duplicateId = (id: string, place: string, first: string): string =>
  `the id \`${id}\` is used twice: in ${first} and in ${place}; their results replace each other`
