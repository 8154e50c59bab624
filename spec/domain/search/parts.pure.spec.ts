import { describe, expect, it } from 'vitest'
import { MAX_ID_UNITS, PARTS_BYTES, partWords } from '../../../domain/search/parts.ts'
import { readQuery } from '../../../domain/search/query.ts'
import { indexTokens, tokenize } from '../../../domain/search/tokenizer.ts'

const words = (text: string): string[] =>
  partWords([], [text])
    .split(' ')
    .filter((word) => word !== '')

describe('the parts of a text', () => {
  it.each([
    'The quick brown fox of 1999, at 3.14159265',
    'naïve café, “quoted” — dash',
    'aBc123De',
    'snake_case foo::bar +1 # ##',
    '│ ██ ─',
  ])('are none in %j', (text) => expect(words(text)).toEqual([]))

  it.each([
    ['C++', ['§c＋＋', '§＋＋', '§＋']],
    ['东京都', ['§东京', '§京都', '§都']],
    ['กาดำ', ['§กาด', '§าดา', '§ดา', '§า']],
    ['🎉', ['§🎉']],
    ['a1b2c3', ['§a1b', '§1b2', '§b2c', '§2c3', '§c3', '§3']],
    ['Größe', ['¶grosse']],
    ['C++ c++ C++', ['§c＋＋', '§＋＋', '§＋']],
  ])('of %j are %j', (text, expected) => {
    const found = words(text)
    expect(found).toEqual(expected)
    // Both storages split them at the spaces alone.
    expect(indexTokens(found.join(' '))).toEqual(found)
  })

  it('start with marks that no word of a text or of a user has', () =>
    expect(tokenize('§东京 ¶grosse')).toEqual(['东京', 'grosse']))

  it('are limited, and so are ids', () => {
    const text = Array.from({ length: 200_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join(
      '',
    )
    expect(Buffer.byteLength(partWords([], [text]))).toBeLessThanOrEqual(PARTS_BYTES)
    expect(partWords(['x'.repeat(MAX_ID_UNITS)], [])).toBe(`¶¶${'x'.repeat(MAX_ID_UNITS)}¶`)
    expect(partWords(['x'.repeat(MAX_ID_UNITS + 1), ''], [])).toBe('')
  })

  it('are read in linear time', () => {
    // Otherwise each of them would take minutes, and the spec would fail at its timeout.
    for (const text of [
      'a'.repeat(1_000_000),
      '1 '.repeat(500_000),
      '+'.repeat(1_000_000),
      `${'é'.repeat(999_999)}1`,
      '\udc00'.repeat(1_000_000),
    ])
      expect(words(text).length).toBeLessThan(100)
  })
})

describe('a query', () => {
  it('of words alone is these words', () => {
    expect(readQuery('refund Policy')).toMatchObject({ wanted: [['refund'], ['policy']], marked: null, id: null })
    expect(readQuery('-- ! ?')).toMatchObject({ wanted: [], id: null })
  })

  it('is searched as words too while rows have no grams', () => {
    expect(readQuery('东京').wanted).toEqual([['§东京']])
    expect(readQuery('东京', false).wanted).toEqual([{ anyOf: [['§东京'], ['东京']] }])
    expect(readQuery('东京').isComplete).toBe(true)
    expect(readQuery('东京', false).isComplete).toBe(false)
    expect(readQuery('refund', false).isComplete).toBe(true)
  })

  it('that may be an id is compared as a whole', () => {
    expect(readQuery('Run 7').id).toBe('run 7')
    expect(readQuery('Run 7').wanted).toEqual([{ anyOf: [['run'], ['¶¶run　7']] }, { anyOf: [['7'], ['¶¶run　7']] }])
    expect(readQuery('a1').wanted).toEqual([{ anyOf: [['a1'], ['¶¶a1¶']] }])
    expect(readQuery('1'.repeat(MAX_ID_UNITS + 1)).id).toBeNull()
  })

  it('has 32 words at most, each of 64 tokens', () => {
    const { wanted } = readQuery(
      Array.from({ length: 100 }, (_, n) => `东${String.fromCodePoint(0x4e00 + n)}`).join(' '),
    )
    expect(wanted).toHaveLength(32)
    const pieces = Array.from({ length: 1000 }, (_, n) => `东${String.fromCodePoint(0x4e00 + n)}`)
    const { wanted: ofOne, marked } = readQuery(pieces.join(','))
    expect([ofOne.length, marked?.length]).toEqual([32, 32])
    const [long] = readQuery('东京'.repeat(5_000)).wanted
    expect(long).toHaveLength(63)
  })
})
