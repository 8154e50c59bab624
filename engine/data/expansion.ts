import type { Json, JsonObject } from '../json.ts'
import { keyPath, SuiteError, type Path } from '../suite/issues.ts'
import type { Defaults, ExpandedTest, LoadedSuite, TestSpec } from '../suite/suite.ts'
import { TemplateError, type Templates } from '../templates/templates.ts'
import { digestSalt, DIGEST_PREFIX } from './digest-salt.ts'
import type { Draft } from './drafts.ts'
import { createFileValues } from './file-value.ts'
import { combinations, countCombinations, MAX_COMBINATIONS, plainVars } from './matrix.ts'
import { SuiteFileError } from './suite-files.ts'

/** Turns drafts into tests: matrix, defaults, `$file` values, `$digest:` salts. */
export type Expansion = {
  /** Adds the tests of a draft to `tests`. Throws `SuiteError`. */
  readonly add: (draft: Draft, tests: ExpandedTest[]) => Promise<void>
}

const NO_DEFAULTS: Defaults = { vars: {}, assert: [], tags: [] }

const withDefaults = (test: TestSpec, { vars, assert, tags, ...rest }: Defaults): TestSpec => ({
  ...rest,
  ...test,
  vars: { ...vars, ...test.vars },
  assert: [...assert, ...test.assert],
  tags: [...test.tags, ...tags.filter((tag) => !test.tags.includes(tag))],
})

/** The expansion of the tests of a loaded suite. Files and digests are read once each. */
export const createExpansion = ({ directory, suite }: LoadedSuite, templates: Templates): Expansion => {
  const files = createFileValues(directory)
  const salts = new Map<string, Promise<string>>()
  const { defaults = NO_DEFAULTS } = suite

  const multiplied = (draft: Draft): ReadonlyArray<{ readonly id: string; readonly values: JsonObject }> => {
    const matrix = draft.test.matrix as Readonly<Record<string, readonly Json[]>> | undefined
    if (matrix === undefined || !draft.expandsMatrix || Object.keys(matrix).length === 0)
      return [{ id: draft.id, values: {} }]
    const count = countCombinations(matrix)
    if (count > MAX_COMBINATIONS)
      throw new SuiteError([
        draft.issue(
          keyPath('matrix'),
          `the matrix has ${count} combinations; at most ${MAX_COMBINATIONS} are accepted`,
        ),
      ])
    return placed(draft, keyPath('matrix_id'), () => combinations(draft.id, matrix, draft.test.matrix_id, templates))
  }

  const saltOf = async (test: TestSpec): Promise<string | undefined> => {
    const { cache_salt } = test
    if (cache_salt?.startsWith(DIGEST_PREFIX) !== true) return cache_salt
    const glob = templates.render(cache_salt.slice(DIGEST_PREFIX.length), plainVars(test.vars))
    const salt = salts.get(glob) ?? digestSalt(directory, glob)
    salts.set(glob, salt)
    return salt
  }

  const finish = async (draft: Draft, id: string, values: JsonObject): Promise<ExpandedTest> => {
    const { matrix: _, matrix_id: __, ...test } = draft.test
    const joined = withDefaults({ ...test, vars: { ...test.vars, ...values } }, defaults)
    const vars = await placedLater(draft, keyPath('vars'), () => files.vars(joined.vars))
    const assert = await placedLater(draft, keyPath('assert'), () => Promise.all(joined.assert.map(files.assertion)))
    const loaded = { ...joined, vars, assert }
    const salt = await placedLater(draft, keyPath('cache_salt'), () => saltOf(loaded))
    return { ...loaded, id, source: draft.source, ...(salt === undefined ? {} : { cache_salt: salt }) }
  }

  return {
    add: async (draft, tests) => {
      for (const { id, values } of multiplied(draft)) tests.push(await finish(draft, id, values))
    },
  }
}

/** Returns an error of the suite for a fault of a file or a template, and any other error as it is. */
const faultAt = (draft: Draft, path: Path, error: unknown): unknown =>
  error instanceof SuiteFileError || error instanceof TemplateError
    ? new SuiteError([draft.issue(path, error.message)], { cause: error })
    : error

const placed = <T>(draft: Draft, path: Path, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw faultAt(draft, path, error)
  }
}

const placedLater = async <T>(draft: Draft, path: Path, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw faultAt(draft, path, error)
  }
}
