import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseSearchText, runSearchText, SEARCH_TEXT_BYTES } from '../../../domain/search/search-text.ts'
import { tokenize } from '../../../domain/search/tokenizer.ts'

const empty = { name: '', tags: [], error: '', reasons: [], output: '', prompt: '' }
const bytesOf = (text: Readonly<Record<string, string>>): number =>
  Object.values(text).reduce((sum, field) => sum + Buffer.byteLength(field), 0)

describe('the search text of a case', () => {
  it('contains each field separately', () =>
    expect(
      caseSearchText({
        name: 'A name',
        tags: ['one', 'two'],
        error: 'broken',
        reasons: ['because', 'so'],
        output: 'said',
        prompt: 'asked',
      }),
    ).toEqual({
      name: 'A name',
      tags: 'one \n two',
      error: 'broken',
      reasons: 'because \n so',
      output: 'said',
      prompt: 'asked',
    }))

  it('has the same tokens as a query for the same text', () => {
    const { output } = caseSearchText({ ...empty, output: 'Crème brûlée ™ \0 ½ \ud800 Straße' })
    expect(tokenize(output)).toEqual(tokenize('Crème brûlée ™ \0 ½ \ud800 Straße'))
    expect(output).not.toContain('\0')
  })

  it('contains text up to the limit', () => {
    const output = `${'word '.repeat(SEARCH_TEXT_BYTES / 5)}`
    expect(caseSearchText({ ...empty, output }).output).toBe(output)
  })

  it.each([
    ['between words', ' '],
    ['between words without white space', ','],
    ['between words that are not ASCII', 'ä '],
  ])('is cut %s, never inside a word', (_, separator) => {
    const output = Array.from({ length: 200_000 }, (_, i) => `w${i}`).join(separator)
    const cut = caseSearchText({ ...empty, output }).output
    const all = tokenize(output)
    const cutTokens = tokenize(cut)
    expect(cutTokens.length).toBeGreaterThan(50_000)
    expect(cutTokens).toEqual(all.slice(0, cutTokens.length))
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(SEARCH_TEXT_BYTES)
  })

  it('drops a single word above the limit', () =>
    expect(caseSearchText({ ...empty, output: 'x'.repeat(SEARCH_TEXT_BYTES + 1) }).output).toBe(''))

  it('cuts hostile text in linear time', () => {
    const output = `${'a'.repeat(SEARCH_TEXT_BYTES - 10)} ${'b'.repeat(1_000_000)}`
    expect(caseSearchText({ ...empty, output }).output).toBe(`${'a'.repeat(SEARCH_TEXT_BYTES - 10)} `)
  })

  it('limits the folded text and drops a split token', () => {
    const { output } = caseSearchText({ ...empty, output: `begin ${'\u0301'.repeat(1024 * 1024)} beyond` })
    expect(tokenize(output)).toEqual(['begin'])
    const split = `${'\u0301 '.repeat(512 * 1024 - 2)}halved`
    expect(tokenize(caseSearchText({ ...empty, output: split }).output)).toEqual([])
  })

  it('is limited over all its fields in any script', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('word ', 'ä', '語 ', '\u{1f600} x'),
        fc.array(fc.nat({ max: 200_000 }), { minLength: 4, maxLength: 4 }),
        (piece, [a = 0, b = 0, c = 0, d = 0]) => {
          const text = (length: number): string => piece.repeat(length)
          const searchText = caseSearchText({
            name: text(a),
            tags: [],
            error: text(b),
            reasons: [text(c)],
            output: text(d),
            prompt: text(100_000),
          })
          expect(bytesOf(searchText)).toBeLessThanOrEqual(SEARCH_TEXT_BYTES)
        },
      ),
      { numRuns: 10 },
    ))

  it('fills first the fields that users search most', () => {
    const long = 'word '.repeat(SEARCH_TEXT_BYTES / 5)
    const searchText = caseSearchText({
      name: 'name',
      tags: ['tag'],
      error: 'error',
      reasons: ['reason'],
      output: long,
      prompt: 'prompt',
    })
    expect(searchText).toMatchObject({ name: 'name', tags: 'tag', error: 'error', reasons: 'reason', prompt: '' })
    expect(searchText.output.length).toBeGreaterThan(SEARCH_TEXT_BYTES - 100)
  })
})

describe('the search text of a run', () => {
  const run = {
    project: 'chat',
    suite: 'smoke',
    git_branch: 'main',
    git_commit: '9f3c2ab',
    note: 'a note',
    tags: ['nightly', 'ci'],
  }

  it('contains project, suite, branch, commit and note as name, and the tags', () => {
    const searchText = runSearchText(run)
    expect(tokenize(searchText.name)).toEqual(['chat', 'smoke', 'main', '9f3c2ab', 'a', 'note'])
    expect(tokenize(searchText.tags)).toEqual(['nightly', 'ci'])
    expect(searchText).toMatchObject({ error: '', reasons: '', output: '', prompt: '' })
  })

  it('is empty for absent fields', () =>
    expect(
      tokenize(
        runSearchText({ project: null, suite: null, git_branch: null, git_commit: null, note: null, tags: [] }).name,
      ),
    ).toEqual([]))
})
