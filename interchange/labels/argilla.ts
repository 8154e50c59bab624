import type { Json } from '../../domain/run/readers.ts'
import { SourceRefused } from '../document/source-refused.ts'
import { isObject, type JsonObject } from '../read/row.ts'
import {
  answerIn,
  keyIn,
  labelCollector,
  nameOf,
  placedRecords,
  singleOf,
  timeIn,
  type LabelReader,
} from './label-file.ts'

/**
 * Reads records of Argilla: a list that its client makes with `to_list(flatten=True)`, and pages of its API (`items`). The nested form of
 * `to_json` does not say which responses were submitted, so it is refused. Suggestions are of models, and never labels.
 */
export const readArgilla: LabelReader = async (content, { question, match }) => {
  const { take, leaveOut, found } = labelCollector()
  for await (const { place, value: record } of placedRecords(content, 'items')) {
    const at = `${place} (${nameOf(record['id']) ?? 'without id'})`
    for (const name of suggestionsIn(record)) leaveOut('not_by_a_person', `${at}: ${name}`)
    const id = record['external_id'] ?? record['id'] ?? null
    const key = keyIn(match, record['metadata'], record['fields'], record, { case_key: id, test_id: id })
    for (const { where, name, response, value } of responsesIn(record, at)) {
      if (name !== question) leaveOut('other_question', where)
      else if (response['status'] !== 'submitted') leaveOut('not_submitted', where)
      else {
        const answer = answerIn(singleOf(value, where))
        if (answer === null) leaveOut('no_answer', where)
        else
          take({
            ...{ place: where, key, reviewer: nameOf(response['user_id']), answer, comment: null, seconds: null },
            given_at: timeIn(response['updated_at'], response['inserted_at']),
          })
      }
    }
  }
  return found()
}

/** The members with what models suggested. Of a flat record an agent and a score belong to a suggestion. */
const suggestionsIn = (record: JsonObject): readonly string[] => {
  const { suggestions } = record
  if (Array.isArray(suggestions)) return suggestions.map((_, i) => `suggestions[${i}]`)
  return Object.keys(record).filter((name) => name.endsWith('.suggestion') && record[name] !== null)
}

type Response = {
  readonly where: string
  readonly name: string
  /** Its member `status` and `user_id`, and the times if there are any. */
  readonly response: JsonObject
  readonly value: Json | undefined
}

const responsesIn = (record: JsonObject, at: string): readonly Response[] => {
  const { responses } = record
  if (responses === undefined || responses === null) return flatResponses(record, at)
  if (Array.isArray(responses)) return listedResponses(responses, at)
  throw new SourceRefused(
    `${at}: responses: do not say which were submitted; write records.to_list(flatten=True) as JSON instead of records.to_json`,
  )
}

/** Responses by person, as the API has them. */
const listedResponses = (responses: readonly Json[], at: string): Response[] =>
  responses.flatMap((response, i) => {
    const where = `${at}: responses[${i}]`
    if (!isObject(response)) throw new SourceRefused(`${where}: is no object`)
    const values = isObject(response['values']) ? response['values'] : {}
    return Object.entries(values).map(([name, given]) => {
      const value = isObject(given) ? given['value'] : given
      return { where: `${where}.values.${name}`, name, response, value }
    })
  })

const FLAT = '.responses'

/** Responses of a flat record: lists of values, people and states by question. */
const flatResponses = (record: JsonObject, at: string): Response[] =>
  Object.entries(record).flatMap(([member, values]) => {
    if (!member.endsWith(FLAT) || !Array.isArray(values)) return []
    const [users, states] = [record[`${member}.users`], record[`${member}.status`]]
    if (!Array.isArray(users) || !Array.isArray(states))
      throw new SourceRefused(`${at}: ${member}: is without ${member}.users and ${member}.status`)
    const [people, known] = [users as readonly Json[], states as readonly Json[]]
    return (values as readonly Json[]).map((value, i) => ({
      where: `${at}: ${member}[${i}]`,
      name: member.slice(0, -FLAT.length),
      response: { user_id: people[i] ?? null, status: known[i] ?? null },
      value,
    }))
  })
