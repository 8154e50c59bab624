import { mkdirSync, symlinkSync } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestSalt } from '../../../engine/data/digest-salt.ts'
import { matchingFiles } from '../../../engine/data/suite-files.ts'
import { expand, suiteFolder } from '../../support/suites/suite-folder.ts'

const folderWith = (...paths: readonly string[]): string =>
  suiteFolder(Object.fromEntries(paths.map((path) => [path, path])))

describe('a glob', () => {
  const folder = () =>
    folderWith(
      'a.txt',
      'b.txt',
      '-.txt',
      'é.txt',
      'ab.txt',
      '{a,b}.txt',
      '+(a).txt',
      '!a.txt',
      'd/a.txt',
      'd/e/a.txt',
      '[.txt',
    )

  it.each([
    ['*.txt', ['!a.txt', '+(a).txt', '-.txt', '[.txt', 'a.txt', 'ab.txt', 'b.txt', '{a,b}.txt', 'é.txt']],
    ['a*.txt', ['a.txt', 'ab.txt']],
    ['a**.txt', ['a.txt', 'ab.txt']],
    ['?.txt', ['-.txt', '[.txt', 'a.txt', 'b.txt', 'é.txt']],
    ['[a-c].txt', ['a.txt', 'b.txt']],
    ['[!a-cé[].txt', ['-.txt']],
    ['[a-].txt', ['-.txt', 'a.txt']],
    ['[.txt', ['[.txt']],
    ['{a,b}.txt', ['{a,b}.txt']],
    ['+(a).txt', ['+(a).txt']],
    ['!a.txt', ['!a.txt']],
    ['**/a.txt', ['a.txt', 'd/a.txt', 'd/e/a.txt']],
    ['d/**', ['d/a.txt', 'd/e/a.txt']],
    ['**/**/e/**/*', ['d/e/a.txt']],
    ['*/*', ['d/a.txt']],
    ['./d//./a.txt', ['d/a.txt']],
    ['d\\*.txt', ['d/a.txt']],
    ['d/', []],
    ['d', []],
    ['*/', []],
    ['none/*', []],
    ['a.txt/*', []],
    ['A.txt', []],
  ])('%s', async (pattern, files) => expect(await matchingFiles(folder(), pattern)).toEqual(files))

  it('matches names with a dot in front like all others', async () => {
    const hidden = folderWith('.x', 'bot/.hidden', 'bot/.d/z', 'bot/a')
    expect(await matchingFiles(hidden, 'bot/**/*')).toEqual(['bot/.d/z', 'bot/.hidden', 'bot/a'])
    expect(await matchingFiles(hidden, '**')).toEqual(['.x', 'bot/.d/z', 'bot/.hidden', 'bot/a'])
    expect(await matchingFiles(hidden, '*')).toEqual(['.x'])
  })

  it('matches in the order of the bytes of the whole paths', async () =>
    expect(await matchingFiles(folderWith('d/a', 'd-x', 'd0', '\u{1f600}', '\uff5e'), '**')).toEqual([
      'd-x',
      'd/a',
      'd0',
      '\uff5e',
      '\u{1f600}',
    ]))

  it('enters linked folders that it names, and none with **', async () => {
    const linked = folderWith('in/d/a.txt', 'in/d/e/b.txt')
    symlinkSync('in/d', join(linked, 'link'))
    symlinkSync('..', join(linked, 'in', 'up'))
    symlinkSync('nowhere', join(linked, 'in', 'broken'))
    symlinkSync('circle', join(linked, 'in', 'circle'))
    symlinkSync('d/a.txt', join(linked, 'in', 'c.txt'))
    expect(await matchingFiles(linked, '**/*')).toEqual(['in/c.txt', 'in/d/a.txt', 'in/d/e/b.txt'])
    expect(await matchingFiles(linked, 'link/**')).toEqual(['link/a.txt', 'link/e/b.txt'])
    expect(await matchingFiles(linked, 'l*/*')).toEqual(['link/a.txt'])
    expect(await matchingFiles(linked, 'in/circle/*')).toEqual([])
  })

  it('is refused if it leads out of the folder through a link', async () => {
    const inner = folderWith('a.txt')
    symlinkSync(folderWith('secret.txt'), join(inner, 'out'))
    for (const pattern of ['*', '*/*', 'out/*', 'out/none*', '**'])
      await expect(matchingFiles(inner, pattern)).rejects.toThrow('out leads out of the folder of the suite')
    expect(await matchingFiles(inner, '**/*.txt')).toEqual(['a.txt'])
  })

  it('takes no time for many wildcards', async () => {
    const name = 'a'.repeat(200)
    expect(await matchingFiles(folderWith(name), `${'*a'.repeat(60)}b`)).toEqual([])
    const deep = folderWith()
    mkdirSync(join(deep, ...Array.from({ length: 60 }, () => 'd')), { recursive: true })
    expect(await matchingFiles(deep, `${'**/d/'.repeat(20)}x`)).toEqual([])
  })

  it('matches what the glob of Node matches, but for hidden files', async () => {
    const name = fc.stringMatching(/^[abé]{1,2}$/)
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
    const segment = fc.oneof(name, fc.constantFrom('*', '**', '**', 'a*', '*b', '?', '[a-b]'))
    const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
    let matches = 0
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 4, maxLength: 8 }), pattern, async (paths, wanted) => {
        const folder = folderWith(...paths.map((file) => `${file}.f`))
        const expected: string[] = []
        for await (const match of glob(`${wanted}*`, { cwd: folder }))
          if ((await stat(join(folder, match))).isFile()) expected.push(match)
        const found = await matchingFiles(folder, `${wanted}*`)
        matches += found.length
        expect(new Set(found)).toEqual(new Set(expected))
      }),
      { numRuns: 150, seed: 3 },
    )
    expect(matches).toBeGreaterThan(100)
  })
})

it('a digest covers hidden files, and is as ever without them', async () => {
  const files = { 'bot/a.txt': 'one\n', 'bot/b.txt': 'two\n' }
  const digest = 'blake3:c30331dd367526ecd33ba6bc54b65bbb8cdaac0ab234fcc5aaeb8d2f6508b7dc'
  expect(await digestSalt(suiteFolder(files), 'bot/**/*')).toBe(digest)
  expect(await digestSalt(suiteFolder({ ...files, 'bot/.env': 'x' }), 'bot/**/*')).not.toBe(digest)
})

it('tests in hidden files and folders are run', async () => {
  const one = '[{}]'
  const { tests } = await expand('tests: ["file://cases/**/*.yaml"]', {
    'cases/.h/a.yaml': one,
    'cases/.x.yaml': one,
    'cases/b.yaml': one,
  })
  expect(tests.map(({ source }) => source)).toEqual(['cases/.h/a.yaml [0]', 'cases/.x.yaml [0]', 'cases/b.yaml [0]'])
})
