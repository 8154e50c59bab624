import fc from 'fast-check'
import { flushPromises, mount } from '@vue/test-utils'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import MarkdownText from '../../../../webapp/components/text/MarkdownText.vue'
import { loadPart } from '../../../../webapp/composables/lazy/use-part.ts'
import { markdownView } from '../../../../webapp/text/markdown/markdown-view.ts'
import { mediaView } from '../../../../webapp/text/markdown/media-view.ts'
import { parseMarkdown } from '../../../../webapp/text/markdown/parse.ts'
import { visibleText } from '../../../../webapp/text/visible-text.ts'

// The scripts are loaded before they are needed, so that the specs wait for promises alone.
beforeAll(async () => {
  // The library for formulas asks whether the page is in quirks mode, which the page of the specs does not know.
  Object.assign(document, { compatMode: 'CSS1Compat' })
  await loadPart(markdownView)
  await loadPart(mediaView)
  await loadPart(() => import('../../../../webapp/components/markdown/MathText.vue'))
})

const drawn = async (text: string) => {
  const mounted = mount(MarkdownText, { props: { text, label: 'Output', rendered: true }, attachTo: document.body })
  await flushPromises()
  return mounted
}

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

describe('rendered Markdown', () => {
  it('draws headings below those of the page, lists, tables, code, quotes and rules', async () => {
    const shown = await drawn(
      [
        '# A',
        '### B *c*',
        '3. three\n7. seven\n   - in it',
        '> quoted **text** with `code`',
        '| a | b |\n|---|---|\n| 1 | 2 | 3 |',
        '---',
        '```ts x.ts\nconst a = 1\n```',
      ].join('\n\n'),
    )
    expect(shown.findAll('h1, h2, h3').length).toBe(0)
    expect(shown.findAll('.title').map(({ element }) => [element.tagName, element.textContent])).toEqual([
      ['H4', 'A'],
      ['H5', 'B c'],
    ])
    expect(shown.findAll('ol > li').map((item) => item.attributes('value'))).toEqual(['3', '7'])
    expect(shown.get('ol ul li').text()).toBe('in it')
    expect([shown.get('blockquote strong').text(), shown.get('blockquote code').text()]).toEqual(['text', 'code'])
    expect(shown.findAll('th, td').map((cell) => cell.text())).toEqual(['a', 'b', '1', '2', '3'])
    expect([shown.findAll('hr').length, shown.get('pre').text(), shown.get('.info').text()]).toEqual([
      1,
      'const a = 1',
      'ts x.ts',
    ])
  })

  it('shows raw HTML and definitions of references as text', async () => {
    const text = '<img src=x onerror=alert(1)> <!-- *note* -->\n\n[a]: https://elsewhere.invalid'
    const shown = await drawn(text)
    expect(shown.find('img').exists()).toBe(false)
    expect(shown.text()).toContain('<img src=x onerror=alert(1)> <!-- note -->')
    expect(shown.text()).toContain('[a]: https://elsewhere.invalid')
  })

  it('shows a link as text with its target, and opens it only after a confirmation', async () => {
    const shown = await drawn('See [the page](https://elsewhere.invalid/a?b=c "Title").')
    expect(shown.find('a').exists()).toBe(false)
    const link = shown.get('[role=link]')
    expect([link.text(), link.attributes('title'), shown.text()]).toEqual([
      'the page',
      'https://elsewhere.invalid/a?b=c Title',
      'See the page (elsewhere.invalid).',
    ])
    await link.trigger('click')
    await import('../../../../webapp/components/markdown/OpenLink.vue')
    await flushPromises()
    const dialog = document.querySelector('[role=dialog]')
    expect(dialog?.textContent).toContain('https://elsewhere.invalid/a?b=c')
    expect(dialog?.textContent).toContain('Open in a new tab')
    const opened = vi.fn()
    vi.stubGlobal('open', opened)
    dialog?.querySelector('form')?.requestSubmit()
    await flushPromises()
    expect(opened.mock.calls).toEqual([['https://elsewhere.invalid/a?b=c', '_blank', 'noopener,noreferrer']])
    expect(document.querySelector('[role=dialog]')).toBeNull()
  })

  it('draws the named characters of HTML 4 and numbers, and others as they are stored', async () => {
    const shown = await drawn('*a* &eacute;&lt;&rarr;&Omega;&#233;&#x3A9; &ngeqq; &none;')
    expect(shown.text()).toBe('a é<→ΩéΩ &ngeqq; &none;')
  })

  it('shows the target of a link as it is stored', async () => {
    const shown = await drawn('[a](https://elsewhere.invalid/ä%20ö?q=ü) <https://bücher.invalid>')
    expect(shown.findAll('[role=link]').map((link) => link.attributes('title')?.trim())).toEqual([
      'https://elsewhere.invalid/ä%20ö?q=ü',
      'https://bücher.invalid',
    ])
  })

  it('shows pictures of the text itself, and of others their description and address', async () => {
    const shown = await drawn(
      `![a dot](${PNG}) ![there](https://elsewhere.invalid/a.png) ![x](data:image/svg+xml;base64,PHN2Zy8+)`,
    )
    expect(shown.findAll('img').map((image) => [image.attributes('src'), image.attributes('alt')])).toEqual([
      [PNG, 'a dot'],
    ])
    expect(shown.text()).toContain('image/png')
    expect(shown.text()).toContain('there https://elsewhere.invalid/a.png')
    expect(shown.text()).toContain('data:image/svg+xml')
  })

  it.each([
    ['$a^2$', 'msup'],
    [String.raw`\(\frac{1}{2}\)`, 'mfrac'],
  ])('draws the formula %s', async (formula, element) => {
    const shown = await drawn(`**Result** is\n\n${formula}`)
    expect(shown.find(`math ${element}`).exists()).toBe(true)
    expect(shown.find('[style]').exists()).toBe(false)
  })

  it.each(['$$\na = 1\n- b\n$$', '\\[\na = 1\n- b\n\\]'])('reads a formula on its own lines', (text) =>
    expect(parseMarkdown(`Before\n${text}\nafter`)?.map(({ node }) => node.kind)).toEqual([
      'element',
      'math',
      'element',
    ]),
  )

  it.each([
    'It costs $5 or $10, and $20.',
    String.raw`$\phantom{hidden}$`,
    String.raw`$\color{white}{hidden}$`,
    String.raw`$\href{javascript:alert(1)}{x}$`,
    String.raw`$\def\a{\a\a}\a$`,
    String.raw`$\frac{1$`,
    '$a % hidden$',
  ])('shows %s as it is stored', async (text) => {
    const shown = await drawn(`**Bold** ${text}`)
    expect(shown.find('math').exists()).toBe(false)
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
    for (const word of words) expect(shown.text()).toContain(word)
  })

  it('shows a text of more than 20 levels as it is stored', async () => {
    const text = `${'> '.repeat(30)}deep`
    expect((await drawn(text)).get('.stored').element.textContent).toBe(text)
  })

  it('draws a long text up to a block, and the rest at once', async () => {
    const shown = await drawn(`${'*word* '.repeat(20)}\n\n`.repeat(400))
    expect(shown.findAll('p').length).toBeLessThan(200)
    await shown.get('button').trigger('click')
    expect(shown.findAll('.rendered > p')).toHaveLength(400)
    expect(shown.find('button').exists()).toBe(false)
  })

  it('lists the headings of a text of more than 200 lines', async () => {
    const text = Array.from({ length: 80 }, (_, n) => `## Part ${n}\n\n- item\n`).join('\n')
    const mounted = mount(MarkdownText, { props: { text, label: 'the output', rendered: true, isOutlined: true } })
    await flushPromises()
    expect(mounted.get('summary').text()).toBe('80 headings in the output')
    expect(mounted.findAll('.outline li')).toHaveLength(80)
  })
})

/** Texts that are made of what Markdown, HTML and LaTeX are made of. */
const PIECES = [
  ...['#', '##### ', '- ', '* ', '1. ', '999. ', '> ', '```', '~~~js\n', '`', '**', '_', '~~', '|', '|--|--|', '---'],
  ...['\n', '\n\n', '  \n', '    ', '\t', '\\', '&amp;', '&#x202e;', '&#0;', '\u202e', '\u200b', '\u0000', '\r', '😀'],
  ...['[', '](', ')', '](javascript:alert(1))', '](https://elsewhere.invalid/a)', '![', '[a]: https://b.invalid "c"\n'],
  ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<iframe srcdoc="x">', '<!--', '-->', '<a href=x>'],
  ...[
    '<https://elsewhere.invalid>',
    '<style>*{display:none}</style>',
    '<svg onload=alert(1)>',
    '</div>',
    'style="color:red"',
  ],
  ...['$', '$$', '\\(', '\\)', '\\[', '\\]', '\\frac{1}{2}', '\\phantom{x}', '\\href{javascript:x}{y}', '{', '}', '^2'],
  ...['data:text/html,x', '](data:image/png;base64,AA)', 'word', 'Zwei', '中文', 'a b c', '| x | y | z |\n'],
]
const ALLOWED =
  /^(?:DIV|SPAN|P|UL|OL|LI|BLOCKQUOTE|TABLE|THEAD|TBODY|TR|TH|TD|EM|STRONG|S|BR|HR|PRE|CODE|BDI|H[4-6]|BUTTON|IMG|math|m[a-z]+)$/

describe('any text', () => {
  it('runs nothing, loads nothing, and leaves no word out', async () => {
    const text = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join('')),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    )
    const mounted = mount(MarkdownText, {
      props: { text: '', label: 'Output', rendered: true },
      attachTo: document.body,
    })
    await flushPromises()
    const page = (): HTMLElement => document.body
    await fc.assert(
      fc.asyncProperty(text, async (stored) => {
        await mounted.setProps({ text: stored })
        for (const element of page().querySelectorAll('*')) {
          expect(element.tagName).toMatch(ALLOWED)
          for (const { name, value } of element.attributes) {
            expect(name).not.toMatch(/^on|^href$|^srcdoc$|^srcset$/)
            // The indent of an item of a text that is shown as it is stored.
            if (name === 'style') expect(value).toMatch(/^padding-inline-start: \d+ch; text-indent: -\d+ch;?$/)
            if (name === 'src') expect(value).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,/)
          }
        }
        const seen = [
          page().textContent,
          ...[...page().querySelectorAll('[title], [value], [src]')].map((each) =>
            ['title', 'value', 'src'].map((name) => each.getAttribute(name) ?? '').join(' '),
          ),
        ].join(' ')
        // Entities are drawn as their characters.
        for (const word of visibleText(stored.replace(/&#?\w+;/g, ' ')).match(/[\p{L}\p{N}]{2,}/gu) ?? [])
          expect(seen).toContain(word)
      }),
      { numRuns: 10_000, seed: 20_261_129 },
    )
  }, 600_000)
})
