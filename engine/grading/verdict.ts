import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'
import { asNumber, asObject, asString } from '../providers/read-json.ts'

/** What a judge decided. `score` is 0..1. */
export type RubricVerdict = { readonly reasoning: string; readonly pass: boolean; readonly score: number }

/** The JSON Schema of a verdict. The reasoning comes first, so that a model reasons before it decides. */
export const VERDICT_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: { reasoning: { type: 'string' }, pass: { type: 'boolean' }, score: { type: 'number' } },
  required: ['reasoning', 'pass', 'score'],
}

/** A response of a judge that holds no complete verdict. The judge is asked again. */
export class UnusableVerdict extends Error {
  override readonly name = 'UnusableVerdict'
}

/** Reads a verdict. Nothing is converted: `"true"` is no boolean. Throws `UnusableVerdict`. */
export const readVerdict = (value: Json | undefined): RubricVerdict => {
  const verdict = asObject(value)
  if (verdict === undefined) throw new UnusableVerdict(`the verdict is ${typeOf(value)}, not an object`)
  const { pass } = verdict
  if (typeof pass !== 'boolean') throw wrongType(verdict, 'pass', 'a boolean')
  const score = asNumber(verdict['score'])
  if (score === undefined) throw wrongType(verdict, 'score', 'a number')
  return { reasoning: asString(verdict['reasoning']) ?? '', pass, score: clampScore(score) }
}

/** The nearest score in 0..1. */
export const clampScore = (score: number): number => Math.min(1, Math.max(0, score))

/** The JSON type of a value, for messages. */
export const typeOf = (value: Json | undefined): string => {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isRawNumber(value)) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const wrongType = (verdict: JsonObject, field: string, wanted: string): UnusableVerdict =>
  new UnusableVerdict(`verdict field \`${field}\` is ${typeOf(verdict[field])}, not ${wanted}, in ${sketch(verdict)}`)

const MAX_SKETCH_CHARACTERS = 300

/** A verdict for a message: every text is replaced by its length, because it may quote the output or a secret. */
const sketch = (verdict: Json): string => {
  const text = JSON.stringify(verdict, (_key, value: unknown) =>
    typeof value === 'string' ? `${value.length} characters` : value,
  )
  return text.length <= MAX_SKETCH_CHARACTERS ? text : `${text.slice(0, MAX_SKETCH_CHARACTERS - 1)}…`
}
