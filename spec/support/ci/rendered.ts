import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'

/** The HTML of a text in GitHub Flavored Markdown. */
export const rendered = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })

/** The text of HTML outside of code, in which GitHub looks for mentions, references and addresses. */
const outsideOfCode = (html: string): string => html.replace(/<code[^>]*>[^<]*<\/code>/g, '')

/** What GitHub makes of text: mentions, references, links, images and HTML, and what could end a code span or a cell. */
export const HOSTILE: readonly string[] = [
  '@octocat',
  '#1',
  'GH-12',
  'owner/repo#3',
  'https://evil.example/x',
  'www.evil.example',
  '<img src=x onerror=alert(1)>',
  '<script>',
  '![i](https://evil.example/i.png)',
  '[l](https://evil.example)',
  '<https://evil.example>',
  'a@evil.example',
  '`',
  '``',
  '|',
  '\\',
  '\\|',
  '\\\\|',
  '\n',
  '\r',
  '\u2028',
  '\x1b[31m',
  '&lt;',
  '*',
  '_',
  '~~',
  '$`',
  '-->',
  '<!-- ers:other -->',
  '</details>',
  '88ebdd1a',
  ' ',
  'a',
  '\u202e',
  '[^1]',
  ':tada:',
]

const TAGS =
  /<(?!\/?(?:h3|h4|p|strong|em|table|thead|tbody|tr|th|td|ul|li|pre|code|details|summary|hr)\b|code class="language-diff">)/

/** What of a text GitHub would make live; null if nothing is. The addresses of `links` may be links. */
export const liveIn = (markdown: string, links: readonly string[] = []): string | null => {
  let html = rendered(markdown)
  for (const address of links)
    html = html.replaceAll(`<a href="${address}">`, '<strong>').replaceAll('</a>', '</strong>')
  const seen = outsideOfCode(html)
  const tag = TAGS.exec(seen)
  if (tag) return seen.slice(tag.index, tag.index + 40)
  return /[@#]|https?:|www\.|\bGH-\d|\b88ebdd1a\b|<!--/.exec(seen.replace(/<[^<>]*>/g, ''))?.[0] ?? null
}
