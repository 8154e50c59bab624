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
  textIn,
  timeIn,
  type LabelReader,
} from './label-file.ts'

/** Reads the JSON export of Label Studio: tasks with annotations. Predictions are of models, and never labels. */
export const readLabelStudio: LabelReader = async (content, { question, match }) => {
  const { take, leaveOut, found } = labelCollector()
  for await (const { place, value: task } of placedRecords(content, 'tasks')) {
    const taskPlace = `${place} (task ${nameOf(task['id']) ?? 'without id'})`
    const { annotations } = task
    if (!Array.isArray(annotations))
      throw new SourceRefused(`${taskPlace}: annotations: no list; export as JSON, and not as JSON-MIN`)
    for (const [i] of listOf(task['predictions']).entries())
      leaveOut('not_by_a_person', `${taskPlace}: predictions[${i}]`)
    for (const [i] of listOf(task['drafts']).entries()) leaveOut('not_submitted', `${taskPlace}: drafts[${i}]`)
    const key = keyIn(match, task['data'], task['meta'])
    for (const [i, annotation] of (annotations as Json[]).entries()) {
      const at = `${taskPlace}: annotations[${i}]`
      if (!isObject(annotation)) throw new SourceRefused(`${at}: is no object`)
      if (annotation['was_cancelled'] === true) {
        leaveOut('cancelled', at)
        continue
      }
      const answer = answerOf(annotation, question, at, (other) => leaveOut('other_question', other))
      if (answer === null) leaveOut('no_answer', at)
      else
        take({
          place: at,
          key,
          reviewer: reviewerOf(annotation['completed_by']),
          answer,
          comment: commentOf(annotation, question),
          seconds: secondsOf(annotation['lead_time']),
          given_at: timeIn(annotation['updated_at'], annotation['created_at']),
        })
    }
  }
  return found()
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

const resultsOf = ({ result }: JsonObject): JsonObject[] => listOf(result).filter(isObject)

/** The account as its address where the export has it, else its number. */
const reviewerOf = (by: Json | undefined): string | null =>
  isObject(by) ? (nameOf(by['email']) ?? nameOf(by['id'])) : nameOf(by)

const secondsOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null

/** The choice, rating or number that an annotation gives as the answer to a question. */
const answerOf = (
  annotation: JsonObject,
  question: string | null,
  at: string,
  onOther: (place: string) => void,
): string | number | boolean | null => {
  let answer: string | number | boolean | null = null
  for (const [i, { from_name, type, value }] of resultsOf(annotation).entries()) {
    const place = `${at}.result[${i}]`
    if (from_name !== question) {
      if (type !== 'textarea') onOther(place)
      continue
    }
    const found = isObject(value) ? (value['choices'] ?? value['rating'] ?? value['number'] ?? value['text']) : null
    answer = answerIn(singleOf(found, place))
  }
  return answer
}

/** The texts that an annotation has next to the answer. */
const commentOf = (annotation: JsonObject, question: string | null): string | null => {
  const texts = resultsOf(annotation).flatMap(({ from_name, type, value }) => {
    if (type !== 'textarea' || from_name === question || !isObject(value)) return []
    return [value['text']].flat().flatMap((text) => textIn(text) ?? [])
  })
  return texts.length === 0 ? null : texts.join('\n')
}
