import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import { sha256 } from '../../document/identity.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { contradiction } from '../../document/tool-counts.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Look } from '../../read/look.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { outcomesIn, type Outcome } from './outcomes.ts'
import { PREDICTION_PATH, predictionsIn } from './predictions.ts'
import { textAt, requireObject } from '../../read/members.ts'

/** A report of one instance: the key is its name, and the value has the result of its patch. */
const isInstance = (head: Json): boolean =>
  isObject(head) &&
  Object.values(head).some((value) => isObject(value) && 'resolved' in value && 'patch_successfully_applied' in value)

const detect = ({ kind, keys, head }: Look): Claim | null => {
  if (kind === 'json' && isInstance(head))
    return {
      reason: 'patch_successfully_applied and resolved',
      refused: 'a report of one instance: import the report of the whole run, <model>.<run id>.json',
    }
  if (keys.has('instance_id') && keys.has('model_patch'))
    return { reason: 'predictions with model_patch', isCompanion: true }
  if (kind !== 'json') return null
  if (keys.has('resolved_ids') && keys.has('unresolved_ids')) return { reason: 'keys resolved_ids, unresolved_ids' }
  if (['no_generation', 'applied', 'resolved'].every((key) => keys.has(key)))
    return { reason: 'keys no_generation, applied, resolved' }
  // In the newer shape, counts are in front of the lists.
  return keys.has('resolved_instances') && keys.has('submitted_instances')
    ? { reason: 'keys resolved_instances, submitted_instances' }
    : null
}

/** Names of files of predictions: one instance each, or all of them. */
const PREDICTIONS = /^[\w.-]{1,200}__[\w.-]{1,200}-\d{1,9}\.json$|pred[\w.-]{0,200}\.jsonl?$/i

const companions: Importer['companions'] = async (file, _look, { files }) =>
  [...files.values()].filter(({ name, path }) => path !== file.path && PREDICTIONS.test(name))

const open: Importer['open'] = async function* ({ file, companions: predictions }): AsyncGenerator<SourceRun> {
  const bytes = await wholeJson(file)
  const top = () => requireObject(parseJson(bytes, newLosses(), ''))
  const report = top()
  const isCurrent = Array.isArray(report['resolved_ids'])
  const named = isCurrent ? nameParts(file.name) : null
  const model = named?.model ?? (await modelIn(predictions))
  yield {
    // The report names neither its model nor its run: its name does, in the newer shape.
    identity: canonicalJson([sha256(bytes), model]),
    cases: (losses) => sweBenchCases(outcomesIn(report), predictions, model, losses),
    head: (losses) => {
      const row = rowOf(top(), '')
      compareLists(row, losses)
      for (const key of row.keys())
        if (typeof row.peek(key) === 'number' && key !== 'schema_version')
          losses.add('left_out', key, row.take(key), 'a count of the lists')
        else if (Array.isArray(row.peek(key))) row.take(key)
      return {
        formatVersion: row.id('schema_version'),
        suite: 'swe-bench',
        config: row,
        origin: { note: named?.run ?? null },
      }
    },
  }
}

/** The newer shape has a count for each list, such as `resolved_instances` for `resolved_ids`. */
const compareLists = (row: Row, losses: Losses): void => {
  for (const key of row.keys()) {
    const name = /^(\w+)_instances$/.exec(key)?.[1]
    const [count, list] = [row.peek(key), row.peek(`${name}_ids`)]
    if (name !== undefined && typeof count === 'number' && Array.isArray(list) && count !== list.length)
      contradiction(losses, key, count, list.length, name)
  }
}

/** `<model>.<run id>.json`, in which the model may have dots. */
const nameParts = (name: string): { readonly model: string; readonly run: string } | null => {
  const [, model, run] = /^(.+)\.([^.]+)\.json$/.exec(name) ?? []
  return model === undefined || run === undefined ? null : { model, run }
}

const modelIn = async (predictions: readonly SourceFile[]): Promise<string | null> => {
  for await (const value of predictionsIn(predictions, newLosses())) {
    const name = textAt(value, 'model_name_or_path')
    if (name !== null) return name
  }
  return null
}

const sweBenchCases = async function* (
  outcomes: ReadonlyMap<string, Outcome>,
  predictions: readonly SourceFile[],
  model: string | null,
  losses: Losses,
): AsyncGenerator<CaseDraft> {
  const done = new Set<string>()
  for await (const value of predictionsIn(predictions, losses)) {
    const id = value['instance_id']
    const outcome = typeof id === 'string' ? outcomes.get(id) : undefined
    if (typeof id !== 'string' || outcome === undefined || done.has(id)) {
      losses.add(
        'left_out',
        PREDICTION_PATH,
        value,
        'a prediction of no instance of the report, or another one of an instance',
      )
      continue
    }
    done.add(id)
    yield sweBenchCase(id, outcome, rowOf(value, PREDICTION_PATH), model)
  }
  for (const [id, outcome] of outcomes) if (!done.has(id)) yield sweBenchCase(id, outcome, null, model)
}

const sweBenchCase = (id: string, outcome: Outcome, row: Row | null, model: string | null): CaseDraft => {
  row?.text('instance_id')
  const written = row?.text('model_name_or_path') ?? null
  const patch: Json = row?.text('model_patch') ?? null
  const cost = row?.number('cost') ?? null
  return {
    provider: model ?? written,
    test: id,
    status: outcome.status,
    failure: outcome.status === 'error' ? { message: outcome.reason } : null,
    asserts:
      outcome.status === 'error' || outcome.status === 'skip'
        ? []
        : [
            {
              name: 'resolved',
              kind: 'exec',
              originalType: 'swe-bench',
              passed: outcome.status === 'pass',
              score: null,
              reason: outcome.reason,
            },
          ],
    output: patch,
    ...(cost !== null && cost > 0 && { costUsd: cost }),
    ...(outcome.isBlank && { emptyReason: 'blank' }),
    raw: { lists: outcome.lists, ...(written !== null && written !== model && { model_name_or_path: written }) },
    rest: row,
  }
}

/** Reads reports of SWE-bench, with the predictions in the same folder. */
export const sweBench: Importer = {
  format: 'swe-bench',
  converter: 2,
  reads: 'a report of SWE-bench, <model>.<run id>.json or the older results.json, with its predictions',
  detect,
  companions,
  open,
}
