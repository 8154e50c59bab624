import { listedNames } from '../../../domain/text/listed-names.ts'
import type { AssertionDraft, CaseDraft, Usage } from '../../document/case/case-draft.ts'
import type { ImportOptions } from '../../document/import-options.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import type { Losses } from '../../document/losses.ts'
import type { timeRange } from '../../document/time/time-range.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { jsonRows } from '../../read/json/json-elements.ts'
import type { Row } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { instanceKey, type InstanceStats } from './stats.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'

/** The metrics that can decide, the first one of a run does. */
const DECIDING = ['exact_match', 'quasi_exact_match', 'prefix_exact_match', 'f1_score'] as const

/** Statistics of the requests themselves: they measure no answer. */
const BOOKKEEPING =
  /^(?:num_|training_|inference_|batch_size|finish_reason_|prompt_truncated|max_prob|logprob|predicted_index|perplexity|bits_per_byte|log[a-z]*_per_byte|estimated_)/

/**
 * Reads the instances of a run, and adds the times of its requests to `times`. Several requests for one instance, one for
 * each choice, follow each other.
 */
export const helmCases = async function* (
  file: SourceFile,
  stats: ReadonlyMap<string, InstanceStats>,
  model: string | null,
  times: ReturnType<typeof timeRange>,
  options: ImportOptions,
  losses: Losses,
): AsyncGenerator<CaseDraft> {
  const decider = helmDecider(stats, options)
  let key: string | null = null
  let states: Row[] = []
  const finish = () => readInstance(states, stats.get(key ?? '') ?? new Map<string, number>(), model, decider, losses)
  for await (const row of jsonRows(file.bytes(), { arrays: [['request_states']] }, losses)) {
    addTime(row, times)
    const instance = row.row('instance')
    const next = instanceKey(instance?.peek('id'), row.peek('train_trial_index'), instance?.peek('perturbation'))
    if (states.length > 0 && next !== key) {
      yield finish()
      states = []
    }
    key = next
    states.push(row)
  }
  if (states.length > 0) yield finish()
}

const addTime = (row: Row, times: ReturnType<typeof timeRange>): void => {
  const result = row.row('result')
  const seconds = result?.peek('request_datetime')
  if (typeof seconds === 'number') times.add(seconds, null, 'seconds')
}

/** Throws `SourceRefused` if nothing decides. */
const helmDecider = (stats: ReadonlyMap<string, InstanceStats>, { scorers = [] }: ImportOptions): string | null => {
  const names = new Set([...stats.values()].flatMap((means) => [...means.keys()]))
  const found = DECIDING.find((name) => names.has(name)) ?? null
  if (found !== null || scorers.length > 0) return found
  const known = [...names].filter((name) => !BOOKKEEPING.test(name))
  throw new SourceRefused(`no metric is known to decide: choose one with --scorer, of ${listedNames(known) || 'none'}`)
}

const readInstance = (
  states: readonly Row[],
  stats: InstanceStats,
  model: string | null,
  decider: string | null,
  losses: Losses,
): CaseDraft => {
  const best = states.reduce((a, b) => (logprobOf(b) > logprobOf(a) ? b : a))
  const instance = best.row('instance')
  const perturbation = instance?.row('perturbation')?.id('name') ?? null
  const id = instance?.id('id') ?? null
  const vars = helmVars(instance)
  const result = best.row('result')
  const answers = result?.rows('completions') ?? []
  const [answer] = answers
  const output = answer?.text('text') ?? null
  for (const state of states)
    for (const completion of state.row('result')?.rows('completions') ?? [])
      if (completion.has('tokens')) losses.add('left_out', `${completion.path}.tokens`, completion.take('tokens'))
  const seconds = states.map((state) => {
    const result = state.row('result')
    return result && numberOrLoss(result, 'request_time', losses, 'number of seconds')
  })
  const known = seconds.filter((value) => value !== null)
  const request = best.row('request')
  const prompt = request?.text('prompt') ?? null
  const sentModel = request?.text('model') ?? null
  const success = result?.boolean('success') ?? null
  const failed = result && takeFailure(result)
  const trial = best.number('train_trial_index')
  const others = states.filter((state) => state !== best).map((state) => state.rest())
  const sent = request?.rest() ?? null
  best.take('request')
  return {
    provider: model,
    test: id === null ? { inputs: vars } : perturbation === null ? id : `${id}/${perturbation}`,
    repeat: trial !== null && Number.isInteger(trial) && trial >= 0 ? trial : null,
    vars,
    failure: success === false ? (failed ?? { message: 'the request failed' }) : null,
    asserts: helmAssertions(stats, decider),
    output,
    promptSent: prompt === null ? null : { text: prompt },
    request: sent,
    model: sentModel,
    usage: helmUsage(stats),
    latencyMs: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) * 1000,
    cached: result?.boolean('cached') ?? false,
    rest: best,
    raw: {
      ...(others.length > 0 && { other_requests: others }),
      stats: Object.fromEntries([...stats].filter(([name]) => BOOKKEEPING.test(name))),
    },
  }
}

/** The log-probability of the first answer of a request. */
const logprobOf = (state: Row): number => {
  const [completion] = state.row('result')?.rows('completions') ?? []
  const value = completion?.peek('logprob')
  return typeof value === 'number' ? value : Number.NEGATIVE_INFINITY
}

const helmVars = (instance: Row | null): Readonly<Record<string, Json>> => {
  const input = instance?.row('input')?.text('text') ?? null
  const references = instance?.take('references') ?? null
  return {
    ...(input !== null && { input }),
    ...(references !== null && { references }),
  }
}

const helmAssertions = (stats: InstanceStats, decider: string | null): readonly AssertionDraft[] =>
  [...stats]
    .filter(([name]) => !BOOKKEEPING.test(name))
    .map(([name, score]) => ({
      name,
      kind: /^(?:quasi_)?exact_match$/.test(name) ? ('equals' as const) : ('exec' as const),
      ...(!/^(?:quasi_)?exact_match$/.test(name) && { originalType: name }),
      passed: null,
      score,
      decides: name === decider,
    }))

const helmUsage = (stats: InstanceStats): Usage | null =>
  tokenUsage(stats.get('num_prompt_tokens'), stats.get('num_completion_tokens') ?? stats.get('num_output_tokens'))
