import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
/** The files of this repository that a page links to or shows. */
const filesOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g)].flatMap(([, target = '']) =>
    /^(?:[a-z]+:|#)/.test(target) ? [] : [target.split('#', 1)[0] ?? ''],
  )
const FILES = filesOf(README)

describe('the README', () => {
  it('is read in a minute', () => expect(README.split('\n').length - 1).toBeLessThanOrEqual(120))

  it.each(['overview', 'compare'])('shows a small picture of the page %s with the samples in both themes', (page) => {
    const pictures = ['light', 'dark'].map((theme) => `docs/images/samples-${page}-${theme}.png`)
    expect(FILES).toEqual(expect.arrayContaining(pictures))
    for (const picture of pictures) expect(statSync(join(ROOT, picture)).size).toBeLessThan(150 * 1024)
  })

  it('links to files that exist', () => {
    expect(FILES.length).toBeGreaterThan(8)
    expect(FILES.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })
})

describe('the pages that the README leads to', () => {
  it.each([
    ['pages.md', ['overview', 'compare', 'leaderboard', 'suite', 'case', 'matrix']],
    ['api-tour.md', ['receipt']],
  ])('%s shows pictures in both themes of %j', (page, pictures) =>
    expect(filesOf(readFileSync(join(ROOT, 'docs', page), 'utf8'))).toEqual(
      expect.arrayContaining(pictures.flatMap((name) => [`images/${name}-light.png`, `images/${name}-dark.png`])),
    ),
  )

  it('are all in the list of pages', () => {
    const listed = filesOf(readFileSync(join(ROOT, 'docs/README.md'), 'utf8'))
    const pages = FILES.filter((file) => /^docs\/.*\.md$/.test(file) && file !== 'docs/README.md')
    expect(pages.map((page) => page.slice('docs/'.length)).filter((page) => !listed.includes(page))).toEqual([])
  })
})
