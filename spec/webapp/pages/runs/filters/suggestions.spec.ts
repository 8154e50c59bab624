import { describe, expect, it } from 'vitest'
import type { Field } from '../../../../../webapp/pages/runs/filters/run-filters.ts'
import { readTyped, suggest } from '../../../../../webapp/pages/runs/filters/suggestions.ts'
import type { Suggestion, Values } from '../../../../../webapp/pages/runs/filters/suggestions.ts'

const KNOWN: Partial<Record<Field, Values>> = {
  suite: {
    all: true,
    values: [
      { value: 'mini-agi', count: 12 },
      { value: 'mini', count: 1 },
      { value: 'beebot', count: 12 },
    ],
  },
  project: { all: false, values: [{ value: 'agbenchmark' }] },
  branch: { all: false, values: [{ value: 'main' }] },
  status: { all: true, values: [{ value: 'pass' }, { value: 'fail' }, { value: 'error' }] },
  finished: { all: true, values: [{ value: '7d' }] },
}
const valuesOf = (field: Field): Values => KNOWN[field] ?? { all: false, values: [] }
const told = (each: Suggestion): string => (each.kind === 'field' ? `${each.field}:` : `${each.field}:${each.value}`)
const offered = (text: string, set = {}): string[] => suggest(text, set, valuesOf).map(told)

describe('what is typed', () => {
  it('is read as fields with their values, spaces within them included', () =>
    expect(readTyped('odd suite:mini agi  status:fail')).toEqual({
      rest: 'odd',
      terms: [
        { field: 'suite', value: 'mini agi' },
        { field: 'status', value: 'fail' },
      ],
    }))
  it('may hold colons', () =>
    expect(readTyped('tag:env:prod')).toEqual({ rest: '', terms: [{ field: 'tag', value: 'env:prod' }] }))
})

describe('what is offered', () => {
  it('is every field that is not set, as long as nothing is typed', () =>
    expect(offered('', { project: 'p' }).slice(0, 3)).toEqual(['suite:', 'tag:', 'branch:']))
  it('is what fits of the last field', () =>
    expect([offered('branch:main suite:min'), offered('suite:')]).toEqual([
      ['suite:mini-agi', 'suite:mini'],
      ['suite:mini-agi', 'suite:mini', 'suite:beebot'],
    ]))
  it('begins with what is typed in full', () => expect(offered('suite:mini')).toEqual(['suite:mini', 'suite:mini-agi']))
  it('begins with what is typed where not all values are known', () =>
    expect([offered('branch:ma'), offered('branch:main')]).toEqual([['branch:ma', 'branch:main'], ['branch:main']]))
  it('begins with what fits of a project, which few type in full', () =>
    expect(offered('project:bench')).toEqual(['project:agbenchmark', 'project:bench']))
  it('takes no value that cannot be', () => expect(offered('status:odd')).toEqual([]))
  it('finds values without their field, by their words too', () =>
    expect([offered('beeb'), offered('last 7')]).toEqual([['suite:beebot'], ['finished:7d']]))
})
