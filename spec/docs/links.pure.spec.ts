import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })]

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8')
/** The prose of a page: code and its fences hold no links and no headings. */
const proseOf = (text: string): string =>
  text.replace(/^ *```[^]*?^ *```/gm, '').replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ' '))

/** The anchors of a page, as GitHub makes them: of two equal headings the second has a number. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replace(/^ *```[^]*?^ *```/gm, '').matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    let [anchor, n] = [slug, 0]
    while (anchors.has(anchor)) anchor = `${slug}-${++n}`
    anchors.add(anchor)
  }
  return anchors
}

const linksOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|\b(?:href|src|srcset)="([^"\s]+)"/g)]
    .map(([, target, attribute]) => target ?? attribute ?? '')
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))

/** Why a link of a page leads nowhere, or null. */
const faultOf = (page: string, link: string): string | null => {
  const [path = '', anchor] = link.split('#', 2)
  const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), decodeURI(path)))
  if (!existsSync(join(ROOT, target))) return `${page}: ${link}: no such file`
  if (anchor === undefined || !target.endsWith('.md')) return null
  return anchorsOf(textOf(target)).has(anchor) ? null : `${page}: ${link}: no such heading`
}

describe('the links of the documentation', () => {
  it('lead to files and headings that exist', () => {
    const links = PAGES.flatMap((page) => linksOf(textOf(page)).map((link) => [page, link] as const))
    expect(links.length).toBeGreaterThan(100)
    expect(links.flatMap(([page, link]) => faultOf(page, link) ?? [])).toEqual([])
  })

  it('are read as GitHub shows them', () => {
    expect([...anchorsOf('# A `b` & c_d\n## Same\n## Same\n```\n# no\n```\n### [x](y.md), z!')]).toEqual([
      'a-b--c_d',
      'same',
      'same-1',
      'x-z',
    ])
    expect(linksOf('[a](b.md#c) `[no](d)` [e](https://f) <img src="g.png">')).toEqual(['b.md#c', 'g.png'])
    expect(faultOf('README.md', 'none.md')).toContain('no such file')
    expect(faultOf('README.md', 'docs/proof.md#none')).toContain('no such heading')
  })
})
