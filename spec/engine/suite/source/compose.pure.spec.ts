import { join } from 'node:path'
import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadSuite } from '../../../../engine/suite/load-suite.ts'
import { errorsOf, issuesOf, load, MINIMAL, suiteFolder } from '../../../support/suites/suite-folder.ts'

const env = {}

describe('the composition of a suite', () => {
  it('merges mappings, concatenates assert lists, replaces all else', async () => {
    const { suite, snapshot } = await load(
      `${MINIMAL}extends: base.yaml
runner: {retries: {max: 1}}
defaults:
  vars: {lang: de}
  tags: [high]
  assert: [{type: length, max: 90}]
`,
      {
        files: {
          'base.yaml': `runner: {concurrency: 2}
providers: [{id: other, type: exec, command: [x]}]
defaults:
  vars: {lang: en, tone: dry}
  tags: [low]
  assert: [{type: is-json}]
`,
        },
      },
    )
    expect(suite.runner).toMatchObject({ concurrency: 2, retries: { max: 1 } })
    expect([suite.providers.map(({ id }) => id), suite.defaults?.vars]).toEqual([['bot'], { lang: 'de', tone: 'dry' }])
    expect(suite.defaults?.tags).toEqual(['high'])
    expect(suite.defaults?.assert.map(({ kind }) => kind)).toEqual(['is-json', 'length'])
    expect(snapshot).not.toHaveProperty('extends')
  })

  it('ranks the base below imports in order, and these below the file', async () => {
    const { suite } = await load('extends: base.yaml\nimports: [one.yaml, file://two.yaml]\nproject: file\n', {
      files: {
        'base.yaml': `extends: deep/root.yaml\n${MINIMAL}project: base\nsuite: base\ndescription: base`,
        'one.yaml': 'suite: one\ndescription: one',
        'two.yaml': 'suite: two',
        'deep/root.yaml': 'extends: sibling.yaml\nbaseline: {branch: root}',
        'deep/sibling.yaml': 'runner: {concurrency: 7}',
      },
    })
    expect(suite).toMatchObject({
      project: 'file',
      suite: 'two',
      description: 'one',
      baseline: { branch: 'root' },
      runner: { concurrency: 7 },
    })
  })

  it('may leave the folder of the suite, and reach one file twice', async () => {
    const folder = suiteFolder({
      'a/service.yaml': `${MINIMAL}imports: [../shared/x.yaml, ../shared/y.yaml]`,
      'shared/x.yaml': 'extends: z.yaml',
      'shared/y.yaml': 'extends: z.yaml',
      'shared/z.yaml': 'suite: shared',
    })
    expect((await loadSuite(join(folder, 'a'), { env })).suite.suite).toBe('shared')
  })

  it('reports a circle, also through a link, at the line that closes it', async () => {
    const folder = suiteFolder({
      'service.yaml': `${MINIMAL}extends: base.yaml`,
      'base.yaml': 'imports:\n  - link.yaml',
    })
    symlinkSync(join(folder, 'service.yaml'), join(folder, 'link.yaml'))
    const [issue] = await issuesOf(loadSuite(folder, { env }))
    expect(issue).toMatchObject({
      file: join(folder, 'base.yaml'),
      path: 'imports[0]',
      line: 2,
      column: 5,
      message: `${join(folder, 'link.yaml')} is composed of itself: extends and imports form a circle`,
    })
  })

  it('reports a fault in the file that has it', async () => {
    const folder = suiteFolder({
      'service.yaml': `${MINIMAL}extends: base.yaml\nruner: {}`,
      'base.yaml': 'runner:\n  retries:\n    max: many\n',
    })
    expect(await issuesOf(loadSuite(folder, { env }))).toMatchObject([
      { file: join(folder, 'base.yaml'), path: 'runner.retries.max', line: 3, column: 10, source: '    max: many' },
      { file: join(folder, 'service.yaml'), path: 'runer', line: 4, column: 1 },
    ])
  })

  it.each([
    ['a missing file', 'extends: no.yaml', /^extends: .*no\.yaml does not exist$/],
    ['a folder', 'extends: .', /^extends: .* is a folder$/],
    ['no text', 'extends: 5', /^extends: expected the path of a file$/],
    ['imports that are no list', 'imports: a.yaml', /^imports: expected a list of files$/],
    ['an import that is no text', 'imports: [{}]', /^imports\[0\]: expected the path of a file$/],
  ])('refuses %s', async (_, text, message) => expect((await errorsOf(load(MINIMAL + text)))[0]).toMatch(message))
})
