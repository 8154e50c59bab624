import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseSearchText, runSearchText, SEARCH_TEXT_BYTES } from '../../../domain/search/search-text.ts'
import { tokenize } from '../../../domain/search/tokenizer.ts'

const empty = { name: '', tags: [], error: '', reasons: [], output: '', prompt: '' }
const bytesOf = (text: Readonly<Record<string, string>>): number =>
  Object.values(text).reduce((sum, field) => sum + Buffer.byteLength(field), 0)

describe('the search text of a case', () => {
  it('holds each field by itself', () =>
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

  it('is made of the tokens that a query is read into', () => {
    const { output } = caseSearchText({ ...empty, output: 'Crème brûlée ™ \0 ½ \ud800 Straße' })
    expect(tokenize(output)).toEqual(tokenize('Crème brûlée ™ \0 ½ \ud800 Straße'))
    expect(output).not.toContain('\0')
  })

  it('takes what fits', () => {
    const output = `${'word '.repeat(SEARCH_TEXT_BYTES / 5)}`
    expect(caseSearchText({ ...empty, output }).output).toBe(output)
  })

  it.each([
    ['between words', ' '],
    ['between words without white space', ','],
    ['between words beyond ASCII', 'ä '],
  ])('is cut %s, never within one', (_, separator) => {
    const output = Array.from({ length: 200_000 }, (_, i) => `w${i}`).join(separator)
    const cut = caseSearchText({ ...empty, output }).output
    const all = tokenize(output)
    const kept = tokenize(cut)
    expect(kept.length).toBeGreaterThan(50_000)
    expect(kept).toEqual(all.slice(0, kept.length))
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(SEARCH_TEXT_BYTES)
  })

  it('drops a single word that is longer than all it may hold', () =>
    expect(caseSearchText({ ...empty, output: 'x'.repeat(SEARCH_TEXT_BYTES + 1) }).output).toBe(''))

  it('cuts hostile text in a time that grows with its length alone', () => {
    const output = `${'a'.repeat(SEARCH_TEXT_BYTES - 10)} ${'b'.repeat(1_000_000)}`
    expect(caseSearchText({ ...empty, output }).output).toBe(`${'a'.repeat(SEARCH_TEXT_BYTES - 10)} `)
  })

  it('folds no more of a text than it could hold, and no half of a token', () => {
    const { output } = caseSearchText({ ...empty, output: `begin ${'\u0301'.repeat(1024 * 1024)} beyond` })
    expect(tokenize(output)).toEqual(['begin'])
    const split = `${'\u0301 '.repeat(512 * 1024 - 2)}halved`
    expect(tokenize(caseSearchText({ ...empty, output: split }).output)).toEqual([])
  })

  it('is bounded over all its fields, whatever script they are in', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('word ', 'ä', '語 ', '\u{1f600} x'),
        fc.array(fc.nat({ max: 200_000 }), { minLength: 4, maxLength: 4 }),
        (piece, [a = 0, b = 0, c = 0, d = 0]) => {
          const text = (length: number): string => piece.repeat(length)
          const made = caseSearchText({
            name: text(a),
            tags: [],
            error: text(b),
            reasons: [text(c)],
            output: text(d),
            prompt: text(100_000),
          })
          expect(bytesOf(made)).toBeLessThanOrEqual(SEARCH_TEXT_BYTES)
        },
      ),
      { numRuns: 10 },
    ))

  it('spends its bound on what people search first', () => {
    const long = 'word '.repeat(SEARCH_TEXT_BYTES / 5)
    const made = caseSearchText({
      name: 'name',
      tags: ['tag'],
      error: 'error',
      reasons: ['reason'],
      output: long,
      prompt: 'prompt',
    })
    expect(made).toMatchObject({ name: 'name', tags: 'tag', error: 'error', reasons: 'reason', prompt: '' })
    expect(made.output.length).toBeGreaterThan(SEARCH_TEXT_BYTES - 100)
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

  it('holds project, suite, branch, commit and note under the name, and the tags', () => {
    const made = runSearchText(run)
    expect(tokenize(made.name)).toEqual(['chat', 'smoke', 'main', '9f3c2ab', 'a', 'note'])
    expect(tokenize(made.tags)).toEqual(['nightly', 'ci'])
    expect(made).toMatchObject({ error: '', reasons: '', output: '', prompt: '' })
  })

  it('holds nothing of what is not there', () =>
    expect(
      tokenize(
        runSearchText({ project: null, suite: null, git_branch: null, git_commit: null, note: null, tags: [] }).name,
      ),
    ).toEqual([]))
})
