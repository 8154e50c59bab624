import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectCells, type Cell, type Selection } from '../../../../engine/runner/cells/cells.ts'
import { globMatcher } from '../../../../engine/runner/cells/glob.ts'
import { provider, suite, test } from '../../../support/engine/suites.ts'

const ALL: Selection = { tags: [], filters: [], providers: [], prompts: [], repeat: 1 }
const names = (cells: readonly Cell[]) =>
  cells.map((cell) => [cell.provider.id, cell.prompt?.id ?? '-', cell.test.id, cell.repeat].join(' '))
const select = (selection: Partial<Selection>, tests = [test('a'), test('b')], more = {}) =>
  names(selectCells(suite(more), tests, { ...ALL, ...selection }))

describe('the cells of a run', () => {
  const more = {
    providers: [provider('p'), provider('q')],
    prompts: [
      { id: 'x', template: '' },
      { id: 'y', template: '' },
    ],
  }

  it('are not restricted by an empty list of providers', () =>
    expect(select({}, [test('a', { only_providers: [] })])).toEqual(select({}, [test('a')])))

  it('go by provider, prompt, test and repetition', () => {
    expect(select({ repeat: 2 }, [test('a'), test('b')], { ...more, prompts: more.prompts.slice(0, 1) })).toEqual([
      'p x a 0',
      'p x a 1',
      'p x b 0',
      'p x b 1',
      'q x a 0',
      'q x a 1',
      'q x b 0',
      'q x b 1',
    ])
    expect(select({}, [test('a')], more)).toEqual(['p x a 0', 'p y a 0', 'q x a 0', 'q y a 0'])
  })

  it('number themselves', () =>
    expect(selectCells(suite(more), [test('a')], ALL).map(({ index }) => index)).toEqual([0, 1, 2, 3]))

  it('have one empty slot without prompts', () => {
    expect(select({})).toEqual(['bot - a 0', 'bot - b 0'])
    expect(select({ prompts: ['x'] })).toEqual([])
  })

  it('repeat at least once', () => expect(select({ repeat: 0 }, [test('a')])).toEqual(['bot - a 0']))

  it('leave out fallback-only and embeddings providers', () => {
    const embeddings = { ...provider('e'), type: 'embeddings' }
    const providers = [provider('p'), provider('f', { fallback_only: true }), embeddings]
    expect(select({}, [test('a')], { providers })).toEqual(['p - a 0'])
  })

  it('are filtered by any tag, any pattern, provider and prompt, all of them together', () => {
    const tests = [test('a/1', { tags: ['s', 't'] }), test('a/2', { tags: ['t'] }), test('b', { tags: ['u'] })]
    expect(select({ tags: ['s', 'u'] }, tests)).toEqual(['bot - a/1 0', 'bot - b 0'])
    expect(select({ filters: ['a/*', 'nothing'] }, tests)).toEqual(['bot - a/1 0', 'bot - a/2 0'])
    expect(select({ tags: ['t'], filters: ['*2'] }, tests)).toEqual(['bot - a/2 0'])
    expect(select({ providers: ['q'], prompts: ['y'] }, [test('a')], more)).toEqual(['q y a 0'])
  })

  it('respect only_providers and skip_providers of a test', () => {
    const tests = [test('a', { only_providers: ['q'] }), test('b', { skip_providers: ['q'] })]
    expect(select({}, tests, { providers: [provider('p'), provider('q')] })).toEqual(['p - b 0', 'q - a 0'])
  })
})

describe('a pattern for ids of tests', () => {
  it.each([
    ['*', 'a/b', true],
    ['a*', 'a/b/c', true],
    ['a/?', 'a/b', true],
    ['a/?', 'a/bc', false],
    ['a?c', 'a😀c', true],
    ['b', 'abc', false],
    ['*b', 'abb', true],
    ['a**c', 'ac', true],
    ['a[lang=en]', 'a[lang=en]', true],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
  ])('%s for %s is %s', (pattern, text, expected) => {
    expect(globMatcher(pattern)(text)).toBe(expected)
  })

  it('agrees with the regular expression of its parts', () => {
    const part = fc.constantFrom('*', '?', 'a', 'b', '/')
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 }),
        (parts, text) => {
          const source = parts.map((piece) => (piece === '*' ? '[^]*' : piece === '?' ? '[^]' : piece)).join('')
          expect(globMatcher(parts.join(''))(text)).toBe(new RegExp(`^${source}$`).test(text))
        },
      ),
    )
  })

  it('takes no time for many stars', () => expect(globMatcher(`${'*a'.repeat(50)}b`)('a'.repeat(1000))).toBe(false))
})
