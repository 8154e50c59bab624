import { hash } from 'node:crypto'
import type { Json } from '../../../domain/run/readers.ts'
import { objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** The judge of a scorer, as `details.judge` of its assertions has it. */
export type ScorerJudge = { readonly model: string; readonly template_sha256?: string }
export type ScorerJudges = (scorer: string) => ScorerJudge | null

const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** A model as the options of a scorer name it: by its name, as an object, or several that vote. */
const modelName = (model: Json | undefined): string | null => {
  if (typeof model === 'string') return model === '' ? null : model
  if (Array.isArray(model)) return model.flatMap((each: Json) => modelName(each) ?? []).join(', ') || null
  return isObject(model) ? textAt(model, 'model') : null
}

/**
 * Which model graded with a scorer of a log. As Inspect chooses it for `model_graded_qa` and `model_graded_fact`: the one of the
 * scorer's options, else the one with the role `grader`, else the model under test. Another scorer has a judge only if its
 * options name one.
 */
export const scorerJudges = (header: JsonObject): ScorerJudges => {
  const evaluation = objectAt(header, 'eval')
  const declared = objectsAt(evaluation, 'scorers')
  const role = modelName(objectAt(evaluation, 'model_roles')?.['grader'])
  return (scorer) => {
    const name = shortName(scorer)
    // A task that uses a scorer twice numbers it.
    const found =
      declared.find((each) => shortName(textAt(each, 'name') ?? '') === name) ??
      declared.find((each) => shortName(textAt(each, 'name') ?? '') === name.replace(/\d{1,3}$/, ''))
    const options = objectAt(found, 'options')
    const named = modelName(options?.['model']) ?? modelName(options?.['grader_model'])
    const model = named ?? (name.startsWith('model_graded') ? (role ?? textAt(evaluation, 'model')) : null)
    const template = textAt(options, 'template') ?? textAt(options, 'grader_template')
    return model === null
      ? null
      : { model, ...(template !== null && { template_sha256: hash('sha256', template, 'hex') }) }
  }
}
