import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEVELS, type Level } from '../../../../queries/access/levels.ts'
import { json, type SpecResponse } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { runCount } from '../../../support/random/runs.ts'
import { openApp, type Send } from '../../../support/servers/app.ts'

describe('visibility', () => {
  const ACTORS = ['nobody', 'reader', 'writer', 'token', 'one', 'two', 'boss'] as const
  type ActorName = (typeof ACTORS)[number]
  type Set = { readonly project: string; readonly suite: string | null }
  type Run = Omit<Set, 'project'> & { readonly id: string; readonly project: string | null }

  const set = fc.record({ project: fc.constantFrom('a', 'a', 'b'), suite: fc.constantFrom(null, 'x', 'x') })
  const actor = fc.constantFrom(...ACTORS, 'token' as const, 'boss' as const)
  /** Sometimes picks an existing entry instead of the drawn set. */
  const nth = fc.option(fc.nat())
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('upload' as const),
        who: actor,
        set: fc.oneof(
          { weight: 5, arbitrary: set },
          { weight: 1, arbitrary: fc.constant({ project: null, suite: 'x' }) },
        ),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('restrict' as const, 'restrict' as const, 'lift' as const),
        who: fc.constantFrom('token' as const, 'boss' as const),
        set,
        nth,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('grant' as const),
        who: actor,
        set,
        to: fc.constantFrom('one' as const, 'two' as const),
        level: fc.constantFrom(...LEVELS),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('revoke' as const),
        who: actor,
        set,
        to: fc.constantFrom('one' as const, 'two' as const),
        nth,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        who: fc.constantFrom('token' as const, 'boss' as const),
        nth: fc.nat(),
      }),
    },
  )

  it('follows a small model on every read path after random changes', async () => {
    const spec = await openApp()
    const [one, two, boss] = [await spec.addUser('one'), await spec.addUser('two'), await spec.addUser('boss', 'admin')]
    const sends: Record<ActorName, Send> = {
      nobody: spec.sendWithToken('unknown'),
      reader: spec.sendAs('read'),
      writer: spec.sendAs('write'),
      token: spec.sendAs('admin'),
      one: one.send,
      two: two.send,
      boss: boss.send,
    }
    const SCOPE: Record<ActorName, number> = { nobody: 0, reader: 1, writer: 2, token: 3, one: 2, two: 2, boss: 3 }
    const seesAll = (name: ActorName) => name === 'token' || name === 'boss'
    const outcomes = new Map<string, number>()
    let round = 0

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16, size: 'max' }), async (steps) => {
        const prefix = `m${round++}-`
        const restricted = new Map<string, Set>()
        const grants = new Map<string, Set & { readonly to: ActorName; readonly level: Level }>()
        const runs = new Map<string, Run>()
        const keyOf = (...parts: ReadonlyArray<string | null>) => JSON.stringify(parts)
        const covers = (row: Set, runSet: { project: string | null; suite: string | null }) =>
          row.project === runSet.project && (row.suite === null || row.suite === runSet.suite)
        const levelOf = (name: ActorName, runSet: { project: string | null; suite: string | null }): number => {
          if (seesAll(name)) return 2
          const granted = [...grants.values()]
            .filter((row) => row.to === name && covers(row, runSet))
            .map(({ level }) => LEVELS.indexOf(level))
          return Math.max(-1, ...granted, [...restricted.values()].some((row) => covers(row, runSet)) ? -1 : 1)
        }
        const pathOf = ({ project, suite }: Set) =>
          `/sets/${prefix}${project}${suite === null ? '' : `/suites/${suite}`}`
        const visibleRuns = (name: ActorName) =>
          [...runs.values()].filter((run) => levelOf(name, run) >= 0).sort((a, b) => (a.id < b.id ? -1 : 1))
        const pick = <T>(rows: ReadonlyMap<string, T>, index: number | null) =>
          index === null ? undefined : [...rows.values()][index % Math.max(1, rows.size)]
        const ids = (items: ReadonlyArray<{ id: string }>) =>
          items
            .map(({ id }) => id)
            .filter((id) => id.startsWith(prefix))
            .sort()

        for (const [n, drawn] of steps.entries()) {
          const send = sends[drawn.who]
          let answer: SpecResponse
          let expected: number
          if (drawn.do === 'upload') {
            const id = `${prefix}${n}`
            const { project, suite } = drawn.set
            const cases = [aCase({ output: `needle ${prefix}` })]
            answer = await send('POST', '/runs', {
              headers: json,
              body: JSON.stringify(aDocument({ run_id: id, project: project && prefix + project, suite, cases })),
            })
            expected =
              SCOPE[drawn.who] === 0 ? 401 : SCOPE[drawn.who] < 2 ? 403 : levelOf(drawn.who, drawn.set) >= 1 ? 201 : 403
            if (expected === 201) runs.set(id, { id, project, suite })
          } else if (drawn.do === 'delete') {
            const id = [...runs.keys()][drawn.nth % Math.max(1, runs.size)] ?? 'none'
            answer = await send('DELETE', `/runs/${id}`)
            expected = runs.delete(id) ? 204 : 404
          } else if (!('to' in drawn)) {
            const target = (drawn.do === 'lift' ? pick(restricted, drawn.nth) : null) ?? drawn.set
            const key = keyOf(target.project, target.suite)
            answer = await send(drawn.do === 'restrict' ? 'PUT' : 'DELETE', `${pathOf(target)}/restriction`)
            expected = drawn.do === 'restrict' || restricted.has(key) ? 204 : 404
            if (drawn.do === 'restrict') restricted.set(key, target)
            else restricted.delete(key)
          } else {
            const { to, ...target } = (drawn.do === 'revoke' ? pick(grants, drawn.nth) : null) ?? {
              ...drawn.set,
              to: drawn.to,
            }
            const key = keyOf(target.project, target.suite, to)
            const path = `${pathOf(target)}/grants/${to}`
            answer =
              drawn.do === 'grant'
                ? await send('PUT', path, { headers: json, body: JSON.stringify({ level: drawn.level }) })
                : await send('DELETE', path)
            const passes =
              SCOPE[drawn.who] === 0 ? 401 : SCOPE[drawn.who] < 2 ? 403 : levelOf(drawn.who, target) >= 2 ? 204 : 404
            expected = passes === 204 && drawn.do === 'revoke' && !grants.has(key) ? 404 : passes
            if (expected === 204 && drawn.do === 'grant')
              grants.set(key, { ...drawn.set, to: drawn.to, level: drawn.level })
            if (expected === 204 && drawn.do === 'revoke') grants.delete(key)
          }
          expect(answer.statusCode, `${JSON.stringify(drawn)}: ${answer.body}`).toBe(expected)
          const outcome = `${drawn.do} ${expected}`
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

          for (const name of ACTORS.slice(1)) {
            const send = sends[name]
            const seen = visibleRuns(name)
            expect(
              ids((await send('GET', '/runs?limit=200')).json<{ runs: Array<{ id: string }> }>().runs),
              name,
            ).toEqual(ids(seen))
            const projects = (await send('GET', '/sets'))
              .json<{
                projects: Array<{ project: string; run_count: number; restricted: boolean; my_level: Level | null }>
              }>()
              .projects.filter(({ project }) => project.startsWith(prefix))
            const counted = Object.entries(
              Object.groupBy(
                seen.filter(({ project }) => project !== null),
                ({ project }) => String(project),
              ),
            )
            const ownLevel = (project: string) =>
              seesAll(name) ? null : (grants.get(keyOf(project, null, name))?.level ?? null)
            const expectedRows = counted.map(([project, projectRuns = []]) => ({
              project: prefix + project,
              run_count: projectRuns.length,
              restricted: restricted.has(keyOf(project, null)),
              my_level: ownLevel(project),
            }))
            expect(
              projects.map(({ project, run_count, restricted, my_level }) => ({
                project,
                run_count,
                restricted,
                my_level,
              })),
              name,
            ).toEqual(expectedRows.sort((a, b) => (a.project < b.project ? -1 : 1)))
          }
        }

        for (const name of ACTORS.slice(1)) {
          const send = sends[name]
          const seen = new Set(ids(visibleRuns(name)))
          for (const { id, project, suite } of runs.values()) {
            const status = seen.has(id) ? 200 : 404
            for (const part of ['', '/cases', '/matrix', '/config', '/export', `/compare/${id}`])
              expect((await send('GET', `/runs/${id}${part}`)).statusCode, `${name} ${id}${part}`).toBe(status)
            if (project !== null && suite !== null) {
              const inSuite = [...runs.values()].filter((run) => run.project === project && run.suite === suite).length
              const view = await send('GET', pathOf({ project, suite }))
              expect(view.statusCode).toBe(status)
              if (status === 200)
                expect(view.json()).toMatchObject({
                  run_count: inSuite,
                  restricted: [...restricted.values()].some((row) => covers(row, { project, suite })),
                })
              expect(
                (await send('GET', `/projects/${prefix}${project}/suites/${suite}/cases/${aCase().case_key}/history`))
                  .statusCode,
              ).toBe(status)
            }
          }
          const hits = (await send('GET', `/search?q=${encodeURIComponent(`needle ${prefix}`)}&limit=200`))
            .json<{ cases: Array<{ run_id: string }> }>()
            .cases.map(({ run_id }) => ({ id: run_id }))
          expect(ids(hits), name).toEqual([...seen])
        }
      }),
      { numRuns: runCount(20) },
    )
    // Each kind of outcome happened at least once.
    for (const outcome of [
      'upload 201',
      'upload 403',
      'restrict 204',
      'lift 204',
      'grant 204',
      'grant 404',
      'revoke 204',
      'revoke 404',
      'delete 204',
    ])
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0)
    await spec.close()
  })
})
