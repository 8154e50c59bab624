import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASELINES, projectTag, RUNS, setTag } from '../../commands/tags.ts'
import type { Tag } from '../../commands/tags.ts'
import type { InvalidatedSet } from '../../commands/tags.ts'
import { scopeKey, type RunSet, type SetScope } from '../../domain/sets.ts'
import { covers, type Restrictions } from '../../queries/access/viewer-class.ts'
import { tagNamesOf, seenTags } from '../../runtime/seen-tags.ts'

const PROJECTS = ['p', 'q'] as const
const SUITES = ['s', 't', null] as const
const project = fc.constantFrom(...PROJECTS)
const suite = fc.constantFrom(...SUITES)
const scopes = fc.uniqueArray(fc.record({ project, suite }), { maxLength: 4, selector: scopeKey })
const set = fc.record({ project: fc.constantFrom(...PROJECTS, ...PROJECTS, null), suite })

const restrictionsOf = (rows: readonly SetScope[], key = 'one'): Restrictions => ({
  key,
  projects: new Set(rows.flatMap((row) => (row.suite === null ? [row.project] : []))),
  suites: new Set(rows.flatMap((row) => (row.suite === null ? [] : [scopeKey(row)]))),
})

/** As specified: a row of a project covers all its runs, a row of a suite covers the runs of the suite. */
const isCovered = (rows: readonly SetScope[], runSet: RunSet): boolean =>
  rows.some((row) => row.project === runSet.project && (row.suite === null || row.suite === runSet.suite))
const isVisible = (restricted: readonly SetScope[], granted: readonly SetScope[], runSet: RunSet): boolean =>
  !isCovered(restricted, runSet) || isCovered(granted, runSet)

/** What of some grants is within a limit, as in `queries/access/viewer-class.ts`. */
const within = (granted: readonly SetScope[], limit: SetScope): SetScope[] =>
  granted
    .filter(
      ({ project: p, suite: s }) => p === limit.project && (s === null || limit.suite === null || s === limit.suite),
    )
    .map((grant) => (grant.suite === null ? limit : grant))

/** What an upload into a set invalidates, as in `commands/tags.ts`. */
const uploaded = (runSet: RunSet): InvalidatedSet => {
  const { project: name } = runSet
  const tags = [RUNS, ...(name === null ? [] : [projectTag(name), setTag({ ...runSet, project: name })])]
  return { ...runSet, names: tags.map((tag) => tag.name) }
}

const TAGS: ReadonlyArray<readonly [Tag, (runSet: RunSet) => boolean]> = [
  [RUNS, () => true],
  ...PROJECTS.map((name): [Tag, (runSet: RunSet) => boolean] => [
    projectTag(name),
    (runSet) => runSet.project === name,
  ]),
  ...PROJECTS.flatMap((name) =>
    SUITES.map((suiteName): [Tag, (runSet: RunSet) => boolean] => [
      setTag({ project: name, suite: suiteName }),
      (runSet) => runSet.project === name && runSet.suite === suiteName,
    ]),
  ),
]

describe('the tags of a response', () => {
  it('are invalidated by changes in sets that its viewer may see, and no others', () => {
    fc.assert(
      fc.property(scopes, scopes, set, (restricted, granted, changed) => {
        const restrictions = restrictionsOf(restricted)
        const invalidated = tagNamesOf([uploaded(changed)], [restrictions])
        for (const [tag, concerns] of TAGS) {
          const isInvalidated = seenTags([tag], { restrictions, granted, limit: null }).some((name) =>
            invalidated.has(name),
          )
          expect(isInvalidated, JSON.stringify(tag)).toBe(concerns(changed) && isVisible(restricted, granted, changed))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('are invalidated by changes within the limit of a key, and no others', () => {
    fc.assert(
      fc.property(scopes, scopes, fc.record({ project, suite }), set, (restricted, granted, limit, changed) => {
        const restrictions = restrictionsOf(restricted)
        const invalidated = tagNamesOf([uploaded(changed)], [restrictions])
        for (const [tag, concerns] of TAGS) {
          const isInvalidated = (viewers: { restrictions: Restrictions | null; granted: readonly SetScope[] }) =>
            seenTags([tag], { ...viewers, limit }).some((name) => invalidated.has(name))
          const isWithin = concerns(changed) && isCovered([limit], changed)
          // An account that sees everything, and one that sees what is not restricted or what it is granted.
          expect(isInvalidated({ restrictions: null, granted: [] }), JSON.stringify(tag)).toBe(isWithin)
          expect(isInvalidated({ restrictions, granted: within(granted, limit) }), JSON.stringify(tag)).toBe(
            isWithin && isVisible(restricted, granted, changed),
          )
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('are invalidated by changes in every set if the viewer has no restrictions', () => {
    const changed = uploaded({ project: 'p', suite: 's' })
    for (const all of [[], [restrictionsOf([{ project: 'p', suite: null }])]])
      for (const viewers of [undefined, { restrictions: null, granted: [], limit: null }])
        expect(seenTags([RUNS, 'run/r'], viewers).filter((name) => tagNamesOf([changed], all).has(name))).toEqual([
          RUNS.name,
        ])
  })

  it('have different names under different restrictions', () => {
    const [wide, narrow] = [
      restrictionsOf([{ project: 'p', suite: null }], 'wide'),
      restrictionsOf([{ project: 'p', suite: 't' }], 'narrow'),
    ]
    const invalidated = tagNamesOf([uploaded({ project: 'p', suite: 's' })], [wide, narrow])
    const isInvalidated = (restrictions: Restrictions) =>
      seenTags([RUNS], { restrictions, granted: [], limit: null }).some((name) => invalidated.has(name))
    expect([isInvalidated(wide), isInvalidated(narrow)]).toEqual([false, true])
  })

  it('are the same for every viewer if they name a run or accounts', () => {
    const restrictions = restrictionsOf([{ project: 'p', suite: null }])
    expect(
      seenTags(['run/r', 'principals'], { restrictions, granted: [{ project: 'p', suite: null }], limit: null }),
    ).toEqual(['run/r', 'principals'])
    expect(tagNamesOf(['run/r', 'principals'], [restrictions])).toEqual(new Set(['run/r', 'principals']))
  })

  it('have no names for grants on other projects if they are for one project', () => {
    const restrictions = restrictionsOf([{ project: 'p', suite: null }])
    const granted = [
      { project: 'p', suite: 's' },
      { project: 'q', suite: 's' },
    ]
    expect(seenTags([projectTag('p')], { restrictions, granted, limit: null })).toHaveLength(2)
    expect(seenTags([BASELINES], { restrictions, granted, limit: null })).toHaveLength(3)
  })
})

it('a set that restrictions cover is a whole project, including its runs without a suite, or one suite', () => {
  fc.assert(
    fc.property(
      scopes,
      set,
      (restricted, runSet) => covers(restrictionsOf(restricted), runSet) === isCovered(restricted, runSet),
    ),
  )
})
