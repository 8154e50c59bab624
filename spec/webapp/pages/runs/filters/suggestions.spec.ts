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
const textOf = (suggestion: Suggestion): string =>
  suggestion.kind === 'field' ? `${suggestion.field}:` : `${suggestion.field}:${suggestion.value}`
const suggestions = (text: string, set = {}): string[] => suggest(text, set, valuesOf).map(textOf)

describe('the typed text', () => {
  it('is split into fields with values, which may contain spaces', () =>
    expect(readTyped('odd suite:mini agi  status:fail')).toEqual({
      rest: 'odd',
      terms: [
        { field: 'suite', value: 'mini agi' },
        { field: 'status', value: 'fail' },
      ],
    }))
  it('may contain colons', () =>
    expect(readTyped('tag:env:prod')).toEqual({ rest: '', terms: [{ field: 'tag', value: 'env:prod' }] }))
})

describe('the suggestions', () => {
  it('are the fields that are not set, if nothing is typed', () =>
    expect(suggestions('', { project: 'p' }).slice(0, 3)).toEqual(['suite:', 'tag:', 'provider:']))
  it('are the matching values of the last field', () =>
    expect([suggestions('branch:main suite:min'), suggestions('suite:')]).toEqual([
      ['suite:mini-agi', 'suite:mini'],
      ['suite:mini-agi', 'suite:mini', 'suite:beebot'],
    ]))
  it('begin with an exact match', () => expect(suggestions('suite:mini')).toEqual(['suite:mini', 'suite:mini-agi']))
  it('begin with the typed text if not all values are known', () =>
    expect([suggestions('branch:ma'), suggestions('branch:main')]).toEqual([
      ['branch:ma', 'branch:main'],
      ['branch:main'],
    ]))
  it('begin with matching projects, before the typed text', () =>
    expect(suggestions('project:bench')).toEqual(['project:agbenchmark', 'project:bench']))
  it('never include an invalid value', () => expect(suggestions('status:odd')).toEqual([]))
  it('include matching values even if no field is typed; the words shown for a value match too', () =>
    expect([suggestions('beeb'), suggestions('last 7')]).toEqual([['suite:beebot'], ['finished:7d']]))
})
