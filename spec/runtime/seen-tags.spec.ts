import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASELINES, projectTag, RUNS, setTag } from '../../commands/tags.ts'
import type { InvalidatedSet, Tag } from '../../commands/tags.ts'
import { scopeKey } from '../../domain/sets.ts'
import type { RunSet, SetScope } from '../../domain/sets.ts'
import { covers } from '../../queries/access/visible.ts'
import type { Restrictions } from '../../queries/access/visible.ts'
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

/** By the words of the specification: a row of a project covers all its runs, a row of a suite those of the suite. */
const isCovered = (rows: readonly SetScope[], of: RunSet): boolean =>
  rows.some((row) => row.project === of.project && (row.suite === null || row.suite === of.suite))
const isVisible = (restricted: readonly SetScope[], granted: readonly SetScope[], of: RunSet): boolean =>
  !isCovered(restricted, of) || isCovered(granted, of)

/** What an upload into a set moves, as `commands/tags.ts` has it. */
const uploaded = (of: RunSet): InvalidatedSet => ({
  ...of,
  of: [RUNS, ...(of.project === null ? [] : [projectTag(of.project), setTag({ ...of, project: of.project })])].map(
    (tag) => tag.of,
  ),
})

const TAGS: ReadonlyArray<readonly [Tag, (of: RunSet) => boolean]> = [
  [RUNS, () => true],
  ...PROJECTS.map((name): [Tag, (of: RunSet) => boolean] => [projectTag(name), (of) => of.project === name]),
  ...PROJECTS.flatMap((name) =>
    SUITES.map((named): [Tag, (of: RunSet) => boolean] => [
      setTag({ project: name, suite: named }),
      (of) => of.project === name && of.suite === named,
    ]),
  ),
]

describe('the tags of an answer', () => {
  it('move with a set that its viewer may see, and with no other', () => {
    fc.assert(
      fc.property(scopes, scopes, set, (restricted, granted, changed) => {
        const restrictions = restrictionsOf(restricted)
        const moved = tagNamesOf([uploaded(changed)], [restrictions])
        for (const [tag, concerns] of TAGS) {
          const moves = seenTags([tag], { restrictions, granted }).some((name) => moved.has(name))
          expect(moves, JSON.stringify(tag)).toBe(concerns(changed) && isVisible(restricted, granted, changed))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('move with every set for viewers from whom nothing is hidden, whatever others are under', () => {
    const changed = uploaded({ project: 'p', suite: 's' })
    for (const all of [[], [restrictionsOf([{ project: 'p', suite: null }])]])
      for (const viewers of [undefined, { restrictions: null, granted: [] }])
        expect(seenTags([RUNS, 'run/r'], viewers).filter((name) => tagNamesOf([changed], all).has(name))).toEqual([
          RUNS.of,
        ])
  })

  it('have their own names under each of several restrictions', () => {
    const [wide, narrow] = [
      restrictionsOf([{ project: 'p', suite: null }], 'wide'),
      restrictionsOf([{ project: 'p', suite: 't' }], 'narrow'),
    ]
    const moved = tagNamesOf([uploaded({ project: 'p', suite: 's' })], [wide, narrow])
    const moves = (restrictions: Restrictions) =>
      seenTags([RUNS], { restrictions, granted: [] }).some((name) => moved.has(name))
    expect([moves(wide), moves(narrow)]).toEqual([false, true])
  })

  it('of one run, one account and the like are what they are for everybody', () => {
    const restrictions = restrictionsOf([{ project: 'p', suite: null }])
    expect(seenTags(['run/r', 'principals'], { restrictions, granted: [{ project: 'p', suite: null }] })).toEqual([
      'run/r',
      'principals',
    ])
    expect(tagNamesOf(['run/r', 'principals'], [restrictions])).toEqual(new Set(['run/r', 'principals']))
  })

  it('of one project name no grant on another', () => {
    const restrictions = restrictionsOf([{ project: 'p', suite: null }])
    const granted = [
      { project: 'p', suite: 's' },
      { project: 'q', suite: 's' },
    ]
    expect(seenTags([projectTag('p')], { restrictions, granted })).toHaveLength(2)
    expect(seenTags([BASELINES], { restrictions, granted })).toHaveLength(3)
  })
})

describe('what restrictions cover', () => {
  it('is a whole project with what has no suite, or one suite; never a run without a project', () => {
    fc.assert(
      fc.property(
        scopes,
        set,
        (restricted, of) => covers(restrictionsOf(restricted), of) === isCovered(restricted, of),
      ),
    )
  })
})
