import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markedParts, matching, type Command } from '../../../webapp/frame/palette/commands.ts'

const command = (label: string, hint = ''): Command => ({ id: label, label, hint, icon: 'next' })
const labels = (text: string, ...commands: readonly Command[]) => matching(commands, text).map(({ label }) => label)

describe('the commands that match a text', () => {
  it('are those at the beginning first, then of a word, then anywhere, then of the hint', () =>
    expect(
      labels(
        'mini',
        command('one', 'suite · mini'),
        command('administer'),
        command('o1-mini'),
        command('Mini-agi'),
        command('two'),
      ),
    ).toEqual(['Mini-agi', 'o1-mini', 'administer', 'one']))
  it('contain all words, in any order', () =>
    expect(labels('agi mini', command('mini-agi'), command('mini'), command('agi', 'project · mini'))).toEqual([
      'mini-agi',
      'agi',
    ]))
  it('are all of them without a text', () => expect(labels(' ', command('b'), command('a'))).toEqual(['b', 'a']))
})

describe('the marked parts of a label', () => {
  it('are the words of the text', () =>
    expect(markedParts('Mini-agi mini', 'MINI')).toEqual([
      { part: 'Mini', isMatch: true },
      { part: '-agi ', isMatch: false },
      { part: 'mini', isMatch: true },
    ]))
  it('always make up the label', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (label, text) => {
        expect(
          markedParts(label, text)
            .map(({ part }) => part)
            .join(''),
        ).toBe(label)
      }),
    ))
})
