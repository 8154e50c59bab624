import { describe, expect, it } from 'vitest'
import {
  agreementOf,
  type AgreementFacts,
  type AgreementItem,
  type Answer,
} from '../../../domain/review/queue-agreement.ts'
import reference from '../statistics/review-known-answers.json' with { type: 'json' }

type Given = Answer | null | undefined
/** An item by the answers of the people A, B, C…; undefined: not labelled by that person. */
const item = (answers: readonly Given[], final: Answer | null = null): AgreementItem => ({
  group: null,
  final,
  labels: answers.flatMap((answer, i) =>
    answer === undefined ? [] : [{ person: 'ABCDEF'[i] ?? '', answer, seconds: 10 + i, first: null }],
  ),
})
const passes = (answer: Answer): boolean | null => (answer === 'pass' ? true : answer === 'fail' ? false : null)
const factsOf = (items: readonly AgreementItem[], changes: Partial<AgreementFacts> = {}): AgreementFacts => ({
  kind: 'verdict',
  steps: null,
  passes,
  items,
  ...changes,
})

/** The labels of a known answer, by item. */
const labelsOf = (id: number): ReadonlyArray<readonly Given[]> => {
  const input = reference.vectors.find((vector) => vector.id === id)?.input ?? {}
  const { reviewers } = input as { reviewers: Array<Array<number | null>> }
  return (reviewers[0] ?? []).map((_, i) => reviewers.map((labels) => labels[i] ?? undefined))
}
const knownOf = (id: number): Record<string, number> =>
  (reference.vectors.find((vector) => vector.id === id)?.output ?? {}) as unknown as Record<string, number>

describe('the agreement of people', () => {
  it('about verdicts has the known numbers', () => {
    const found = agreementOf(
      factsOf(labelsOf(49).map((labels) => item(labels.map((label) => (label === 1 ? 'pass' : 'fail'))))),
    )
    expect(found.items).toBe(60)
    expect(found.ac.value?.estimate).toBeCloseTo(knownOf(49)['estimate'] ?? 0, 9)
    expect(found.ac.value?.lower).toBeCloseTo(knownOf(49)['lower'] ?? 0, 9)
    expect(found.alpha.value?.estimate).toBeCloseTo(knownOf(50)['estimate'] ?? 0, 9)
    expect(found.fleiss.value?.estimate).toBeCloseTo(knownOf(51)['estimate'] ?? 0, 9)
    expect(found.percent?.estimate).toBeCloseTo(knownOf(49)['pa'] ?? 0, 9)
    expect(found.cohen).toEqual({ kappa: null, reason: 'not_two_people' })
    expect(found.many_passes).toBe(true)
  })
  it('about scores of few steps is ordinal, and of many steps by their differences', () => {
    const items = labelsOf(34).map((labels) => item(labels))
    const [few, many] = [5, 101].map((steps) => agreementOf(factsOf(items, { kind: 'score', steps })))
    expect(few?.alpha.value?.estimate).toBeCloseTo(knownOf(25)['alpha'] ?? 0, 9)
    expect(few?.ac.value?.estimate).toBeCloseTo(knownOf(43)['estimate'] ?? 0, 9)
    expect(many?.alpha.value?.estimate).toBeCloseTo(knownOf(26)['alpha'] ?? 0, 9)
    expect(many?.ac.value?.estimate).toBeCloseTo(knownOf(40)['estimate'] ?? 0, 9)
  })
  it('of two people has the known kappa', () => {
    const cells = [
      ['pass', 'pass', 20],
      ['pass', 'fail', 5],
      ['fail', 'pass', 10],
      ['fail', 'fail', 15],
    ] as const
    const items = cells.flatMap(([one, other, count]) => Array.from({ length: count }, () => item([one, other])))
    const found = agreementOf(factsOf([...items, item(['pass', null]), item([undefined, 'fail'])]))
    expect(found.cohen).toMatchObject({ items: 50 })
    expect(found.cohen.kappa ?? 0).toBeCloseTo(0.4, 9)
    expect(found.fleiss).toEqual({ value: null, reason: 'not_three_people' })
    expect(found.items).toBe(50)
  })
  it('about sets counts their shared members', () => {
    const items = [
      item([
        ['a', 'b'],
        ['b', 'a'],
      ]),
      item([['a'], ['a', 'c']]),
      item([['b'], ['c']]),
      item([[], []]),
    ]
    const found = agreementOf(factsOf(items, { kind: 'categories' }))
    expect(found.ac).toEqual({ value: null, reason: 'not_for_sets' })
    // Distances 0, 1/2, 1 and 0: D_o = 3/8; D_e is the mean distance of all 56 pairs of labels.
    const sets = [['a', 'b'], ['a', 'b'], ['a'], ['a', 'c'], ['b'], ['c'], [], []]
    const distance = (one: string[], other: string[]) => {
      const all = new Set([...one, ...other]).size
      return all === 0 ? 0 : 1 - one.filter((each) => other.includes(each)).length / all
    }
    let expected = 0
    sets.forEach((one, i) => sets.forEach((other, j) => (expected += i === j ? 0 : distance(one, other))))
    expect(found.alpha.value?.estimate).toBeCloseTo(1 - 0.375 / (expected / 56), 12)
    expect(found.percent?.estimate).toBe(0.5)
  })
  it('is null with one category, and with fewer than two items', () => {
    const same = agreementOf(factsOf(Array.from({ length: 9 }, () => item(['pass', 'pass']))))
    expect([same.ac, same.alpha]).toEqual(Array(2).fill({ value: null, reason: 'one_category' }))
    expect(same.cohen).toEqual({ kappa: null, reason: 'one_category' })
    expect(same.percent).toMatchObject({ estimate: 1, upper: 1 })
    const one = agreementOf(factsOf([item(['pass', 'fail'])]))
    expect([one.ac, one.alpha]).toEqual(Array(2).fill({ value: null, reason: 'fewer_than_two_items' }))
    expect(agreementOf(factsOf([]))).toMatchObject({ items: 0, percent: null, pass_share: null, people: [] })
  })
  it('has an interval where all agree: that of the agreement seen', () => {
    const items = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? item(['pass', 'pass']) : item(['fail', 'fail'])))
    const found = agreementOf(factsOf(items)).ac.value
    expect(found).toMatchObject({ estimate: 1, upper: 1 })
    // Wilson's lower limit of 40 of 40 is 0.912; by chance half agree.
    expect(found?.lower).toBeCloseTo((0.9124 - 0.5) / 0.5, 3)
  })
})

describe('each person', () => {
  it('is compared with the final label', () => {
    const items = [
      item(['pass', 'pass'], 'pass'),
      item(['pass', 'fail'], 'fail'),
      item(['pass', null], null),
      item([undefined, 'fail'], 'fail'),
    ]
    expect(agreementOf(factsOf(items)).people).toEqual([
      {
        person: 'A',
        labels: 3,
        agrees_with_final: { agree: 1, of: 2 },
        pass_share: 1,
        cannot_tell: 0,
        median_seconds: 10,
        rushed: false,
      },
      {
        person: 'B',
        labels: 4,
        agrees_with_final: { agree: 3, of: 3 },
        pass_share: 1 / 3,
        cannot_tell: 1,
        median_seconds: 11,
        rushed: false,
      },
    ])
  })
  it('agrees about a score on its pass side', () => {
    const sides = { kind: 'score', steps: 5, passes: (answer: Answer) => Number(answer) >= 3 } as const
    const [person] = agreementOf(factsOf([item([4, 5], 5), item([2, 4], 3)], sides)).people
    expect(person?.agrees_with_final).toEqual({ agree: 1, of: 2 })
  })
  it('was too quick if the median is under two seconds', () => {
    const quick = item(['pass']).labels.map((label) => ({ ...label, seconds: 1.9 }))
    expect(agreementOf(factsOf([{ group: null, final: null, labels: quick }])).people[0]?.rushed).toBe(true)
  })
})

describe('preferences', () => {
  it('are tested for an option and for a side, without ties', () => {
    const chosen = (answer: string, first: string, count: number): AgreementItem[] =>
      Array.from({ length: count }, () => ({
        group: null,
        final: null,
        labels: [{ person: 'A', answer, seconds: 5, first }],
      }))
    const items = [...chosen('a', 'a', 9), ...chosen('a', 'b', 6), ...chosen('b', 'b', 3), ...chosen('tie', 'a', 4)]
    const found = agreementOf(factsOf(items, { kind: 'preference', passes: () => null }))
    expect(found.preference).toMatchObject({
      options: { first: 15, second: 3 },
      sides: { first: 12, second: 6 },
      ties: 4,
    })
    expect(found.preference?.options.p_value).toBeCloseTo(0.00754, 4)
    expect(agreementOf(factsOf([])).preference).toBeNull()
  })
})
