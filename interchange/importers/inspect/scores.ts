import type { AssertionDraft, AssertionKind } from '../../document/case/case-draft.ts'
import type { Losses } from '../../document/losses.ts'
import { truthScore } from '../../document/case/scores.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { ScorerJudges } from './judges.ts'
import { isObject, withoutEmpty, type Row } from '../../read/row.ts'

/** Which score decides in the log: the one of its headline, else its first one. */
export type Deciding = { readonly scorer: string | null; readonly key: string | null }

const KINDS: Readonly<Record<string, AssertionKind>> = {
  includes: 'contains',
  match: 'equals',
  exact: 'equals',
  choice: 'equals',
  pattern: 'regex',
}

/** The kind of a scorer by its name, which ends in a number if a task uses the scorer twice. */
const scorerKind = (scorer: string): AssertionKind => {
  const name = scorer.slice(scorer.lastIndexOf('/') + 1)
  if (name.startsWith('model_graded')) return 'llm-rubric'
  const known = Object.keys(KINDS).find((known) => name.startsWith(known) && /^\d{0,3}$/.test(name.slice(known.length)))
  return known === undefined ? 'exec' : KINDS[known]!
}

/** Takes the scores of a sample: an assertion for each, and for each key of a score with several values. */
export const takeScores = (
  row: Row,
  deciding: Deciding,
  judges: ScorerJudges,
  losses: Losses,
): readonly AssertionDraft[] => {
  const scores = row.row('scores')
  const single = row.row('score')
  const names = scores?.keys() ?? []
  const decider = names.includes(deciding.key ?? '') ? deciding.key : (deciding.scorer ?? names[0] ?? null)
  const found = names.flatMap((name) => {
    const score = scores?.row(name) ?? null
    return score === null
      ? []
      : takeScore(score, name, (key) => decides(name, key, decider, deciding), judges(name), losses)
  })
  return single === null
    ? found
    : [
        ...found,
        ...takeScore(single, deciding.scorer ?? 'score', () => true, judges(deciding.scorer ?? 'score'), losses),
      ]
}

const decides = (name: string, key: string | null, decider: string | null, deciding: Deciding): boolean =>
  name === decider && (key === null || deciding.key === null || deciding.key === name || deciding.key === key)

const takeScore = (
  score: Row,
  name: string,
  isDeciding: (key: string | null) => boolean,
  judge: ReturnType<ScorerJudges>,
  losses: Losses,
): readonly AssertionDraft[] => {
  const value = score.take('value')
  const reason = score.text('explanation')
  const details = withoutEmpty({
    answer: score.take('answer'),
    metadata: score.take('metadata'),
    history: score.take('history'),
  })
  const kind = scorerKind(name)
  const members: ReadonlyArray<readonly [string, Json]> =
    Array.isArray(value) || isObject(value) ? Object.entries(value as Record<string, Json>) : []
  // A score without values is one that was not evaluated.
  const values: ReadonlyArray<readonly [string | null, Json]> = members.length > 0 ? members : [[null, value]]
  return values.map(([key, item], index) => {
    const read = readValue(item)
    if (read === null && item !== null)
      losses.add('assumed', `${score.path}.value`, item, 'neither a number nor a known word: not evaluated')
    const shown = read === null && item !== null ? { value: item } : undefined
    const own = index === 0 ? details : undefined
    const more = { ...(isObject(own) ? own : {}), ...shown, ...(judge && { judge }) }
    return {
      name: key === null ? name : `${name}.${key}`,
      kind,
      ...(kind === 'exec' && { originalType: name }),
      ...(read ?? { passed: null, score: null, status: 'skipped' as const }),
      decides: isDeciding(key),
      reason,
      ...(Object.keys(more).length > 0 && { details: more }),
    }
  })
}

const WORDS: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false }

/**
 * What a value says, as `value_to_float` of Inspect reads it: C is correct, P partially, I incorrect, N no answer. Half
 * a point passes by the threshold. Null for a value that is no score.
 */
const readValue = (value: Json): Pick<AssertionDraft, 'passed' | 'score' | 'range'> | null => {
  if (typeof value === 'boolean') return truthScore(value)
  if (typeof value === 'number') return Number.isFinite(value) ? { passed: null, score: value } : null
  if (typeof value !== 'string') return null
  if (value === 'C') return { passed: true, score: 1 }
  if (value === 'I' || value === 'N') return { passed: false, score: 0 }
  if (value === 'P') return { passed: null, score: 0.5, range: [0, 1] }
  const word = value.trim().toLowerCase()
  if (Object.hasOwn(WORDS, word)) return truthScore(WORDS[word]!)
  return word !== '' && Number.isFinite(Number(word)) ? { passed: null, score: Number(word) } : null
}
