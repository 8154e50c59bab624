import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Where the package, the archives and the image have `npx ers`: pages that say what it is in a clone. */
const ABOUT_CLONES = ['docs/README.md', 'docs/api-tour.md', 'docs/releasing.md', 'docs/start.md']

it('pages and deployments outside of a clone name the program ers, because npx ers would start a program of others', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const files = ['packaging/README.md', 'Dockerfile', 'compose.yaml', 'action.yml', 'clients/**/*.md', 'deploy/**/*.*']
  const naming = [...globSync(['docs/**/*.md', ...files], { cwd: ROOT })].filter((path) =>
    /\bnpx ers\b/.test(read(path)),
  )
  expect(naming.toSorted()).toEqual(ABOUT_CLONES)
  // Once on each of them, in a sentence and not as a command.
  for (const page of ABOUT_CLONES) {
    const lines = read(page).split('\n')
    expect(lines.filter((line) => line.includes('npx ers'))).toEqual([expect.stringContaining('`npx ers`')])
  }
})
