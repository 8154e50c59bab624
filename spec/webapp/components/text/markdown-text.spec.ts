import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import MarkdownText from '../../../../webapp/components/text/MarkdownText.vue'

// The language is loaded before it is needed, so that the specs wait for promises alone.
const { loadLanguage } = await import('../../../../webapp/text/code/highlighter.ts')
await loadLanguage('ts')

const STORED = [
  '# A heading',
  'plain *words* and **bold** ones',
  'on two lines',
  '',
  '- one',
  '  - two',
  '10. ten',
  '```ts',
  "const a = 'b'",
  '# no heading',
  '```',
  '**Bold line**',
  'end',
].join('\n')

const shownAs = async (text: string, props: { readonly flat?: boolean; readonly prose?: boolean } = {}) => {
  const mounted = mount(MarkdownText, { props: { text, label: 'Output', ...props } })
  await flushPromises()
  return mounted
}
type Shown = Awaited<ReturnType<typeof shownAs>>

const textOf = (shown: Shown): string | null => shown.get('.stored').element.textContent
const texts = (shown: Shown, kind: string): Array<string | null> =>
  shown.findAll(`.stored .${kind}`).map(({ element }) => element.textContent)

describe('MarkdownText', () => {
  it('shows headings, items, fences and code as blocks, with their signs', async () => {
    const shown = await shownAs(STORED)
    expect(texts(shown, 'heading')).toEqual(['# A heading\n', '**Bold line**\n'])
    expect(texts(shown, 'item')).toEqual(['- one\n', '  - two\n', '10. ten\n'])
    expect(texts(shown, 'fence')).toEqual(['```ts\n', '```\n'])
    expect(texts(shown, 'code')).toEqual(["const a = 'b'\n# no heading\n"])
    expect(texts(shown, 'text')).toEqual(['plain *words* and **bold** ones\non two lines\n', 'end'])
    expect(textOf(shown)).toBe(STORED)
  })

  it('indents the further lines of an item by the width of its sign', async () => {
    const shown = await shownAs(STORED)
    expect(shown.findAll('.item').map((item) => item.attributes('style'))).toEqual(
      [2, 4, 4].map((width): unknown =>
        expect.stringMatching(new RegExp(`padding-inline-start: ${width}ch;.*text-indent: -${width}ch`)),
      ),
    )
  })

  it('does not indent items whose lines do not wrap', async () => {
    const shown = await shownAs(STORED, { flat: true })
    expect(texts(shown, 'item')).toHaveLength(3)
    expect(shown.find('[style]').exists()).toBe(false)
    expect(textOf(shown)).toBe(STORED)
  })

  it('colours the code between fences, and no other text', async () => {
    const shown = await shownAs(`const b = 1\n${STORED}`)
    expect(texts(shown, 'code .keyword')).toEqual(['const'])
    expect(shown.findAll('.stored .keyword')).toHaveLength(1)
  })

  it.each([{}, { flat: true }, { prose: true }])('makes no element of stored text (%j)', async (props) => {
    const text = [
      '# <h1>Heading</h1>',
      '![seen](https://elsewhere.invalid/a.png)',
      '[press](javascript:alert(1)) <https://elsewhere.invalid>',
      '* <img src=x onerror=alert(1)>',
      '> <a href="https://elsewhere.invalid">quoted</a>',
      '| a | b |\n| - | - |\n| 1 | 2 |',
      '---',
      '```html\n<script>alert(1)</script>\n```',
    ].join('\n')
    const shown = await shownAs(text, props)
    expect([...new Set(shown.findAll('.stored *').map(({ element }) => element.tagName))]).toEqual(['SPAN'])
    expect(textOf(shown)).toBe(text)
  })

  it('marks invisible characters in a block', async () =>
    expect((await shownAs('# Head\u202eing')).get('.heading bdi').text()).toBe('U+202E'))

  it('continues code in the next portion, and draws text far down without blocks', async () => {
    const text = `\`\`\`\n${`${'x'.repeat(999)}\n`.repeat(130)}\`\`\`\n# After`
    const shown = await shownAs(text)
    for (const more of shown.findAll('button').filter((button) => button.text() === 'Show all'))
      await more.trigger('click')
    await flushPromises()
    const [first, second] = shown.findAll('.lines')
    expect([first?.findAll('.fence').length, first?.findAll('.code').length]).toEqual([1, 1])
    expect([second?.findAll('.fence').length, second?.findAll('.code').length]).toEqual([0, 1])
    expect(texts(shown, 'heading')).toEqual([])
    expect(textOf(shown)).toBe(text)
  })
})
