import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { setKey } from '../../../domain/sets.ts'
import { CLI, SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import { findViewerClass } from '../../../queries/access/viewer-class.ts'
import { includes, findLevel, LEVELS } from '../../../queries/access/levels.ts'
import { findHistory } from '../../../queries/cases/history.ts'
import { listRuns, type RunList } from '../../../queries/runs/run-list.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { searchAll } from '../../../queries/search/search.ts'
import { findProjectSet, findSuiteSet, listProjectSets } from '../../../queries/sets/sets.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

const CACHED = ['only', 'exclude', 'all'] as const

const viewer = (user_id: string | null): Viewer => ({
  actor: { address: null, credential_id: null, kind: 'session', scope: 'write', user_id },
  request_id: null,
  sees_all: false,
  needed: null,
})
const nobody = viewer(null)
const stranger = viewer('stranger')
/** Has grants on a restricted project, on one of its suites, on another restricted suite and on an open suite. */
const member = viewer('member')
/** Has only the lowest grant, on one suite of a restricted project. */
const narrow = viewer('narrow')
afterAll(() => spec.close())

const reader = () => spec.service.reader
const runs = async (who: Viewer) =>
  (JSON.parse(await listRuns(reader(), who, {}, { limit: 200 })) as RunList).runs.map(({ id }) => id).sort()
const OPEN = ['mixed/light', 'null/a', 'null/null', 'open/a']
const spec = await openApp()
for (const [project, suite] of [
  ['open', 'a'],
  ['secret', 'a'],
  ['secret', 'b'],
  ['secret', null],
  ['mixed', 'dark'],
  ['mixed', 'darker'],
  ['mixed', 'light'],
  [null, 'a'],
  [null, null],
] as const) {
  await spec.ingest(aDocument({ run_id: `${project}/${suite}`, project, suite, cases: [aCase({ output: 'needle' })] }))
}
await spec.restrict('secret')
await spec.restrict('mixed', 'dark')
await spec.restrict('mixed', 'darker')
await spec.restrict('before-any-run', 'a')
for (const name of ['member', 'other', 'narrow']) await spec.addUser(name)
await spec.grant('member', 'view', 'secret')
await spec.grant('member', 'manage', 'secret', 'b')
await spec.grant('member', 'upload', 'mixed', 'dark')
await spec.grant('member', 'manage', 'open', 'a')
await spec.grant('other', 'manage', 'mixed')
await spec.grant('narrow', 'view', 'secret', 'b')

describe('the runs that a viewer sees', () => {
  it('are unrestricted or have no project if the viewer has no grant', async () => {
    for (const who of [nobody, stranger]) expect(await runs(who)).toEqual(OPEN)
  })

  it('include those that a grant of any level covers: a whole project or one suite', async () => {
    expect(await runs(member)).toEqual([...OPEN, 'mixed/dark', 'secret/a', 'secret/b', 'secret/null'].sort())
    expect(await runs(viewer('other'))).toEqual([...OPEN, 'mixed/dark', 'mixed/darker'].sort())
  })

  it('are all runs for the service itself and the command line', async () => {
    for (const who of [SYSTEM, CLI]) expect(await runs(who)).toHaveLength(9)
  })

  it('are those whose cases a search finds', async () => {
    const found = async (who: Viewer) => {
      const hits = await searchAll(reader(), spec.service.documents, who, { q: 'needle', limit: 50 })
      return hits.cases.map(({ run_id }) => run_id).sort()
    }
    for (const who of [nobody, stranger, member, narrow, viewer('other'), SYSTEM])
      expect(await found(who)).toEqual(await runs(who))
  })

  it('include only the granted suite of a restricted project, in lists and search', async () => {
    expect(await runs(narrow)).toEqual([...OPEN, 'secret/b'].sort())
    const find = (q: string, cached: (typeof CACHED)[number] = 'all') =>
      searchAll(reader(), spec.service.documents, narrow, { q, limit: 50, cached })
    // The project name is a word in the index of each of its runs.
    expect((await find('secret')).runs.map(({ id }) => id)).toEqual(['secret/b'])
    const cases = (await find('needle')).cases.map(({ run_id }) => run_id).sort()
    expect(cases).toEqual([...OPEN, 'secret/b'].sort())
    for (const q of ['secret', 'needle']) {
      const [only, exclude, all] = await Promise.all(CACHED.map((cached) => find(q, cached)))
      expect(only).toEqual({ runs: [], cases: [] })
      expect(exclude).toEqual(all)
    }
  })

  it('are the same for reads of one run, one history or one suite', async () => {
    for (const who of [nobody, member, narrow]) {
      for (const id of ['secret/a', 'mixed/dark', 'mixed/darker', 'open/a']) {
        const seen = (await runs(who)).includes(id)
        const [project = '', suite = ''] = id.split('/')
        expect((await reader().read(findRun(who, id))) !== null, id).toBe(seen)
        expect(
          (await findHistory(reader(), who, { project, suite, case_key: aCase().case_key }, 20)) !== null,
          id,
        ).toBe(seen)
        expect((await findSuiteSet(reader(), who, { project, suite })) !== null, id).toBe(seen)
      }
    }
  })
})

it('the order of hits reveals nothing about the words of hidden rows, however many there are', async () => {
  const word = fc.constantFrom('apple', 'apply', 'appendix', 'banana', 'cherry', 'date')
  const text = (longest: number) =>
    fc.array(word, { minLength: 1, maxLength: longest, size: 'max' }).map((words) => words.join(' '))
  const content = fc.array(fc.record({ output: text(30), name: text(3) }), { minLength: 1, maxLength: 4 })
  const [seen] = fc.sample(fc.array(content, { minLength: 12, maxLength: 12 }), { numRuns: 1, seed: 11 })
  // So many words with one prefix that a search does not look up each of them. They sort between the words of
  // visible rows.
  const many = Array.from({ length: 80 }, (_, n) => `applf${String(n).padStart(3, '0')}`).join(' ')
  const open = async (hidden: ReadonlyArray<{ output: string; name: string }>) => {
    const of = await openApp()
    await of.restrict('secret')
    for (const [n, cases] of (seen ?? []).entries()) {
      for (const [m, each] of hidden.entries())
        await of.ingest(aDocument({ run_id: `hidden-${n}-${m}`, project: 'secret', cases: [aCase(each)] }), {
          caller: 'admin',
        })
      await of.ingest(
        aDocument({
          run_id: `seen-${n}`,
          project: n % 3 === 0 ? null : 'open',
          origin: { note: cases[0]?.output },
          cases: cases.map((each, repeat) => aCase({ cell: { repeat }, ...each })),
        }),
      )
    }
    return of
  }
  const [whole, without] = [
    await open([
      { output: 'apple '.repeat(60), name: 'banana' },
      { output: many, name: 'date' },
    ]),
    await open([]),
  ]
  for (const q of ['apple', 'app', 'a', 'banana apple', 'cherry date', 'appendix ban', 'date']) {
    for (const limit of [3, 50]) {
      const path = `/search?q=${encodeURIComponent(q)}&limit=${limit}`
      const answer = await whole.sendAs('read')('GET', path)
      expect(answer.body, path).toBe((await without.sendAs('read')('GET', path)).body)
      const hits = answer.json<{ cases: unknown[]; runs: unknown[] }>()
      expect(hits.cases.length, path).toBeGreaterThan(0)
      // The notes of the runs have the words of their first case.
      if (q === 'apple') expect(hits.runs.length, path).toBeGreaterThan(0)
    }
  }
  await Promise.all([whole.close(), without.close()])
})

describe('the reported level of a viewer', () => {
  it('is the project grant on a project, and the higher of both grants on a suite', async () => {
    const { projects } = await listProjectSets(reader(), member)
    expect(projects.map(({ project, restricted, my_level }) => [project, restricted, my_level])).toEqual([
      ['mixed', false, null],
      ['open', false, null],
      ['secret', true, 'view'],
    ])
    const secret = await findProjectSet(reader(), member, 'secret')
    expect([
      secret?.my_level,
      ...(secret?.suites ?? []).map(({ suite, my_level, restricted }) => [suite, my_level, restricted]),
    ]).toEqual(['view', ['a', 'view', true], ['b', 'manage', true]])
    expect(await findSuiteSet(reader(), member, { project: 'open', suite: 'a' })).toMatchObject({
      my_level: 'manage',
      restricted: false,
    })
  })

  it('is null for admins and without a grant', async () => {
    for (const who of [nobody, stranger, SYSTEM])
      expect((await listProjectSets(reader(), who)).projects.every(({ my_level }) => my_level === null)).toBe(true)
  })
})

describe('the effective level of a viewer on a set', () => {
  const level = (who: Viewer, project: string | null, suite: string | null) =>
    reader().read(findLevel(who, { project, suite }))

  it('is upload on unrestricted sets, and never manage without a grant', async () => {
    for (const who of [nobody, stranger]) {
      for (const [project, suite] of [
        ['open', 'a'],
        ['mixed', 'light'],
        ['mixed', null],
        ['never-heard-of', 'x'],
        [null, 'a'],
        [null, null],
      ] as const)
        expect(await level(who, project, suite), `${project}/${suite}`).toBe('upload')
    }
  })

  it('is null on restricted sets without a grant, even for suites uploaded later', async () => {
    for (const [project, suite] of [
      ['secret', 'a'],
      ['secret', 'later'],
      ['secret', null],
      ['mixed', 'dark'],
      ['before-any-run', 'a'],
    ] as const)
      expect(await level(nobody, project, suite), `${project}/${suite}`).toBeNull()
  })

  it('is the level of the highest grant that covers the set', async () => {
    expect(await level(member, 'secret', 'a')).toBe('view')
    expect(await level(member, 'secret', 'b')).toBe('manage')
    expect(await level(member, 'secret', null)).toBe('view')
    expect(await level(member, 'mixed', 'dark')).toBe('upload')
    expect(await level(member, 'mixed', 'darker')).toBeNull()
    expect(await level(member, 'open', 'a')).toBe('manage')
    expect(await level(SYSTEM, 'secret', 'a')).toBe('manage')
  })

  it('depends on the account as it is now, not as it was at authentication', async () => {
    const chief = await spec.addUser('chief', 'admin')
    const change = (role: 'admin' | 'member' | null, disabled: boolean | null) =>
      spec.service.commit.changeUser(SYSTEM, { user_id: 'chief', role, disabled, password_hash: null })
    await spec.addUser('another chief', 'admin')
    const once = { ...chief.viewer, sees_all: true }
    const never = { ...chief.viewer, sees_all: false }
    for (const who of [once, never]) expect(await level(who, 'secret', 'a')).toBe('manage')
    await change(null, true)
    for (const who of [once, never]) expect(await level(who, 'secret', 'a')).toBeNull()
    await change('member', false)
    for (const who of [once, never]) expect(await level(who, 'secret', 'a')).toBeNull()
    for (const who of [once, never]) expect(await level(who, 'open', 'a')).toBe('upload')
  })

  it('includes every lower level', () => {
    expect(LEVELS.map((level) => LEVELS.filter((wanted) => includes(level, wanted)))).toEqual([
      ['view'],
      ['view', 'upload'],
      ['view', 'upload', 'manage'],
    ])
    expect(includes(null, 'view')).toBe(false)
  })
})

it('the key of a run set differs for any two sets, even for an empty suite name and no suite', () => {
  const sets = [
    ['a', null],
    ['a', ''],
    ['', 'a'],
    ['', null],
    ['a', 'b'],
    ['a","b', null],
    ['a', 'null'],
    ['["a"', null],
  ] as const
  expect(new Set(sets.map(([project, suite]) => setKey({ project, suite }))).size).toBe(sets.length)
  expect(setKey({ project: null, suite: 'a' })).toBeNull()
})

describe('the class of a viewer', () => {
  const classOf = (who: Viewer) => reader().read(findViewerClass(who))

  it('is the same for all viewers who see everything', async () => {
    expect(await classOf(SYSTEM)).toEqual(await classOf(CLI))
    expect((await classOf(SYSTEM)).sees).not.toBe((await classOf(nobody)).sees)
  })

  it('is the same for viewers without a grant, and for those who see the same sets', async () => {
    expect(await classOf(nobody)).toEqual(await classOf(stranger))
    const other = await openApp()
    await other.restrict('secret')
    await other.restrict('mixed', 'dark')
    for (const user of ['a', 'b', 'c']) await other.addUser(user)
    for (const [user, level] of [
      ['a', 'view'],
      ['b', 'manage'],
    ] as const)
      await other.grant(user, level, 'secret', 'b')
    // A grant on an unrestricted set shows nothing more, but it changes the levels of the class.
    await other.grant('b', 'view', 'open')
    await other.grant('c', 'view', 'secret')
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map((user) => other.service.reader.read(findViewerClass(viewer(user)))),
    )
    expect(a?.sees).toBe(b?.sees)
    expect(a?.levels).not.toBe(b?.levels)
    expect(a?.sees).not.toBe(c?.sees)
    await other.lift('secret')
    await other.lift('mixed', 'dark')
    const unrestricted = await Promise.all(
      ['a', 'b', 'nobody'].map((user) => other.service.reader.read(findViewerClass(viewer(user)))),
    )
    for (const { sees } of unrestricted) expect(sees).toBe((await classOf(SYSTEM)).sees)
    expect(new Set(unrestricted.map(({ levels }) => levels)).size).toBe(3)
    await other.close()
  })

  it('differs between viewers who see different runs', async () => {
    const viewers = [nobody, member, narrow, viewer('other'), SYSTEM]
    const seen = await Promise.all(viewers.map(runs))
    const classes = await Promise.all(viewers.map(classOf))
    for (const [i, one] of viewers.entries())
      for (const [j, other] of viewers.entries())
        if (seen[i]?.join() !== seen[j]?.join())
          expect(classes[i]?.sees, `${one.actor.user_id} and ${other.actor.user_id}`).not.toBe(classes[j]?.sees)
  })
})
