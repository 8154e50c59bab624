import { mount } from '@vue/test-utils'
import { nextTick } from 'vue'
import { describe, expect, it } from 'vitest'
import TextDiff from '../../../../webapp/components/diff/TextDiff.vue'

const diff = (base: string, head: string) =>
  mount(TextDiff, {
    props: { base, head, names: { base: 'one', head: 'another' } },
    slots: { base: 'one run', head: 'another run' },
  })

describe('TextDiff', () => {
  it('shows both sides with their marks and says how much is the same', () => {
    const view = diff('the cat sat down', 'the dog sat down')
    expect(view.get('[role=status]').text()).toContain('75% of the words are the same.')
    expect([view.get('.dr del').text(), view.get('.dr ins').text()]).toEqual(['cat', 'dog'])
    expect(view.get('.hd').text()).toContain('one run')
    expect(view.findAll('.legend > *').map((mark) => mark.text())).toEqual(['Only in one', 'Only in another'])
  })
  it('shows stored text as text, with its invisible characters', () => {
    const hostile = '<img src=x onerror=alert(1)> pay \u202e\u0000 <script>alert(2)</script>'
    const view = diff(`${hostile} now please`, `${hostile} then please`)
    expect(view.find('img, script').exists()).toBe(false)
    expect(view.get('.dr .text').text()).toContain('<img src=x onerror=alert(1)>')
    expect(view.findAll('.unseen').map((mark) => mark.text())).toEqual(['U+202E', 'NUL', 'U+202E', 'NUL'])
  })
  it('says that texts are the same, or differ in white space only', () => {
    expect(diff('a b', 'a b').get('[role=status]').text()).toBe('The outputs are the same.')
    expect(diff('a b', 'a  b').get('[role=status]').text()).toBe('The outputs differ in white space only.')
  })
  it('opens and closes a fold and keeps its button', async () => {
    const view = diff('a', `a\n${Array.from({ length: 12 }, (_, n) => `new ${n}`).join('\n')}`)
    const fold = view.get('.mid')
    expect(fold.text()).toBe('10 more lines only in another')
    expect(view.findAll('.dr')).toHaveLength(3)
    await fold.trigger('click')
    expect([view.get('.mid').text(), view.findAll('.dr').length]).toEqual(['Fold 10 lines', 13])
    await view.get('.mid').trigger('click')
    expect(view.findAll('.dr')).toHaveLength(3)
  })
  it('draws a part of many lines first', async () => {
    const lines = (word: string) => Array.from({ length: 500 }, (_, n) => (n % 2 ? word : n)).join('\n')
    const view = diff(lines('a'), lines('b'))
    expect(view.findAll('.dr')).toHaveLength(80)
    await view.get('.rest button').trigger('click')
    expect(view.findAll('.dr')).toHaveLength(480)
    await view.get('.rest button').trigger('click')
    expect([view.findAll('.dr').length, view.find('.rest').exists()]).toEqual([500, false])
  })
  it('draws a part of a long line first', async () => {
    const view = diff('x'.repeat(5_500), 'y')
    expect(view.get('.dr .text').text().length).toBeLessThan(5_100)
    await view.get('.dr .text button').trigger('click')
    expect(view.get('.dr .text').text()).toHaveLength(5_500)
  })
  it('shows one column, or plain texts, and remembers the choice', async () => {
    const view = diff('the cat sat down', 'the dog sat down')
    const choose = (n: number) => view.findAll('.seg button')[n]?.trigger('click')
    await choose(1)
    expect(view.findAll('.dr.column').map((line) => line.get('.text').text())).toEqual([
      'the cat sat down',
      'the dog sat down',
    ])
    await choose(2)
    expect([view.find('.dr').exists(), view.findAll('.out').map((side) => side.text())]).toEqual([
      false,
      ['the cat sat down', 'the dog sat down'],
    ])
    await nextTick()
    expect(
      diff('a', 'b')
        .findAll('.seg [aria-pressed=true]')
        .map((button) => button.text()),
    ).toEqual(['Plain'])
  })
})
