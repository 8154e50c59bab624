import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { parseInstant } from '../../../domain/instants.ts'
import { parseQuery } from '../../../http/requests/shared-parameters.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { localDirectory } from '../../../queries/cache/local.ts'
import { columnText } from '../../../domain/lists/column.ts'
import { CHANGE_FILTERS } from '../../../domain/lists/changes.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { theExample } from '../../support/documents/documents.ts'
import { openQueue } from '../../support/documents/queues.ts'
import { attach, digestOf, putPart, sendEvidence } from '../../support/documents/parts.ts'
import { postRubric } from '../../support/documents/rubrics.ts'
import { fillPath, routesOf } from '../../support/http/routes.ts'
import { runCount } from '../../support/random/runs.ts'

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: { readonly type?: string; readonly enum?: readonly string[] }
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>
}

const example = theExample()
/** A part of the run, which is also sent again. */
const PART = Buffer.from('part')
const NAMES = {
  id: example.run_id,
  other: example.run_id,
  case_key: '07f1c0919d4689f8',
  project: 'support-desk',
  suite: 'refunds',
  seq: '1',
  key: cacheKeyOf('one'),
  test_id: example.cases[0]?.cell.test_id ?? '',
  format: 'csv',
  n: '1',
  sha256: digestOf(PART),
}
const SECOND = 'second-run'
const TRANSCRIPT_PATHS = {
  outline: `/runs/:id/transcripts/${NAMES.sha256}/outline`,
  events: `/runs/:id/transcripts/${NAMES.sha256}/events`,
  find: `/runs/:id/transcripts/${NAMES.sha256}/find`,
} as const

/** Values of required parameters that accept only names of what is stored. */
const REQUIRED: Readonly<Record<string, string>> = {
  runs: `${example.run_id},${SECOND}`,
  test: encodeURIComponent(NAMES.test_id),
}

/** Values of each kind of parameter: `right` ones are accepted, `wrong` ones return 400. */
const KINDS: Readonly<Record<string, { readonly right: readonly string[]; readonly wrong: readonly string[] }>> = {
  limit: {
    right: ['1', '0', '-5', '007', '%2B3', '99999999999999999999999', '-0'],
    wrong: ['', 'abc', '1.5', '1e2', '0x10', '%201', '1%20', '+1', '١', 'null', 'true'],
  },
  // A rubric with one version.
  version: { right: ['1', '001', '%2B1'], wrong: ['', 'abc', '1.5', '1e2', '0x10', '%201', '+1', 'null'] },
  instant: {
    right: [
      '0',
      '-1',
      '1777885242250',
      '2026-05-04T09:00:42Z',
      '2026-05-04t09:00:42z',
      '2026-05-04T09:00:42.250%2B00:00',
      '2026-05-04T09:00:42+00:00',
      '2026-05-04T09:00:42.123456789-07:30',
      '2024-02-29T23:59:59Z',
      '0000-02-29T00:00:00Z',
    ],
    wrong: [
      '',
      'yesterday',
      '1.5',
      '%2B5',
      '1e3',
      '2026-05-04',
      '2026-05-04T09:00:42',
      '2026-05-04%2009:00:42Z',
      '2026-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-05-04T24:00:00Z',
      '2026-05-04T09:60:00Z',
      '2026-05-04T09:00:42%2B0000',
      '2026-05-04T09:00:42%2B24:00',
      '2026-5-4T09:00:42Z',
      'NaN',
      '%00',
    ],
  },
  cursor: {
    right: [
      '',
      'junk',
      '12',
      '1777885242250:01K2ZQ7C8V4T9E6M3B5N1R0WXA',
      ':',
      '-1:x',
      '1:',
      '%00',
      '%FF',
      '9'.repeat(400),
      `1:${'x'.repeat(400)}`,
    ],
    wrong: [],
  },
  window: {
    right: ['2', '20', '100', '007'],
    wrong: ['', '1', '101', '-2', '1.5', '2e1', '0x10', '%202', 'null'],
  },
  bound: {
    right: ['0', '-1', '1.5', '350', '1e3', '0.15000000000000002', '5e-7'],
    wrong: ['', 'x', '1,5', 'NaN', 'Infinity', '0x10', '%201', '1%20', '%00'],
  },
  /** A whole number that may not be negative. */
  count: {
    right: ['1', '0', '007', '%2B3', '99999999999999999999999', '-0'],
    wrong: ['', '-5', 'abc', '1.5', '1e2', '0x10', '%201', '1%20', '+1', '١', 'null', 'true'],
  },
  /** Text that the log records, which has no NUL. */
  recorded: {
    right: ['', 'x', '%20', '+', '%', '%zz', '%FF', '%F0%9F%98%80', '%22%27%3B--', '*', 'unknown', 'x'.repeat(2000)],
    wrong: ['%00', 'a%00b'],
  },
  text: {
    right: [
      '',
      'x',
      '%20',
      '+',
      '%',
      '%zz',
      '%FF',
      '%00',
      '%F0%9F%98%80',
      '%22%27%3B--',
      '*',
      'unknown',
      'x'.repeat(2000),
    ],
    wrong: [],
  },
}
/** The path of the outputs of one test. */
const OF_TEST = `/api/v1/runs/${NAMES.id}/tests/${encodeURIComponent(NAMES.test_id)}`
const { provider_id, prompt_id } = example.cases[0]?.cell ?? { provider_id: '' }
const [PROVIDER, COLUMN] = [{ provider_id }, { provider_id, prompt_id: prompt_id ?? null }].map((column) =>
  encodeURIComponent(columnText(column)),
) as [string, string]
const OF_COLUMN = { right: [PROVIDER, COLUMN], wrong: ['', 'unknown', `${PROVIDER},unknown`, 'a,b,c', '%25', '%25zz'] }
/** Kinds of the statistics, by path and name, or by name. */
const KINDS_OF_STATISTICS: typeof KINDS = {
  k: { right: ['1', '4', '1000'], wrong: ['', '0', '-1', '1001', '1.5', '%2B1', 'x'] },
  [`/api/v1/runs/${NAMES.id}/compare/${NAMES.other}/groups by`]: {
    right: ['tag', 'var.city'],
    wrong: ['', 'x', 'Tag', 'tags', 'var', 'var.'],
  },
  cluster_by: { right: ['test'], wrong: ['', 'x', 'Test', 'tag', 'tag:', 'var:', 'tag:none', 'var:none'] },
  ...Object.fromEntries(
    ['calibration', `compare/${NAMES.other}/calibration`].map((read) => [
      `/api/v1/runs/${NAMES.id}/${read} metric`,
      { right: ['llm-rubric'], wrong: ['', 'x', 'LLM-rubric', '%00'] },
    ]),
  ),
  target: { right: ['case', 'metric'], wrong: ['', 'x', 'Case', 'case,metric', 'null'] },
  ...Object.fromEntries(
    Object.values(TRANSCRIPT_PATHS).map((path) => [
      `/api/v1${path.replace(':id', NAMES.id)} from`,
      KINDS['limit'] ?? { right: [], wrong: [] },
    ]),
  ),
  message: KINDS['limit'] ?? { right: [], wrong: [] },
  span: KINDS['limit'] ?? { right: [], wrong: [] },
  types: { right: ['tool', 'error,text', 'span,span_end'], wrong: ['', 'x', 'Tool', 'tool,', ',tool', 'tool tool'] },
  as_of: KINDS['count'] ?? { right: [], wrong: [] },
  filter: {
    right: ['differ', 'all', 'all_passed', 'all_failed', `worse:${SECOND}`, `better:${SECOND}`],
    wrong: ['', 'x', 'worse', 'worse:', 'worse:unknown', 'differ:x'],
  },
  cases: { right: [NAMES.case_key], wrong: ['%25zz', 'x,x', 'unknown', `${NAMES.case_key},unknown`] },
  [`/api/v1/runs/${NAMES.id}/compare/${NAMES.other}/cases filter`]: {
    right: CHANGE_FILTERS,
    wrong: ['', 'x', 'Worse', 'differ', `worse:${SECOND}`, 'worse,better'],
  },
  '/api/v1/compare runs': { right: [REQUIRED['runs'] ?? ''], wrong: ['', 'x', 'x,x', '%25,x', '1,2,3,4,5,6,7,8,9'] },
  '/api/v1/run-changes runs': { right: ['x', REQUIRED['runs'] ?? ''], wrong: ['x,x', '%25,%'] },
  '/api/v1/compare/outputs runs': { right: [REQUIRED['runs'] ?? ''], wrong: ['', 'x', 'x,x', '%25,x'] },
  '/api/v1/compare/outputs test': { right: [REQUIRED['test'] ?? ''], wrong: [] },
  '/api/v1/compare/outputs against': { right: [SECOND], wrong: ['', 'unknown'] },
  // A branch without a run has no badge, and a key that is none opens none.
  '/api/v1/projects/support-desk/suites/refunds/badge.svg key': { right: [], wrong: [] },
  '/api/v1/projects/support-desk/suites/refunds/badge.svg branch': { right: ['main'], wrong: [] },
  '/api/v1/projects/support-desk/suites/refunds/badge.svg label': {
    right: ['x', '%20', '%3Cb%3E', '%F0%9F%98%80', 'x'.repeat(40)],
    wrong: ['x'.repeat(41)],
  },
  [`${OF_TEST} against`]: { right: [NAMES.case_key], wrong: ['', 'unknown'] },
  [`/api/v1/runs/${NAMES.id}/share.html compare`]: { right: [SECOND], wrong: [] },
  [`/api/v1/runs/${NAMES.id}/share.html case`]: { right: [NAMES.case_key], wrong: [] },
  [`/api/v1/runs/${NAMES.id}/share.html without`]: {
    right: ['outputs', 'outputs,vars,prompts,raw'],
    wrong: ['', 'x', 'Outputs', 'outputs,', 'outputs, vars', 'null'],
  },
  [`/api/v1/runs/${NAMES.id}/share.html with`]: { right: ['comments'], wrong: ['', 'x', 'Comments', 'comments,'] },
  base_column: OF_COLUMN,
  head_column: OF_COLUMN,
  column: OF_COLUMN,
  [`/api/v1/runs/${NAMES.id}/leaderboard base`]: { right: [COLUMN], wrong: OF_COLUMN.wrong },
  '/api/v1/compare base': { right: [SECOND], wrong: ['', 'unknown'] },
}

const kindOf = (
  { name, schema }: Parameter,
  path: string,
): { readonly right: readonly string[]; readonly wrong: readonly string[] } => {
  const ofStatistics = KINDS_OF_STATISTICS[`${path} ${name}`] ?? KINDS_OF_STATISTICS[name]
  if (ofStatistics) return ofStatistics
  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  if (values) {
    return {
      right: values,
      wrong: [
        '',
        'unknown',
        'null',
        '1',
        '%20',
        '__proto__',
        ...values.flatMap((value) => [value.toUpperCase(), `${value}%20`, `${value},${value}`]),
      ],
    }
  }
  if (name === 'offset') return KINDS['count'] ?? { right: [], wrong: [] }
  if (path === '/api/v1/cache/prune')
    return KINDS[schema.type === 'integer' ? 'count' : 'recorded'] ?? { right: [], wrong: [] }
  if (name === 'days' || name.endsWith('_cost_microusd') || (name === 'runs' && schema.type === 'integer'))
    return KINDS['limit'] ?? { right: [], wrong: [] }
  return (
    KINDS[name] ??
    (['since', 'until', 'unused_since'].includes(name)
      ? KINDS['instant']
      : /_(?:from|below)$/.test(name)
        ? KINDS['bound']
        : KINDS['text']) ?? { right: [], wrong: [] }
  )
}
afterAll(() => spec.close())

const status = async (path: string) => (await spec.sendAs('admin')('GET', path)).statusCode
/** Reads for identity providers, of which none is configured. */
const OF_PROVIDERS = [
  '/api/v1/auth/oidc/none/start',
  '/api/v1/auth/oidc/none/callback',
  '/api/v1/auth/saml/none/start',
  '/api/v1/auth/saml/none/metadata',
]
/** Without a signer these are 404; specs of their own check their parameters. */
const isOfLog = (path: string): boolean => path.startsWith('/api/v1/log/') || path.endsWith('/receipt')
/** Routes that return what belongs to the caller's account. A static token has none. */
const isOfAccount = (path: string): boolean =>
  /^\/api\/v1\/(?:apikeys|auth\/sessions|review|views|webhooks)(?:\/|$)/.test(path)
const everyGetRoute = () =>
  Object.entries(document.paths)
    .filter(([, methods]) => methods['get'])
    .map(([path, methods]) => {
      const query = (methods['get']?.parameters ?? []).filter((parameter) => parameter.in === 'query')
      const required = query
        .filter((parameter) => parameter.required)
        .map(({ name }) => `${name}=${REQUIRED[name] ?? 'x'}`)
      // Its columns are those of a comparison.
      if (path.endsWith('/share.html')) required.push(`compare=${SECOND}`)
      const id = path.startsWith('/api/v1/users/')
        ? owner.user_id
        : path.startsWith('/api/v1/plans/')
          ? plan_id
          : path.startsWith('/api/v1/rubrics/')
            ? rubric_id
            : path.startsWith('/api/v1/review-queues/')
              ? 'queue'
              : NAMES.id
      const names = { ...NAMES, id }
      return { path: fillPath(path, names).replace(encodeURIComponent(NAMES.key), NAMES.key), query, required }
    })
/** All GET routes that a static token may use. */
const getRoutes = () =>
  everyGetRoute().filter(({ path }) => !isOfAccount(path) && !OF_PROVIDERS.includes(path) && !isOfLog(path))
const localCache = localDirectory({
  snapshot: async () => ({ entries: [], truncated: false }),
  read: async () => ({ bytes: aBody(), modified_at: 0 }),
})
const spec = await openApp({ mode: 'open', parts: () => ({ localCache }) })
await spec.ingest(example)
await spec.ingest({ ...example, run_id: SECOND })
await spec.service.commit.placeHold(SYSTEM, {
  hold_id: NAMES.id,
  run_id: NAMES.id,
  project: null,
  suite: null,
  reference: 'case-1',
  note: null,
})
const sender = spec.sendAs('admin')
await attach(
  sender,
  example.run_id,
  await sendEvidence(sender, [
    { bytes: PART, role: 'original' },
    { bytes: PART, role: 'transcript', case_key: NAMES.case_key },
  ]),
)
await putPart(sender, PART)
const owner = await spec.addUser('owner')
const plan = await spec.sendAs('write')('POST', '/plans', {
  headers: { 'content-type': 'application/json' },
  body: { project: 'support-desk', suite: 'refunds', text: 'the plan' },
})
const plan_id = plan.json<{ id: string }>().id
const rubric_id = await postRubric(spec.sendAs('write'), { project: 'support-desk', suite: 'refunds' })
const REVIEWED = { queue_id: 'queue', project: 'support-desk', suite: 'refunds' } as const
await openQueue(spec, { ...REVIEWED, rubric_id, people: [{ name: owner.user_id, role: 'reviewer' }] })
// Only a closed queue shows the states of its items.
await spec.service.commit.closeReviewQueue(SYSTEM, { queue_id: 'queue', set: REVIEWED })
await spec.sendAs(null)('PUT', `/cache/${NAMES.key}`, { body: aBody() })
const document = (await spec.sendAs(null)('GET', '/openapi.json')).json<Document>()

describe('query parameters', () => {
  it('are documented as the reference lists them', () => {
    const documented = Object.fromEntries(
      everyGetRoute().flatMap(({ path, query }) =>
        query.length === 0
          ? []
          : [
              [
                path.replace(example.run_id, ':id').replace('/api/v1', ''),
                query
                  .map(({ name }) => name)
                  .sort()
                  .join(' '),
              ],
            ],
      ),
    )
    expect(documented).toEqual({
      '/access': 'cursor limit open project user_id',
      '/audit': 'actor cursor limit since stream type until',
      '/holds': 'cursor limit standing',
      '/audit/export': 'actor full since stream type until',
      '/cache/entries':
        'cursor empty_reason kind limit max_cost_microusd min_cost_microusd model order q since sort ' + 'tier until',
      [`/cache/entries/${NAMES.key}`]: 'raw tier',
      [`/cache/entries/${NAMES.key}/runs`]: 'cursor limit',
      '/cache/facets': 'tier',
      '/cache/overview': 'days',
      '/cache/prune': 'empty_reason kind model newer_than_days older_than_days target_bytes',
      '/compare': 'base cursor filter limit runs',
      '/run-changes': 'runs',
      '/compare/outputs': 'against runs test',
      '/projects/support-desk/suites/refunds/trend': 'branch',
      '/runs/:id/statistics': 'cluster_by column k',
      '/runs/:id/calibration': 'as_of cluster_by metric target',
      '/runs/:id/leaderboard': 'base by',
      [`/runs/:id/compare/${example.run_id}/calibration`]: 'as_of cluster_by metric target',
      [`/runs/:id/compare/${example.run_id}/statistics`]: 'base_column cluster_by head_column',
      [`/runs/:id/compare/${example.run_id}/cases`]:
        'base_column case cursor field filter head_column limit order provider q sort tag',
      [`/runs/:id/compare/${example.run_id}/groups`]: 'base_column by head_column',
      [`/runs/:id/tests/${encodeURIComponent(NAMES.test_id)}`]: 'against cases',
      '/log/checkpoint': 'cosigned',
      '/log/checkpoints': 'cursor limit',
      '/log/consistency': 'from to',
      '/log/proof/none': 'size',
      '/log/records/1/receipt': 'cosigned',
      '/runs/:id/receipt': 'cosigned evidence',
      '/events/stream': 'after project suite',
      '/runs': 'actor branch cached cursor limit order origin project provider since sort status suite tag until',
      '/runs.csv': 'actor bom branch cached order origin project provider since sort status suite tag until',
      '/runs/:id/case-rows':
        'around cached empty_reason error_class field fields latency_below latency_from limit offset order prompt ' +
        'provider q score_below score_from sort status stop_reason tag test',
      '/runs/:id/case-fields':
        'by cached empty_reason error_class field latency_below latency_from prompt provider q ' +
        'score_below score_from status stop_reason tag test',
      '/runs/:id/cases':
        'cached cursor empty_reason error_class field limit order prompt provider q sort status stop_reason ' +
        'tag test',
      '/runs/:id/cases.csv':
        'bom cached empty_reason error_class field latency_below latency_from order prompt provider q ' +
        'score_below score_from sort status stop_reason tag test',
      '/runs/:id/distribution/cases':
        'cached cursor empty_reason error_class field latency_below latency_from limit order prompt provider q ' +
        'score_below score_from sort status stop_reason tag test',
      '/runs/:id/annotations': 'cursor limit',
      '/runs/:id/comments': 'case cursor limit',
      '/runs/:id/matrix': 'cursor limit',
      '/runs/:id/matrix/rows': 'cursor limit only sort value',
      '/search': 'cached limit q',
      '/search/cases': 'cursor limit project q status suite',
      '/search/comments': 'cursor limit project q suite',
      '/search/runs': 'cursor limit project q suite',
      [`/projects/support-desk/suites/refunds/cases/${NAMES.case_key}/history`]: 'limit',
      [`/projects/support-desk/suites/refunds/cases/${NAMES.case_key}/timeline`]: 'cursor limit',
      '/projects/support-desk/suites/refunds/badge.svg': 'branch key label metric',
      '/projects/support-desk/suites/refunds/flakiness': 'branch window',
      '/projects/support-desk/suites/refunds/grid': 'branch cursor fold limit measure order q runs',
      '/overview': 'archived attention cursor limit owner project q',
      '/auth/oidc/none/start': 'return_to',
      '/auth/saml/none/start': 'return_to',
      '/users/apikeys': 'cursor limit order q scope sort state unused_since user_id',
      '/views': 'format',
      '/runs/:id/export/csv': 'bom raw',
      '/runs/:id/share.html': 'base_column case compare full head_column with without',
      [TRANSCRIPT_PATHS.outline]: 'from limit span types',
      [TRANSCRIPT_PATHS.events]: 'from limit message span types',
      [TRANSCRIPT_PATHS.find]: 'from limit q',
      '/webhooks/:id/deliveries': 'cursor limit',
      '/plans': 'cursor limit project suite',
      '/rubrics': 'cursor limit project suite',
      [`/rubrics/${rubric_id}`]: 'version',
      '/review/labels/:id/receipt': 'cosigned',
      '/review-queues': 'cursor limit project state suite',
      '/review-queues/queue/items': 'cursor differs final limit state verdict',
      [`/plans/${plan_id}/receipt`]: 'cosigned',
      '/sets/support-desk/accounts': 'name',
      '/sets/support-desk/suites/refunds/accounts': 'name',
    })
  })

  it('are accepted when valid and rejected with 400 when malformed, everywhere', async () => {
    for (const { path, query, required } of getRoutes()) {
      expect(await status(`${path}?${required.join('&')}`), path).toBe(200)
      for (const parameter of query) {
        const otherRequired = required.filter((part) => !part.startsWith(`${parameter.name}=`))
        const { right, wrong } = kindOf(parameter, path)
        for (const value of right)
          expect(
            await status(`${path}?${[...otherRequired, `${parameter.name}=${value}`].join('&')}`),
            `${path} ${parameter.name}=${value}`,
          ).toBe(200)
        for (const value of wrong)
          expect(
            await status(`${path}?${[...otherRequired, `${parameter.name}=${value}`].join('&')}`),
            `${path} ${parameter.name}=${value}`,
          ).toBe(400)
      }
    }
  })

  it('are named in the error', async () => {
    for (const { path, query, required } of getRoutes()) {
      for (const parameter of query) {
        const [wrong] = kindOf(parameter, path).wrong
        if (wrong === undefined) continue
        const { error } = (
          await spec.sendAs(null)('GET', `${path}?${[...required, `${parameter.name}=${wrong}`].join('&')}`)
        ).json<{ error: string }>()
        expect(error).toContain(parameter.name)
      }
    }
  })

  it('are rejected when repeated, even with the same value, except those that select several', async () => {
    for (const { path, query, required } of getRoutes()) {
      for (const parameter of query) {
        if (path === '/api/v1/overview' && parameter.name === 'project') continue
        const value = kindOf(parameter, path).right[0]
        const otherRequired = required.filter((part) => !part.startsWith(`${parameter.name}=`))
        const pair = `${parameter.name}=${value}&${parameter.name}=${value}`
        expect(await status(`${path}?${[...otherRequired, pair].join('&')}`), `${path}?${pair}`).toBe(400)
      }
    }
  })

  it('of what belongs to an account are checked too', async () => {
    const { send } = owner
    const statusOf = async (path: string) => (await send('GET', path)).statusCode
    expect(await statusOf('/views')).toBe(200)
    expect(await statusOf('/views?format=json')).toBe(200)
    expect((await send('GET', '/views?format=csv')).json<{ error: string }>().error).toContain('format')
    for (const value of ['', 'csv', 'JSON', 'json%20', 'json,json', 'json&format=json'])
      expect(await statusOf(`/views?format=${value}`), value).toBe(400)
  })

  it('are rejected when a required one is missing', async () => {
    expect(await status('/search')).toBe(400)
    expect(await status('/search?limit=1')).toBe(400)
  })

  it('are rejected when unknown, on every endpoint', async () => {
    for (const { method, url } of routesOf(spec.app)) {
      // A provider adds parameters of its own.
      if (/\/(?:callback|acs)$/.test(url)) continue
      for (const name of [
        'unknown',
        'Limit',
        'limit[]',
        '__proto__',
        'constructor',
        'hasOwnProperty',
        '%20limit',
        'limit%00',
        '',
      ]) {
        const answer = await spec.app.inject({
          method: method as 'GET',
          url: `${fillPath(url, NAMES)}?${name}=1`,
          headers: { authorization: TOKENS.admin },
        })
        expect(answer.statusCode, `${method} ${url}?${name}`).toBe(400)
      }
    }
  })

  it('are checked before the resource is looked up', async () => {
    expect(await status('/runs/none?x=1')).toBe(400)
    expect(await status('/runs/none/cases?limit=x')).toBe(400)
    expect(await status('/sets/none?x=1')).toBe(400)
    expect(await status('/projects/none/suites/none/cases/none/history?limit=')).toBe(400)
  })

  it('can be empty', async () => {
    for (const query of ['?', '?&', '?&&']) expect(await status(`/runs${query}`)).toBe(200)
  })

  /** These reads take the ids of runs, a test or a case as parameters, which may not exist. */
  const statusesOf = (path: string): number[] =>
    path.startsWith('/api/v1/compare') || /\/(?:badge\.svg|share\.html)$/.test(path) ? [200, 400, 404] : [200, 400]

  it('never cause a server error, with any value', async () => {
    const routes = getRoutes().filter(({ query }) => query.length > 0)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.infiniteStream(fc.string({ unit: 'binary', maxLength: 12 })),
        fc.array(fc.nat(20), { maxLength: 4 }),
        async ({ path, query, required }, values, picks) => {
          const parts = picks.map(
            (pick) =>
              `${query[pick % query.length]?.name}=${encodeURIComponent(String(values.next().value).toWellFormed())}`,
          )
          expect(statusesOf(path)).toContain(await status(`${path}?${[...required, ...parts].join('&')}`))
        },
      ),
      { numRuns: runCount(300) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.string({ unit: fc.constantFrom(...'%+&=;/?[]{}"\\ax0F') }),
        async ({ path }, query) => {
          expect(statusesOf(path)).toContain(await status(`${path}?${query.replaceAll(' ', '')}`))
        },
      ),
    )
  })
})

describe('form decoding', () => {
  it('reads + and %20 as spaces and keeps incomplete escapes', () =>
    expect({ ...parseQuery('a=x+y%20z&b=100%&c=%2B%26%3D&d') }).toEqual({ a: 'x y z', b: '100%', c: '+&=', d: '' }))

  it('decodes a value as far as possible when some bytes are not UTF-8', () =>
    expect(parseQuery('a=caf%C3%A9%20%FF%')['a']).toBe('café \uFFFD%'))

  it('reverses the form encoding of any well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (name, value) => {
        const text = value.toWellFormed()
        expect(parseQuery(String(new URLSearchParams([[name, text]])))[name]).toBe(text)
      }),
    )
  })

  it('selects runs by decoded names', async () => {
    await spec.ingest({ ...theExample(), run_id: 'spaced', project: 'a b+c é%2F', suite: '' })
    const idsFor = async (query: string) =>
      (await spec.sendAs(null)('GET', `/runs?${query}`))
        .json<{ runs: Array<{ id: string }> }>()
        .runs.map(({ id }) => id)
    expect(await idsFor('project=a+b%2Bc%20%C3%A9%252F')).toEqual(['spaced'])
    expect(await idsFor('suite=')).toEqual(['spaced'])
    expect(await idsFor('project=')).toEqual([])
    expect(await idsFor('project=A+b%2Bc%20%C3%A9%252F')).toEqual([])
  })
})

describe('instants', () => {
  it('are equal in every spelling', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true }),
        fc.integer({ min: -1439, max: 1439 }),
        (date, offset) => {
          const sign = offset < 0 ? '-' : '+'
          const zone = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
            .map((part) => String(part).padStart(2, '0'))
            .join(':')
          const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
          expect(parseInstant(`${local}${sign}${zone}`)).toBe(date.getTime())
          // An unescaped + arrives as a space.
          if (sign === '+') expect(parseInstant(`${local} ${zone}`)).toBe(date.getTime())
          expect(parseInstant(String(date.getTime()))).toBe(date.getTime())
          expect(parseInstant(date.toISOString())).toBe(date.getTime())
        },
      ),
    )
  })

  it('are rounded down to milliseconds', () => expect(parseInstant('2026-05-04T09:00:42.2509999Z')).toBe(1777885242250))
})
