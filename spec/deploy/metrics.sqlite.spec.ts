import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startServer, type RunningServer } from '../support/servers/server.ts'

const textOf = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}
const { groups } = parse(textOf('deploy/alerts.yaml')) as { readonly groups: ReadonlyArray<{ rules: readonly Rule[] }> }
const RULES = groups.flatMap(({ rules }) => rules)

type Panel = {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets: ReadonlyArray<{ readonly refId: string; readonly expr: string }>
}
const DASHBOARDS = globSync('deploy/grafana/*.json', { cwd: fileURLToPath(new URL('../..', import.meta.url)) }).map(
  (file) => JSON.parse(textOf(file)) as { readonly uid: string; readonly panels: readonly Panel[] },
)
const PANELS = DASHBOARDS.flatMap(({ panels }) => panels)
const EXPRESSIONS = [
  ...RULES.map(({ alert, expr }) => ({ of: alert, expr })),
  ...PANELS.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
]

/** What PromQL itself knows, of what is used here. */
const WORDS = new Set('and changes sum max rate topk histogram_quantile'.split(' '))
/** Labels and metrics that Prometheus adds to what it collects. */
const ADDED = ['instance', 'job']
type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>> }
const UP: Sample = { name: 'up', labels: {} }

type Selector = {
  readonly name: string
  readonly matchers: ReadonlyArray<readonly [label: string, operator: string, value: string]>
}

/** The metrics that an expression selects, and the labels that it groups by. */
const read = (expr: string): { readonly selectors: readonly Selector[]; readonly grouped: readonly string[] } => {
  const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  const selectors = [
    ...expr
      .replaceAll(/\b(?:by|on) \([^)]*\)|\[[^[\]]*\]/g, '')
      .matchAll(/\b([a-z_][a-z_0-9]*)\b(?:\{([^}]*)\})?(?![^{]*")/g),
  ]
    .map(([, name = '', inner = '']) => ({
      name,
      matchers: [...inner.matchAll(/\b([a-z_]+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => [label, operator, value] as const,
      ),
    }))
    .filter(({ name }) => !WORDS.has(name))
  return { selectors, grouped }
}

let server: RunningServer
let samples: readonly Sample[]
beforeAll(async () => {
  server = await startServer({ env: { SERVICE_SECRET_KEY: randomBytes(32).toString('base64') } })
  const headers = { authorization: `Bearer ${server.token}` }
  const ask = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, { headers, ...init })
  await (await ask('/api/v1/runs')).arrayBuffer()
  await (await ask('/api/v1/runs', { method: 'POST', body: '{}' })).arrayBuffer()
  const text = await (await ask('/metrics')).text()
  samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', inner = ''] = /^([a-zA-Z_:][a-zA-Z_:0-9]*)(?:\{(.*)\})? /.exec(line) ?? []
      const labels = [...inner.matchAll(/\b([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
      return { name, labels: Object.fromEntries(labels.map(([, label = '', value = '']) => [label, value])) }
    })
})
afterAll(() => server.stop())

describe('alerts and dashboards', () => {
  it('are there, and each says what to do', () => {
    expect(RULES.length).toBeGreaterThan(8)
    expect(PANELS.length).toBeGreaterThan(8)
    for (const { alert, labels, annotations } of RULES) {
      expect(['critical', 'warning'], alert).toContain(labels.severity)
      expect(annotations.summary, alert).toMatch(/\.$/)
      expect(annotations.description, alert).toMatch(/\.$/)
    }
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length)
  })

  it('read expressions as Prometheus does, as far as they are used here', () => {
    expect(read('sum by (le, a) (rate(x_bucket{a="1", b=~"2|3"}[5m])) / up > 2.5e9')).toEqual({
      selectors: [
        {
          name: 'x_bucket',
          matchers: [
            ['a', '=', '1'],
            ['b', '=~', '2|3'],
          ],
        },
        { name: 'up', matchers: [] },
      ],
      grouped: ['le', 'a'],
    })
  })

  it('name metrics and labels that /metrics prints', () => {
    for (const { of, expr } of EXPRESSIONS) {
      const { selectors, grouped } = read(expr)
      expect(selectors.length, of).toBeGreaterThan(0)
      const known = new Set(ADDED)
      for (const { name, matchers } of selectors) {
        const found = [...samples, UP].filter((sample) => sample.name === name)
        expect(found.length, `${of}: ${name}`).toBeGreaterThan(0)
        for (const { labels } of found) for (const label of Object.keys(labels)) known.add(label)
        for (const [label, operator, value] of matchers) {
          expect([...known], `${of}: ${name}`).toContain(label)
          // Statuses occur when there are such answers; other values are always there.
          if (operator === '=' && label !== 'status' && !ADDED.includes(label))
            expect(
              found.some(({ labels }) => labels[label] === value),
              `${of}: ${label}="${value}"`,
            ).toBe(true)
        }
      }
      for (const label of grouped) expect([...known], of).toContain(label)
    }
  })

  it('are described by the page that lists all metrics of the service', () => {
    const page = textOf('docs/maintenance.md')
    const own = new Set(samples.map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, '')))
    for (const name of own) if (!/^(?:process|nodejs)_/.test(name)) expect(page, name).toContain(`\`${name}\``)
  })

  it('have panels that do not overlap, with an id each', () => {
    for (const { panels } of DASHBOARDS) {
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      for (const [i, { title, description, gridPos: a }] of panels.entries()) {
        expect(description, title).not.toBe('')
        expect(a.x + a.w, title).toBeLessThanOrEqual(24)
        for (const { title: other, gridPos: b } of panels.slice(i + 1))
          expect(
            a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y,
            `${title}, ${other}`,
          ).toBe(true)
      }
    }
  })
})
