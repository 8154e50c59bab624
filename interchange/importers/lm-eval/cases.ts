import type { AssertionDraft, CaseDraft } from '../../document/case/case-draft.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { totalAsCase } from '../../document/case/total-as-case.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { lookAt } from '../../read/look.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { lmEvalModel } from './head.ts'
import { objectAt } from '../../read/members.ts'

type Members = Readonly<Record<string, unknown>>

const LOG_LIKELIHOOD: ReadonlySet<unknown> = new Set(['loglikelihood', 'loglikelihood_rolling', 'multiple_choice'])

/** What a task says of all its cases. */
export type Task = {
  readonly model: string | null
  /** Whether more is better, by metric. */
  readonly isBetter: ReadonlyMap<string, boolean>
  /** The metrics in the order of the configuration. */
  readonly metrics: readonly string[]
  /** The names of the filters in the order of the configuration. */
  readonly filters: readonly string[]
  readonly isLogLikelihood: boolean
}

export const readTask = (top: Members, task: string, model: string | null): Task => {
  const config = objectAt(objectAt(top, 'configs'), task)
  const list = config?.['metric_list']
  const declared = Array.isArray(list) ? list.filter(isObject) : []
  const better = Object.entries(objectAt(objectAt(top, 'higher_is_better'), task) ?? {})
  return {
    model,
    isBetter: new Map([
      ...better.flatMap(([name, value]) => (typeof value === 'boolean' ? [[name, value] as const] : [])),
      ...declared.flatMap(({ metric, higher_is_better }) =>
        typeof metric === 'string' && typeof higher_is_better === 'boolean'
          ? [[metric, higher_is_better] as const]
          : [],
      ),
    ]),
    metrics: declared.flatMap(({ metric }) => (typeof metric === 'string' ? [metric] : [])),
    filters: filtersOf(config?.['filter_list'], Object.keys(objectAt(objectAt(top, 'results'), task) ?? {})),
    isLogLikelihood: LOG_LIKELIHOOD.has(config?.['output_type']),
  }
}

/** The filters as the configuration lists them, or in the order of the totals, such as `exact_match,strict-match`. */
const filtersOf = (list: unknown, totals: readonly string[]): readonly string[] => {
  const named = (Array.isArray(list) ? list.filter(isObject) : []).flatMap(({ name }) =>
    typeof name === 'string' ? [name] : [],
  )
  return named.length > 0 ? named : [...new Set(totals.flatMap((key) => key.split(',')[1] ?? []))]
}

/** The metrics of one document with one filter. */
type Filtered = {
  readonly filter: string
  readonly metrics: ReadonlyArray<readonly [string, Json]>
  readonly output: Json
  /** Other values of a row of a further filter, which has no case of its own. */
  readonly values?: Readonly<Record<string, Json>>
}

/** Maximum bytes of what further filters say, which is in memory while the rows of the first filter are read. */
const MAX_FURTHER_BYTES = 64 * 1024 * 1024

const PATH = 'samples.*'

/** The filter of rows that do not name one. */
const NO_FILTER = 'none'

/**
 * Reads the samples of a task: the rows of one document, one for each filter, are one case. The rows of a filter are
 * together, so the rows of further filters are read first, without what they repeat. Older versions do not write the
 * filter of a row: the rows of one document then have the filters in their order.
 */
export const sampleCases = async function* (file: SourceFile, task: Task, losses: Losses): AsyncGenerator<CaseDraft> {
  const { first, further } = await furtherFilters(file, task)
  const used = new Set<string>()
  const placeOf = rowPlaces()
  for await (const value of sampleRows(file, losses)) {
    if (!isObject(value)) {
      losses.add('left_out', PATH, value, 'not an object')
      continue
    }
    const row = rowOf(value, PATH)
    const { key, filter, number } = placeOf(value)
    if (filter === null ? number > 0 : filter !== first) continue
    const own = takeFiltered(row, filter === null && further.size > 0 ? filterName(task, 0) : NO_FILTER)
    const filters = [own, ...(used.has(key) ? [] : (further.get(key) ?? []))]
    used.add(key)
    yield readRow(row, filters, task)
  }
  for (const [key, rows] of further)
    if (!used.has(key)) losses.add('left_out', PATH, rows, 'rows of further filters without one of the first')
}

/** The document of a row, and its filter; null if the row does not name it: then `number` counts the rows of the document. */
type RowPlace = { readonly key: string; readonly filter: Json; readonly number: number }

const rowPlaces = () => {
  const seen = new Map<string, number>()
  return (row: Readonly<Record<string, Json>>): RowPlace => {
    const [id, hash] = [row['doc_id'] ?? null, row['doc_hash'] ?? null]
    const filter: Json = row['filter'] ?? null
    const key = JSON.stringify([id, hash])
    if (filter !== null || (id === null && hash === null)) return { key, filter, number: 0 }
    const number = seen.get(key) ?? 0
    seen.set(key, number + 1)
    return { key, filter, number }
  }
}

const filterName = ({ filters }: Task, number: number): string =>
  filters[number] ?? (number === 0 ? NO_FILTER : `filter ${number + 1}`)

/** The rows of a file of samples: lines, or one list, as older versions wrote it. */
const sampleRows = async function* (file: SourceFile, losses: Losses): AsyncGenerator<Json> {
  const { kind, head } = await lookAt(file)
  const isList = kind === 'json' && Array.isArray(head)
  const rows = isList
    ? jsonElements(file.bytes(), { arrays: [[]] }, losses)
    : objectLines(file.bytes(), losses, 'line', PATH)
  for await (const { value } of rows) yield value
}

const furtherFilters = async (file: SourceFile, task: Task) => {
  let first: Json = null
  let bytes = 0
  const further = new Map<string, Filtered[]>()
  const placeOf = rowPlaces()
  for await (const value of sampleRows(file, newLosses())) {
    if (!isObject(value)) continue
    const { key, filter, number } = placeOf(value)
    first ??= filter
    if (filter === null ? number === 0 : filter === first) continue
    const row = rowOf(value, PATH)
    const filtered = { ...takeFiltered(row, filterName(task, number)), ...(filter === null && filteredValues(row)) }
    bytes += JSON.stringify(filtered).length
    if (bytes > MAX_FURTHER_BYTES)
      throw new SourceRefused(`the further filters of ${file.name} have more than ${MAX_FURTHER_BYTES} bytes`)
    const known = further.get(key)
    if (known) known.push(filtered)
    else further.set(key, [filtered])
  }
  return { first, further }
}

/** The numbers that a row has but does not list as metrics: another filter may have given others. */
const filteredValues = (row: Row): Pick<Filtered, 'values'> => {
  const values = Object.entries(row.value).filter(
    ([key, value]) => key !== 'doc_id' && (typeof value === 'number' || typeof value === 'boolean'),
  )
  return values.length > 0 ? { values: Object.fromEntries(values) } : {}
}

const takeFiltered = (row: Row, unnamed: string): Filtered => {
  const names = row.texts('metrics') ?? []
  const responses = row.take('filtered_resps')
  return {
    filter: row.id('filter') ?? unnamed,
    metrics: names.flatMap((name) => (row.has(name) ? [[name, row.take(name)] as const] : [])),
    output: Array.isArray(responses) && responses.length === 1 ? (responses[0] as Json) : responses,
  }
}

const readRow = (row: Row, filters: readonly Filtered[], task: Task): CaseDraft => {
  const decider = lmEvalDecider(filters[0]!, task)
  const output = filters[0]!.output
  const prompt = takePrompt(row)
  const id = row.id('doc_id')
  const vars = { doc: row.take('doc'), ...(row.has('target') && { target: row.take('target') }) }
  const pairs = task.isLogLikelihood ? output : null
  return {
    provider: task.model,
    test: id ?? { inputs: vars },
    vars,
    asserts: filters.flatMap((filtered, index) =>
      filtered.metrics.map(([metric, value]) =>
        metricAssertion(metric, value, filtered.filter, task, index === 0 && metric === decider),
      ),
    ),
    output: pairs === null ? output : likeliest(pairs),
    promptSent: prompt === null ? null : { text: prompt },
    rest: row,
    raw: {
      ...(pairs !== null && { filtered_resps: pairs }),
      ...(filters.length > 1 && {
        filtered: filters.slice(1).map(({ filter, output: other, values }) => ({ ...values, filter, output: other })),
      }),
    },
  }
}

/** The first metric of which more is better; without a list, the first one of the row. */
const lmEvalDecider = ({ metrics }: Filtered, { metrics: declared, isBetter }: Task): string | null => {
  const names = metrics.map(([name]) => name)
  const ordered = [...declared.filter((name) => names.includes(name)), ...names]
  return ordered.find((name) => isBetter.get(name) ?? true) ?? null
}

const metricAssertion = (metric: string, value: Json, filter: string, task: Task, decides: boolean): AssertionDraft => {
  const score = typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null
  const isBetter = task.isBetter.get(metric)
  return {
    name: filter === NO_FILTER ? metric : `${metric},${filter}`,
    kind: metric === 'exact_match' ? 'equals' : 'exec',
    ...(metric !== 'exact_match' && { originalType: metric }),
    passed: null,
    score,
    ...(isBetter !== undefined && { lowerIsBetter: !isBetter }),
    decides,
    ...(score === null && value !== null && { details: { value } }),
  }
}

/** Takes the prompt; the same prompt in front of other choices is taken with it. */
const takePrompt = (row: Row): string | null => {
  const args = row.row('arguments')
  const first = args?.row('gen_args_0')
  const prompt = first?.text('arg_0') ?? null
  if (prompt === null || args === null) return null
  for (const key of args.keys()) {
    const other = args.row(key)
    if (other?.peek('arg_0') === prompt) other.take('arg_0')
  }
  return prompt
}

/** The index of the choice with the greatest log-likelihood, of pairs such as `["-1.2", "False"]`; else all of them. */
const likeliest = (pairs: Json): Json => {
  if (!Array.isArray(pairs)) return pairs
  const values = pairs.map((pair: unknown) => (Array.isArray(pair) ? Number(pair[0]) : Number.NaN))
  if (values.length === 0 || values.some((value) => Number.isNaN(value))) return pairs as Json
  return values.indexOf(Math.max(...values))
}

/** The metrics of a task without samples, each as a case. */
export const totalsOfTask = (top: Members, task: string, model: string | null): readonly CaseDraft[] => {
  const results = objectAt(objectAt(top, 'results'), task) ?? {}
  const { isBetter } = readTask(top, task, model)
  return Object.entries(results).flatMap(([key, value]) => {
    if (typeof value !== 'number' || key.includes('_stderr')) return []
    // The name of a metric is followed by that of its filter.
    const isHigher = isBetter.get(key.split(',', 1)[0]!)
    const provider = model ?? lmEvalModel(top)
    return [
      totalAsCase({
        ...{ provider, test: key, metric: key, value },
        ...(isHigher !== undefined && { lowerIsBetter: !isHigher }),
      }),
    ]
  })
}
