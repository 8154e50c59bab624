import fc from 'fast-check'
import { LEVELS } from '../../../queries/access/levels.ts'

// Few names, so that requests refer to the same things. The names have letters of several scripts, upper and lower
// case, wildcards, and signs that UTF-16, UTF-8 and collations sort differently.
export const PROJECTS = ['chat', 'Chat', 'Ä/b', '\u{1f600}', '\ufb33', null] as const
export const SUITES = ['smoke', 'a b', '%_', "it's", 'Z', 'ß', '', null] as const
/** Runs, each with the set that it is usually uploaded to. */
const RUN_PLACES = Array.from({ length: 60 }, (_, i) => ({
  run_id: `${['r', 'R', 'é/', '\u{1f600}', '\uffee'][i % 5]}${i}`,
  project: PROJECTS[i % 4 === 0 ? 0 : i % PROJECTS.length] ?? null,
  suite: SUITES[(i * 3) % SUITES.length] ?? null,
}))
const WORDS = [
  'hello',
  'Hello',
  'world',
  'crème',
  'brûlée',
  'CREME',
  'größe',
  'x1y2',
  '日本語',
  'snake_case',
  'foo/bar.py',
  '404',
  'naïve',
  'it',
  's',
  'zwölf',
  '\u{1f600}',
  'NUL\0in',
  '\ud800',
] as const
export const TAGS = ['nightly', 'Nightly', 'a,b', 'é', '"', '100%'] as const
export const BRANCHES = ['main', 'Main', 'feature/x', 'ünï'] as const
export const FIRST_INSTANT = Date.UTC(2026, 4, 4, 9)

export const word = fc.constantFrom(...WORDS)
export const project = fc.constantFrom(...PROJECTS)
export const suite = fc.constantFrom(...SUITES)
export const runPlace = fc.constantFrom(...RUN_PLACES)
export const run = runPlace.map(({ run_id }) => run_id)
export const cell = fc.record({
  provider_id: fc.constantFrom('model', 'Model', 'é'),
  prompt_id: fc.constantFrom('terse', null),
  test_id: fc.constantFrom('t/1', 'T/1', '\u{1f600}'),
  repeat: fc.constantFrom(0, 0, 1),
})
export const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })

export const pathPart = (names: fc.Arbitrary<string | null>): fc.Arbitrary<string> =>
  names.map((name) => encodeURIComponent(name ?? 'none'))
export const set = fc.record({ p: pathPart(project), s: pathPart(suite) }).filter(({ s }) => s !== '')
export const pinned = runPlace.filter(({ suite: named }) => named !== '')
export const id = pathPart(run)
export const userId = fc.constantFrom('ann', 'ben', 'cat', '@user0', '@user1', '@user2', 'nobody')
export const keyId = fc.constantFrom('@key0', '@key1', '@key2', 'nothing')
export const viewId = fc.constantFrom('@view0', '@view1', '@view2', 'nothing')
export const holdId = fc.constantFrom('@hold0', '@hold1', '@hold2', 'nothing')
export const commentId = fc.constantFrom('@comment0', '@comment1', '@comment2', 'nothing')
export const planId = fc.constantFrom('@plan0', '@plan1', '@plan2', 'nothing')
export const rubricId = fc.constantFrom('@rubric0', '@rubric1', '@rubric2', 'nothing')
export const queueId = fc.constantFrom('reviewed', 'reviewed', 'nothing')
export const reviewItem = fc.constantFrom('reviewed.1', 'reviewed.2', 'reviewed.3', 'reviewed.4', 'nothing.1')
export const level = fc.constantFrom(...LEVELS)

export const nameFrom = (candidates: readonly (string | null)[]): fc.Arbitrary<string> =>
  fc.constantFrom(...candidates.map((name) => name ?? 'none'))
