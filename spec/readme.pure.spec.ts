import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
/** The files of this repository that the page links to or shows. */
const FILES = [...README.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g)].flatMap(([, target = '']) =>
  /^(?:[a-z]+:|#)/.test(target) ? [] : [target.split('#', 1)[0] ?? ''],
)

describe('the README', () => {
  it.each(['overview', 'compare', 'suite', 'case', 'receipt'])(
    'shows a picture of the page %s in both themes',
    (page) =>
      expect(FILES).toEqual(expect.arrayContaining([`docs/images/${page}-light.png`, `docs/images/${page}-dark.png`])),
  )

  it('links to files that exist', () => {
    expect(FILES.length).toBeGreaterThan(8)
    expect(FILES.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })
})
