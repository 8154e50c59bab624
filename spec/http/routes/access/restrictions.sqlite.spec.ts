import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, get, json, NO_SET, put, remove, statusAndBody } from '../../../support/access/access-requests.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { openApp, type Send, type SpecApp } from '../../../support/servers/app.ts'

describe('set restrictions', () => {
  let spec: SpecApp
  beforeAll(async () => void (spec = await openApp()))
  afterAll(() => spec.close())
  const admin: Send = (...request) => spec.sendAs('admin')(...request)
  const restrictions = async () =>
    (await eventsOf(spec)).filter(({ type }) => type === 'SetRestricted' || type === 'RestrictionLifted')

  it.each(['/sets/p1', '/sets/p1/suites/s1'])(
    'are set once and lifted once, before the set has a run: %s',
    async (path) => {
      const before = (await restrictions()).length
      for (let time = 0; time < 3; time++) expect(await put(admin, `${path}/restriction`)).toBe(204)
      expect(await restrictions()).toHaveLength(before + 1)
      expect(await get(admin, `${path}/access`)).toEqual([200, { restricted: true, grants: [] }])
      expect(await get(admin, path)).toEqual([404, NO_SET])
      expect(await remove(admin, `${path}/restriction`)).toBe(204)
      expect(await remove(admin, `${path}/restriction`)).toEqual([404, { error: 'restriction not found' }])
      expect(await restrictions()).toHaveLength(before + 2)
      expect(await get(admin, `${path}/access`)).toEqual([200, { restricted: false, grants: [] }])
    },
  )

  it('ignore the request body', async () => {
    expect(statusAndBody(await admin('PUT', '/sets/p2/restriction', { headers: json, body: '{"unknown":' }))).toBe(204)
    expect(await remove(admin, '/sets/p2/restriction')).toBe(204)
  })

  it('of a project and of its suite are separate, and both must be lifted', async () => {
    await spec.ingest(aDocument({ run_id: 'twice', project: 'p3', suite: 's' }))
    expect(await put(admin, '/sets/p3/restriction')).toBe(204)
    expect(await remove(admin, '/sets/p3/suites/s/restriction')).toEqual([404, { error: 'restriction not found' }])
    expect(await get(admin, '/sets/p3/suites/s/access')).toMatchObject([200, { restricted: false }])
    expect(await get(admin, '/sets/p3/suites/s')).toMatchObject([200, { restricted: true }])
    expect(await put(admin, '/sets/p3/suites/s/restriction')).toBe(204)
    expect(await remove(admin, '/sets/p3/restriction')).toBe(204)
    expect(await get(admin, '/sets/p3')).toMatchObject([200, { restricted: false, suites: [{ restricted: true }] }])
    expect(await get(spec.sendAs('read'), '/runs/twice')).toEqual([404, { error: 'run not found' }])
    expect(await remove(admin, '/sets/p3/suites/s/restriction')).toBe(204)
    expect(await get(spec.sendAs('read'), '/runs/twice')).toMatchObject([200, { id: 'twice' }])
  })

  it('of a project hide its runs without a suite; runs without a project stay visible', async () => {
    const sets = [
      ['p4', null],
      ['p4', 's'],
      ['p4', 'null'],
      ['p4', ''],
      ['', 's'],
      ['', null],
      [null, 's'],
      [null, null],
    ] as const
    const idOf = (project: string | null, suite: string | null) => JSON.stringify([project, suite])
    for (const [project, suite] of sets) await spec.ingest(aDocument({ run_id: idOf(project, suite), project, suite }))
    const hidden = async () => {
      const statuses = await Promise.all(
        sets.map(
          async ([project, suite]) =>
            (await spec.sendAs('read')('GET', `/runs/${encodeURIComponent(idOf(project, suite))}`)).statusCode,
        ),
      )
      return sets.filter((_, i) => statuses[i] === 404)
    }
    for (const [project, suite, expected] of [
      ['p4', 'null', [['p4', 'null']]],
      ['p4', '', [['p4', '']]],
      [
        'p4',
        null,
        [
          ['p4', null],
          ['p4', 's'],
          ['p4', 'null'],
          ['p4', ''],
        ],
      ],
      [
        '',
        null,
        [
          ['', 's'],
          ['', null],
        ],
      ],
      ['', 's', [['', 's']]],
      ['null', null, []],
    ] as const) {
      await spec.restrict(project, suite)
      expect(await hidden(), idOf(project, suite)).toEqual(expected)
      await spec.lift(project, suite)
    }
    expect(await hidden()).toEqual([])
  })

  it('reject names that no run can have', async () => {
    for (const name of ['x'.repeat(401), 'a%00b', 'é'.repeat(201)])
      expect(
        statusAndBody(await admin('PUT', `/sets/${name.includes('%') ? name : encodeURIComponent(name)}/restriction`)),
        name,
      ).toMatchObject([400, {}])
    for (const name of ['x'.repeat(400), 'a/b', ' ', '__proto__', '..%2F', '🎉']) {
      const path = `/sets/${name.includes('%') ? name : encodeURIComponent(name)}`
      expect(await put(admin, `${path}/restriction`), name).toBe(204)
      expect(await get(admin, `${path}/access`), name).toEqual([200, { restricted: true, grants: [] }])
      expect(await remove(admin, `${path}/restriction`), name).toBe(204)
    }
  })
})
