import { describe, expect, it } from 'vitest'
import {
  runListParameters,
  readFilters,
  valueWords,
  withFilters,
  withoutFilter,
} from '../../../../../webapp/pages/runs/filters/run-filters.ts'

const NOW = Date.UTC(2026, 2, 12, 15, 0, 42, 7)

describe('the filters in an address', () => {
  it('include each known filter once, and no empty one', () =>
    expect(
      readFilters({ project: 'a/b', suite: ['x', 'y'], tag: '', branch: null, select: ['r1'], page: '2' }),
    ).toEqual({ project: 'a/b', suite: 'x' }))
  it('replace filters that they contradict', () => {
    expect(withFilters({ finished: '7d', project: 'p' }, { since: '2026-03-01' })).toEqual({
      project: 'p',
      since: '2026-03-01',
    })
    expect(withFilters({ since: '2026-03-01', until: '2026-03-02' }, { finished: '7d' })).toEqual({
      until: '2026-03-02',
      finished: '7d',
    })
    expect(withFilters({ finished: '7d' }, { finished: '1d' })).toEqual({ finished: '1d' })
  })
  it('can be removed one by one', () =>
    expect(withoutFilter({ project: 'p', suite: 's' }, 'project')).toEqual({ suite: 's' }))
  it('are described in words if the value is known', () =>
    expect([
      valueWords('finished', '30d'),
      valueWords('cached', 'only'),
      valueWords('suite', '30d'),
      valueWords('status', 'odd'),
    ]).toEqual(['last 30 days', 'only', '30d', 'odd']))
})

describe('the query parameters', () => {
  it('exclude fully cached runs unless they are requested', () => {
    expect(runListParameters({}, NOW)).toEqual({ cached: 'exclude' })
    expect(runListParameters({ cached: 'all', status: 'fail' }, NOW)).toEqual({ cached: 'all', status: 'fail' })
  })
  it('use whole days in UTC as bounds', () =>
    expect(runListParameters({ since: '2026-03-01', until: '2026-03-02' }, NOW)).toEqual({
      cached: 'exclude',
      since: '2026-03-01T00:00:00Z',
      until: '2026-03-02T23:59:59.999Z',
    }))
  it('count recent days back from the current minute', () =>
    expect(runListParameters({ finished: '1d' }, NOW)).toEqual({
      cached: 'exclude',
      since: String(Date.UTC(2026, 2, 11, 15, 0)),
    }))
  it('pass an unknown period on to the server', () =>
    expect(runListParameters({ finished: 'soon' }, NOW)).toEqual({ cached: 'exclude', since: 'soon' }))
})
