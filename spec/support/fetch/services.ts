import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SAMPLES } from '../interchange/import-files.ts'
import { NOT_FOUND, type StandInAnswer, type StandInRequest } from './stand-in.ts'

type Row = Readonly<Record<string, unknown>>
type Answer = (request: StandInRequest) => StandInAnswer

const linesOf = (path: string): readonly Row[] =>
  readFileSync(join(SAMPLES, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

const textOf = (row: Row | undefined, key: string): string => {
  const value = row?.[key]
  return typeof value === 'string' ? value : ''
}

/** Rows in each page of the stand-ins. */
const PAGE = 2

/** A page by a cursor that is an offset in disguise. */
const cursorPage = (rows: readonly Row[], cursor: string | null) => {
  const at = Number((cursor ?? 'c0').slice(1))
  const next = at + PAGE < rows.length ? `c${at + PAGE}` : null
  return { rows: rows.slice(at, at + PAGE), next }
}

/** Lists of LangSmith: as many as asked for from an offset. */
const offsetPage = (rows: readonly Row[], query: URLSearchParams): StandInAnswer => {
  const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
  return { json: rows.slice(offset, offset + limit) }
}

const langfuse = (): Answer => {
  const pages = linesOf('langfuse/experiment-items.jsonl')
  const items = pages.flatMap(({ data }) => data as readonly Row[])
  const experiment = { id: 'exp-1', name: 'table-small', startTime: '2026-03-02T09:00:00Z', itemCount: items.length }
  return ({ path, query }) => {
    if (!query.has('fromStartTime')) return { status: 400, json: { message: 'fromStartTime is required' } }
    if (path === '/api/public/experiments') return { json: { data: [experiment], meta: {} } }
    if (path !== '/api/public/experiment-items' || query.get('experimentId') !== 'exp-1') return NOT_FOUND
    const { rows, next } = cursorPage(items, query.get('cursor'))
    return { json: { data: rows, meta: next === null ? {} : { cursor: next } } }
  }
}

/** The same items as version 3 has them: a dataset run, traces with their scores, and dataset items. */
const langfuse3 = (): Answer => {
  const items = linesOf('langfuse/experiment-items.jsonl').flatMap(({ data }) => data as readonly Row[])
  const run = {
    id: 'run-1',
    name: 'a/b run',
    datasetId: 'ds-1',
    datasetName: 'geo / small',
    createdAt: '2026-03-02T09:00:00Z',
  }
  const runItems = items.map((item, n) => ({
    ...{ id: `ri-${n}`, datasetRunId: run.id, datasetRunName: run.name, createdAt: run.createdAt },
    ...{ datasetItemId: item['experimentItemId'], traceId: item['traceId'], observationId: null },
  }))
  const traces = new Map(
    items.map((item) => [
      textOf(item, 'traceId'),
      {
        ...{
          id: item['traceId'],
          timestamp: item['startTime'],
          htmlPath: '/trace',
          input: item['input'],
          output: item['output'],
        },
        ...{ latency: 1.5, scores: item['scores'] ?? [], tags: [], metadata: {} },
        observations: [
          {
            ...{ id: 'o', type: 'GENERATION', model: 'table-small', usageDetails: { input: 20, output: 8 } },
            ...{ level: item['level'], statusMessage: item['statusMessage'] ?? null, parentObservationId: null },
          },
        ],
      },
    ]),
  )
  const datasetItems = items.map((item) => ({
    ...{ id: item['experimentItemId'], datasetId: 'ds-1', datasetName: run.datasetName },
    ...{ input: item['input'], expectedOutput: item['expectedOutput'] ?? null },
  }))
  const page = (rows: readonly unknown[], query: URLSearchParams) => {
    const number = Number(query.get('page'))
    return {
      json: {
        data: rows.slice((number - 1) * PAGE, number * PAGE),
        meta: { page: number, limit: PAGE, totalItems: rows.length, totalPages: Math.ceil(rows.length / PAGE) },
      },
    }
  }
  return ({ path, query }) => {
    const trace = /^\/api\/public\/traces\/(.+)$/.exec(path)?.[1]
    if (trace !== undefined) return traces.has(trace) ? { json: traces.get(trace) } : NOT_FOUND
    if (path === '/api/public/v2/datasets') return page([{ id: 'ds-1', name: run.datasetName }], query)
    if (path === '/api/public/dataset-items') return page(datasetItems, query)
    const runs = `/api/public/datasets/${encodeURIComponent(run.datasetName)}/runs`
    if (path === runs) return page([run], query)
    if (path === `${runs}/${encodeURIComponent(run.name)}`) return { json: { ...run, datasetRunItems: runItems } }
    return NOT_FOUND
  }
}

/** A call of a model and a call of a tool in a root run. */
const stepsOf = (run: Row): Row[] =>
  ['llm', 'tool'].map((run_type, n) => ({
    ...run,
    id: `${textOf(run, 'id').slice(0, -4)}9${textOf(run, 'id').slice(-2)}${n}`,
    parent_run_id: run['id'],
    reference_example_id: null,
    name: `step ${n}`,
    run_type,
    inputs: { messages: [{ role: 'user', content: `question ${n}` }] },
    outputs: { choices: [{ message: { role: 'assistant', content: `answer ${n}` } }] },
    extra: {},
    feedback_stats: {},
  }))

const langsmith = (): Answer => {
  const runs = linesOf('langsmith/runs.jsonl')
  const steps = runs.flatMap(stepsOf)
  const feedback = linesOf('langsmith/feedback.jsonl')
  const examples = linesOf('langsmith/examples.jsonl')
  const [id, dataset] = [textOf(runs[0], 'session_id'), textOf(examples[0], 'dataset_id')]
  const session = { id, name: 'table-small-1', reference_dataset_id: dataset, start_time: '2026-03-02T09:00:00' }
  return ({ method, path, query, body }) => {
    if (method === 'POST' && path === '/runs/query') {
      if (JSON.stringify(body?.['session']) !== JSON.stringify([id])) return NOT_FOUND
      const { rows, next } = cursorPage(
        body?.['is_root'] === true ? runs : steps,
        (body?.['cursor'] as string | undefined) ?? null,
      )
      return { json: { runs: rows, cursors: { next } } }
    }
    if (path === '/sessions') return offsetPage([session], query)
    if (path === '/feedback') return offsetPage(query.get('session') === id ? feedback : [], query)
    if (path === '/examples') return offsetPage(query.get('dataset') === dataset ? examples : [], query)
    if (path === `/sessions/${id}`) return { json: session }
    if (path === `/datasets/${dataset}`)
      return { json: { id: dataset, name: 'geo', data_type: 'kv', session_count: 1, example_count: 3 } }
    return NOT_FOUND
  }
}

const braintrust = (): Answer => {
  const events = linesOf('braintrust/experiment-events.jsonl')
  const [id, project] = [textOf(events[0], 'experiment_id'), textOf(events[0], 'project_id')]
  const experiment = {
    ...{ id, project_id: project, name: 'table-small-1', public: false, created: '2026-03-02T09:00:00Z' },
    ...{ repo_info: { commit: 'abc1234', branch: 'main', dirty: true }, metadata: { model: 'table-small' } },
  }
  return ({ method, path, query, body }) => {
    if (path === '/v1/experiment') return { json: { objects: query.has('starting_after') ? [] : [experiment] } }
    if (path === `/v1/experiment/${id}`) return { json: experiment }
    if (path === `/v1/project/${project}`) return { json: { id: project, org_id: 'org-1', name: 'geo' } }
    if (method !== 'POST' || path !== `/v1/experiment/${id}/fetch`) return NOT_FOUND
    const { rows, next } = cursorPage(events, (body?.['cursor'] as string | undefined) ?? null)
    // After the last event there is one more page, without any.
    return { json: { events: rows, cursor: next ?? (rows.length > 0 ? `c${events.length}` : null) } }
  }
}

/** The spans of a trace, which begin with the last. */
const spansOf = (trace: string): Row[] =>
  ['LLM', 'AGENT'].map((span_kind, n) => ({
    ...{ id: `${trace}-${n}`, name: `span ${n}`, span_kind, context: { trace_id: trace, span_id: `s${n}` } },
    ...{ parent_id: n === 0 ? 's1' : null, start_time: `2026-11-22T05:01:3${8 - n}.5+00:00`, status_code: 'OK' },
    attributes: {
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': `question ${n}`,
    },
    events: [],
  }))

const phoenix = (): Answer => {
  const runs = readFileSync(join(SAMPLES, 'phoenix', 'base.json'), 'utf8')
  const dataset = { id: 'RGF0YXNldDox', name: 'Capitals', example_count: 3, metadata: {} }
  const experiment = {
    ...{ id: 'RXhwZXJpbWVudDox', dataset_id: dataset.id, dataset_version_id: 'v1', name: 'base', repetitions: 2 },
    ...{ metadata: { temperature: 0 }, created_at: '2026-11-22T05:00:00Z', project_name: 'Experiment-4f0c' },
  }
  const spans = (JSON.parse(runs) as readonly Row[]).flatMap((run) => spansOf(textOf(run, 'trace_id')))
  const empty = { ...experiment, id: 'RXhwZXJpbWVudDoy', name: 'not run yet' }
  return ({ path, query }) => {
    if (path === '/v1/datasets') return { json: { data: [dataset], next_cursor: null } }
    if (path === `/v1/datasets/${dataset.id}`) return { json: { data: dataset } }
    if (path === `/v1/datasets/${dataset.id}/experiments`)
      return {
        json: query.has('cursor') ? { data: [empty], next_cursor: null } : { data: [experiment], next_cursor: 'c1' },
      }
    if (path === `/v1/experiments/${experiment.id}`) return { json: { data: experiment } }
    if (path === `/v1/projects/${experiment.project_name}/spans`) {
      const { rows, next } = cursorPage(spans, query.get('cursor'))
      return { json: { data: rows, next_cursor: next } }
    }
    return path === `/v1/experiments/${experiment.id}/json` ? { text: runs } : NOT_FOUND
  }
}

const OTLP = (value: unknown): unknown =>
  typeof value === 'string'
    ? { string_value: value }
    : typeof value === 'number'
      ? { int_value: value }
      : { kvlist_value: { values: attributesOf(value as Row) } }

const attributesOf = (values: Row) => Object.entries(values).map(([key, value]) => ({ key, value: OTLP(value) }))

/** The trace of a file as the service has it: the search without spans, and spans as OpenTelemetry writes them. */
const mlflow = (): Answer => {
  type Trace = { readonly info: Row; readonly data: { readonly spans: readonly Row[] } }
  const traces = JSON.parse(readFileSync(join(SAMPLES, 'mlflow', 'traces.json'), 'utf8')) as readonly Trace[]
  const run = textOf(traces[0]?.info['trace_metadata'] as Row, 'mlflow.sourceRun')
  const info = {
    run_id: run,
    experiment_id: '1',
    run_name: 'first',
    status: 'FINISHED',
    start_time: 1795324143487,
    end_time: 1795324148925,
  }
  const spansOf = (trace: Trace) =>
    trace.data.spans.map(({ attributes, events, ...rest }) => ({
      ...rest,
      attributes: attributesOf(
        Object.fromEntries(Object.entries(attributes as Row).map(([key, value]) => [key, JSON.parse(value as string)])),
      ),
      events: (events as readonly Row[]).map((event) => ({
        ...event,
        attributes: attributesOf(event['attributes'] as Row),
      })),
    }))
  return ({ method, path, query, body }) => {
    if (path === '/api/2.0/mlflow/experiments/search')
      return { json: { experiments: [{ experiment_id: '1', name: 'capitals' }] } }
    if (path === '/api/2.0/mlflow/runs/search')
      return { json: { runs: [{ info }, { info: { ...info, run_id: 'classic' } }] } }
    if (path === '/api/2.0/mlflow/runs/get')
      return { json: { run: { info, data: { params: [{ key: 'temperature', value: '0' }], metrics: [], tags: [] } } } }
    if (path === '/api/2.0/mlflow/experiments/get')
      return { json: { experiment: { experiment_id: '1', name: 'capitals', lifecycle_stage: 'active' } } }
    if (method === 'POST' && path === '/api/3.0/mlflow/traces/search') {
      if (body?.['filter'] !== `attributes.run_id = '${run}'`) return { json: {} }
      const infos = traces.map((trace) => trace.info)
      const { rows, next } = cursorPage(infos, (body['page_token'] as string | undefined) ?? null)
      return { json: { traces: rows, ...(next !== null && { next_page_token: next }) } }
    }
    if (path !== '/api/3.0/mlflow/traces/batchGet') return NOT_FOUND
    const wanted = query.getAll('trace_ids')
    return {
      json: {
        traces: traces
          .filter((trace) => wanted.includes(textOf(trace.info, 'trace_id')))
          .map((trace) => ({ trace_info: trace.info, spans: spansOf(trace) })),
      },
    }
  }
}

const openai = (): Answer => {
  const page = JSON.parse(readFileSync(join(SAMPLES, 'openai-evals', 'hosted-output-items.json'), 'utf8')) as {
    readonly data: readonly Row[]
  }
  const [first] = page.data
  const [evaluation, run] = [textOf(first, 'eval_id'), textOf(first, 'run_id')]
  const items = [first!, { ...first, id: 'outputitem_2', datasource_item_id: 6, status: 'fail' }]
  const runs = `/v1/evals/${evaluation}/runs`
  const evalObject = { object: 'eval', id: evaluation, name: 'headlines', created_at: 1743092000, testing_criteria: [] }
  const runObject = { object: 'eval.run', id: run, eval_id: evaluation, name: 'first', created_at: 1743092010 }
  const list = (rows: readonly Row[], after: string | null): StandInAnswer => {
    const at = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1
    return { json: { object: 'list', data: rows.slice(at, at + 1), has_more: at + 1 < rows.length } }
  }
  return ({ path, query }) => {
    if (path === '/v1/evals') return list([evalObject], query.get('after'))
    if (path === `/v1/evals/${evaluation}`) return { json: evalObject }
    if (path === runs) return list([runObject], query.get('after'))
    if (path === `${runs}/${run}`) return { json: runObject }
    return path === `${runs}/${run}/output_items` ? list(items, query.get('after')) : NOT_FOUND
  }
}

/** Secrets of the stand-ins. */
export const CANARY = 'canary-secret-0123456789'

type Service = {
  readonly tool: string
  /** What is after the address of the server. */
  readonly base?: string
  readonly answer: () => Answer
  readonly env: Readonly<Record<string, string>>
  /** The header that a request must have. */
  readonly header: readonly [name: string, value: string]
  /** What an import gives: pass / fail / error / skip. */
  readonly counts: string
  readonly suite: string
}

const BEARER = ['authorization', `Bearer ${CANARY}`] as const
const basicOf = (user: string) => `Basic ${Buffer.from(`${user}:${CANARY}`).toString('base64')}`
const LANGFUSE = {
  tool: 'langfuse',
  env: { LANGFUSE_PUBLIC_KEY: 'pk-1', LANGFUSE_SECRET_KEY: CANARY },
  header: ['authorization', basicOf('pk-1')],
} as const

/** Every service with the sample of its tool. */
export const SERVICES: Readonly<Record<string, Service>> = {
  langfuse: { ...LANGFUSE, answer: langfuse, counts: '1 / 1 / 1 / 0', suite: 'ds-1' },
  'langfuse 3': { ...LANGFUSE, answer: langfuse3, counts: '1 / 1 / 1 / 0', suite: 'geo / small' },
  langsmith: {
    ...{ tool: 'langsmith', answer: langsmith, env: { LANGSMITH_API_KEY: CANARY }, header: ['x-api-key', CANARY] },
    ...{ counts: '2 / 2 / 1 / 0', suite: 'geo' },
  },
  braintrust: {
    ...{ tool: 'braintrust', answer: braintrust, env: { BRAINTRUST_API_KEY: CANARY }, header: BEARER },
    ...{ counts: '2 / 0 / 1 / 0', suite: 'geo' },
  },
  phoenix: {
    ...{ tool: 'phoenix', answer: phoenix, env: { PHOENIX_API_KEY: CANARY }, header: BEARER },
    ...{ counts: '2 / 0 / 4 / 0', suite: 'Capitals' },
  },
  mlflow: {
    ...{ tool: 'mlflow', answer: mlflow, counts: '1 / 0 / 2 / 0', suite: 'capitals' },
    env: { MLFLOW_TRACKING_USERNAME: 'ada', MLFLOW_TRACKING_PASSWORD: CANARY },
    header: ['authorization', basicOf('ada')],
  },
  openai: {
    ...{ tool: 'openai', base: '/v1', answer: openai, env: { OPENAI_API_KEY: CANARY }, header: BEARER },
    ...{ counts: '1 / 1 / 0 / 0', suite: 'headlines' },
  },
}
