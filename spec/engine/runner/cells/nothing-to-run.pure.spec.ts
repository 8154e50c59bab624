import { describe, expect, it } from 'vitest'
import type { Selection } from '../../../../engine/runner/cells/cells.ts'
import { requireProviders, whyNothing } from '../../../../engine/runner/cells/nothing-to-run.ts'
import { provider, suite, test } from '../../../support/engine/suites.ts'

const ALL: Selection = { tags: [], filters: [], providers: [], prompts: [], repeat: 1 }
const why = (more: Parameters<typeof suite>[0], tests = [test('a')], selection: Partial<Selection> = {}) =>
  whyNothing(suite(more), tests, { ...ALL, ...selection })

describe('a run without cells', () => {
  it('has no sources of tests', () => expect(why({ tests: [] }, [])).toBe('the suite has no tests: `tests` is empty'))

  it('names the sources that produced none', () => {
    const tests = [
      { kind: 'files', glob: 'file://cases/*.csv' },
      { kind: 'generator', command: ['node', 'gen.mjs'], config: null, timeout_ms: 1 },
    ] as const
    expect(why({ tests }, [])).toBe(
      'the sources of `tests` produced none: no tests in files that match `file://cases/*.csv`, no tests from the generator `node gen.mjs`',
    )
  })

  it('names the filters, the number of tests and five of them', () => {
    const tests = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => test(id))
    expect(why({}, tests, { tags: ['smoke'], filters: ['x*'] })).toBe(
      'none of 6 tests is selected by --tag smoke --filter x*; ids are, for example, `a`, `b`, `c`, `d`, `e`',
    )
  })

  it('names the prompts that exist', () => {
    const prompts = [{ id: 'long', template: '' }]
    expect(why({ prompts }, undefined, { prompts: ['short'] })).toBe('no prompt `short`; available: long')
    expect(why({}, undefined, { prompts: ['short'] })).toBe('no prompt `short`; the suite has no prompts')
  })

  it('says why no provider forms cells', () => {
    const providers = [provider('f', { fallback_only: true })]
    expect(why({ providers })).toBe('no provider forms cells: `f` is `fallback_only` and answers no cells of its own')
  })

  it('says that its tests leave no provider', () => {
    expect(why({}, [test('a', { skip_providers: ['bot'] })])).toBe(
      '`only_providers` and `skip_providers` of the selected tests leave no provider; available: bot',
    )
  })
})

describe('the providers that are asked for', () => {
  const embeddings = {
    ...provider('e'),
    type: 'embeddings' as const,
    model: 'm',
    params: {},
    request: { query: {}, headers: {} },
  }
  const given = suite({ providers: [provider('p'), provider('f', { fallback_only: true }), embeddings] })

  it.each([
    [['nope'], 'run error: this run would grade nothing: no provider `nope`; available: p'],
    [['p', 'nope'], 'run error: no provider `nope`; available: p'],
    [
      ['f'],
      'run error: this run would grade nothing: `f` is `fallback_only` and answers no cells of its own; available: p',
    ],
    [['p', 'e'], 'run error: `e` is of type `embeddings` and answers no cells; available: p'],
  ])('%j are refused', (asked, message) => {
    expect(() => requireProviders(given, asked)).toThrow(message)
  })

  it('are accepted if they form cells', () => {
    expect(() => requireProviders(given, ['p'])).not.toThrow()
    expect(() => requireProviders(given, [])).not.toThrow()
  })
})
