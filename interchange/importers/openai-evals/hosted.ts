import type { Json } from '../../../domain/run/readers.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { type ToolCounts } from '../../document/tool-counts.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { sourceTime } from '../../document/time/source-time.ts'
import { timeMsOf } from '../../document/time/times.ts'
import { jsonElements, jsonSkeleton } from '../../read/json/json-elements.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { lookAt } from '../../read/look.ts'
import { isObject, rowOf, type JsonObject, type Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { RunHead, Source, SourceRun } from '../importer.ts'
import { storedJson } from '../../read/rows/records.ts'
import { itemReader } from './items.ts'
import { itemEvidence } from './transcript.ts'
import { numberAt, textAt, objectAt } from '../../read/members.ts'

const SHAPE = { arrays: [['data'], []] }

/** The objects that describe runs and their evaluations, by id. */
type Descriptions = {
  readonly runs: Map<string, Record<string, Json>>
  readonly evals: Map<string, Record<string, Json>>
}

/** What all items of a run say together. */
type Outline = { evalId: string | null; firstS: number; lastS: number }

/** Reads the pages of output items of the hosted product: a run for each run id, mostly one. */
export const hostedRuns = async function* (
  { file, companions }: Source,
  options: ImportOptions,
): AsyncGenerator<SourceRun> {
  const { pages, descriptions } = await sorted(file, companions)
  const outlines = new Map<string, Outline>()
  let hasLastPage = false
  for await (const found of openAiItems(pages, newLosses())) {
    if (found.kind === 'page') hasLastPage ||= found.isLast
    else addTo(outlines, found.item)
  }
  for (const [runId, outline] of outlines) {
    const run = descriptions.runs.get(runId) ?? null
    const evaluation = descriptions.evals.get(outline.evalId ?? '') ?? null
    const createdS = numberAt(run, 'created_at') ?? outline.firstS
    yield {
      part: outlines.size > 1 ? runId : null,
      isAlone: new Set([...outlines.keys(), ...descriptions.runs.keys()]).size === 1,
      identity: runId,
      timeMs: timeMsOf(sourceTime(createdS, options, newLosses(), '')),
      cases: async function* (losses) {
        const read = itemReader(losses, textAt(run, 'model'), evaluation)
        for await (const found of openAiItems(pages, losses))
          if (found.kind === 'item' && found.item['run_id'] === runId) {
            // Copied, because a case is read by taking the members of its item.
            const copy = options.evidence ? storedJson(JSON.stringify(found.item)) : null
            yield { ...read(rowOf(found.item, 'data.*')), evidence: copy && itemEvidence(copy) }
          }
        if (!hasLastPage && pages.some(({ isPaged }) => isPaged))
          losses.addBytes('cut', 'has_more', 0, 'the last page says that more follow')
      },
      head: (losses) => openAiHead(outline, createdS, run, evaluation, (value) => secondsTime(value, options, losses)),
    }
  }
}

type PageFile = { readonly file: SourceFile; readonly isLines: boolean; readonly isPaged: boolean }

/** Separates the pages from the objects that describe the run. */
const sorted = async (file: SourceFile, companions: readonly SourceFile[]) => {
  const pages: PageFile[] = []
  const descriptions: Descriptions = { runs: new Map(), evals: new Map() }
  for (const source of [file, ...companions]) {
    const { kind, head, lines } = await lookAt(source)
    const object = kind === 'json' && isObject(head) ? head['object'] : null
    if (object === 'eval' || object === 'eval.run') {
      const whole = objectAt(await jsonSkeleton(source.bytes(), { arrays: [] }, newLosses())) ?? {}
      const id = whole['id']
      if (typeof id === 'string') (object === 'eval' ? descriptions.evals : descriptions.runs).set(id, whole)
      continue
    }
    const first: unknown = lines[0] ?? (Array.isArray(head) ? head[0] : head)
    pages.push({ file: source, isLines: kind === 'lines', isPaged: isObject(first) && first['object'] === 'list' })
  }
  return { pages, descriptions }
}

type Found =
  | { readonly kind: 'item'; readonly item: Record<string, Json> }
  | { readonly kind: 'page'; readonly isLast: boolean }

const openAiItems = async function* (pages: readonly PageFile[], losses: Losses): AsyncGenerator<Found> {
  for (const { file, isLines } of pages) {
    if (isLines) for await (const { value } of objectLines(file.bytes(), losses, 'item')) yield* foundIn(value, losses)
    else {
      let rest: Json = null
      for await (const { value } of jsonElements(file.bytes(), SHAPE, losses, (skeleton) => (rest = skeleton)))
        yield* foundIn(value, losses)
      if (isObject(rest)) yield* foundIn(rest, losses)
    }
  }
}

/** An item, a page of items, or a page whose items were read already. */
const foundIn = function* (value: Json, losses: Losses): Generator<Found> {
  if (isObject(value) && value['object'] === 'list') {
    const { data, has_more: hasMore } = value
    for (const item of Array.isArray(data) ? data : []) yield* foundIn(item as Json, losses)
    yield { kind: 'page', isLast: hasMore !== true }
  } else if (isObject(value) && typeof value['run_id'] === 'string') yield { kind: 'item', item: value }
  else losses.add('left_out', 'data.*', value, 'no output item')
}

const addTo = (outlines: Map<string, Outline>, item: Record<string, Json>): void => {
  const runId = item['run_id'] as string
  const known = outlines.get(runId) ?? { evalId: null, firstS: Infinity, lastS: -Infinity }
  outlines.set(runId, known)
  if (typeof item['eval_id'] === 'string') known.evalId ??= item['eval_id']
  const time = item['created_at']
  if (typeof time !== 'number') return
  known.firstS = Math.min(known.firstS, time)
  known.lastS = Math.max(known.lastS, time)
}

const openAiHead = (
  { evalId, lastS }: Outline,
  createdS: number,
  run: Record<string, Json> | null,
  evaluation: Record<string, Json> | null,
  timeAt: (seconds: number) => string | null,
): RunHead => {
  const ofRun = rowOf(structuredClone(run ?? {}), 'run')
  const ofEval = rowOf(structuredClone(evaluation ?? {}), 'eval')
  for (const row of [ofRun, ofEval]) for (const key of ['object', 'id', 'created_at']) row.take(key)
  if (ofRun.peek('eval_id') === evalId) ofRun.take('eval_id')
  const name = ofEval.text('name') || null
  const note = ofRun.text('name') || null
  const dataSource = ofRun.take('data_source')
  const config: Record<string, Json> = { ...ofEval.rest(), ...(dataSource !== null && { data_source: dataSource }) }
  return {
    suite: name ?? evalId,
    startedAt: timeAt(createdS),
    finishedAt: timeAt(Math.max(lastS, createdS)),
    description: note,
    config: rowOf(config, ''),
    counts: openAiCounts(run?.['result_counts']),
    rest: { ...(evalId !== null && { eval_id: evalId }), ...restOf(ofRun) },
  }
}

/** What the product counts of a run. */
const openAiCounts = (counts: Json | undefined): ToolCounts => ({
  path: 'run.result_counts',
  cases: numberAt(counts, 'total'),
  passed: numberAt(counts, 'passed'),
  failed: numberAt(counts, 'failed'),
  errored: numberAt(counts, 'errored'),
})

const restOf = (row: Row): JsonObject => row.rest() ?? {}

const secondsTime = (seconds: number, options: ImportOptions, losses: Losses): string | null =>
  sourceTime(seconds, options, losses, 'created_at', 'seconds')
