import { describe, expect, it } from 'vitest'
import { viewSetsOf } from '../../domain/view-sets.ts'

const NOTHING = { sets: [], suites: [], runs: [], forAdmins: false }

describe('the sets of the address of a page', () => {
  it.each([
    ['/', '', {}],
    ['/search', 'q=secret', {}],
    ['/projects', '', {}],
    ['/projects/a%2Fb', '', { sets: [{ project: 'a/b', suite: null }] }],
    ['/projects/p/suites', '', { sets: [{ project: 'p', suite: null }] }],
    ['/projects/p/suites/s/cases/k', '', { sets: [{ project: 'p', suite: 's' }] }],
    ['/runs', 'project=p&suite=s&suite=t', { sets: ['s', 't'].map((suite) => ({ project: 'p', suite })) }],
    ['/runs', 'suite=s', { suites: ['s'] }],
    ['/runs', 'project=&suite=', {}],
    ['/runs/r%2F1/cases/k', 'base=b', { runs: ['r/1', 'b'] }],
    ['/compare/a/b', '', { runs: ['a', 'b'] }],
    ['/compare', 'runs=a,b,c&base=a', { runs: ['a', 'b', 'c', 'a'] }],
    ['/compare/outputs/t', 'runs=a,b&against=a', { runs: ['a', 'b', 'a'] }],
    ['/runs/%zz', '', { runs: ['%zz'] }],
    ['/admin/access', '', { forAdmins: true }],
    // The router of the web app reads its own words in capitals too.
    ['/ADMIN/access', '', { forAdmins: true }],
    ['/Runs/R', '', { runs: ['R'] }],
    ['/PROJECTS/P/Suites/S', '', { sets: [{ project: 'P', suite: 'S' }] }],
    ['/Compare/A/b', '', { runs: ['A', 'b'] }],
    ['/compare/Outputs/t', 'runs=a', { runs: ['a'] }],
  ] as const)('%s?%s', (path, query, found) => {
    expect(viewSetsOf({ path, query })).toEqual({ ...NOTHING, ...found })
  })
})
