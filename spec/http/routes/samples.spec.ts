import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import type { Overview } from '../../../queries/sets/overview.ts'
import type { RunList } from '../../../queries/runs/run-list.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const NOW = Date.parse('2026-02-03T12:00:00Z')
const HOUR_MS = 3_600_000

const spec = await openApp({ now: () => NOW })
afterAll(() => spec.close())

const samples = async (method: 'POST' | 'DELETE') => {
  const { statusCode, body } = await spec.sendAs('admin')(method, '/samples')
  expect(statusCode).toBe(200)
  return JSON.parse(body) as unknown
}
const own = aDocument({ run_id: 'sample-mine', project: 'samples', suite: 'own' })

it('loads runs of the last days once, which show a regression and flaky cases', async () => {
  await spec.ingest(own)
  expect(await samples('POST')).toEqual({ project: 'samples', loaded: 41, already_there: 0 })
  expect(await samples('POST')).toEqual({ project: 'samples', loaded: 0, already_there: 41 })

  const { suites, projects } = await spec.getJson<Overview>('/overview?project=samples&limit=4')
  expect(projects).toEqual([{ project: 'samples', suite_count: 10 }])
  expect(suites.filter(({ suite }) => suite !== own.suite).map(({ suite, reason }) => [suite, reason.code])).toEqual([
    ['mini-agi', 'worse'],
    ['beebot', 'flaky'],
    ['all-agents', 'first_run'],
  ])
  const [worst] = suites
  expect(worst).toMatchObject({ worse: 8, better: 0, lost: 14 })
  // The newest run ended two hours ago, and the gaps between runs stay: the first one is a week older.
  const { runs } = await spec.getJson<RunList>('/runs?project=samples&suite=mini-agi&limit=50')
  const ages = runs.map(({ created_at }) => NOW - Date.parse(created_at))
  expect([Math.min(...ages) / HOUR_MS, Math.round(Math.max(...ages) / HOUR_MS)]).toEqual([2, 183])
  const { config } = await spec.getJson<{ config: { sample: { note: string } } }>(`/runs/${runs[0]!.id}/config`)
  expect(config.sample.note).toContain('its times are moved')
})

it('removes exactly the samples, but for those under legal hold', async () => {
  const { runs } = await spec.getJson<RunList>('/runs?project=samples&suite=airline')
  const { statusCode } = await spec.sendAs('admin')('POST', '/holds', {
    body: { reference: 'case-7', run_id: runs[0]!.id },
  })
  expect([200, 201]).toContain(statusCode)
  expect(await samples('DELETE')).toEqual({ removed: 40, held: 1 })
  expect(await samples('DELETE')).toEqual({ removed: 0, held: 1 })
  const left = await spec.getJson<RunList>('/runs?project=samples')
  expect(left.runs.map(({ id }) => id).toSorted()).toEqual([own.run_id, runs[0]!.id].toSorted())
  // A removal frees the ids.
  expect(await samples('POST')).toEqual({ project: 'samples', loaded: 40, already_there: 1 })
})

it('has only files whose licence allows it: those of spec/data, and one suite of the same origin', () => {
  const contents = (folder: string) =>
    new Map(
      globSync('**/*.json.gz', { cwd: `${ROOT}${folder}` }).map((path) => [
        readFileSync(`${ROOT}${folder}/${path}`).toString('base64'),
        path,
      ]),
    )
  const known = contents('spec/data')
  const other = [...contents('samples')].flatMap(([content, path]) => (known.has(content) ? [] : [path]))
  expect(other).toHaveLength(17)
  expect(other.filter((path) => !path.startsWith('mini-agi/'))).toEqual([])
})
