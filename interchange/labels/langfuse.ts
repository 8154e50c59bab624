import type { Json } from '../../domain/run/readers.ts'
import { isObject, type JsonObject } from '../read/row.ts'
import {
  answerIn,
  keyIn,
  labelCollector,
  nameOf,
  placedRecords,
  textIn,
  timeIn,
  type LabelReader,
} from './label-file.ts'

const ANSWERS: ReadonlySet<unknown> = new Set(['NUMERIC', 'BOOLEAN', 'CATEGORICAL', undefined])

/** What a score of version 3 of the API is about, with the names that its earlier versions have. */
const subjectOf = (subject: Json | undefined): JsonObject => {
  if (!isObject(subject)) return {}
  const { kind, id = null, traceId = null } = subject
  if (kind === 'trace') return { traceId: id }
  return kind === 'observation' ? { observationId: id, traceId } : {}
}

/**
 * Reads scores of Langfuse as its API returns them (`data` of a page), a list or lines of them. Only those of the source `ANNOTATION` are of
 * people.
 */
export const readLangfuse: LabelReader = async (content, { question, match }) => {
  const { take, leaveOut, found } = labelCollector()
  for await (const { place, value: score } of placedRecords(content, 'data')) {
    const at = `${place} (score ${nameOf(score['id']) ?? 'without id'})`
    const { dataType } = score
    if (score['source'] !== 'ANNOTATION') {
      leaveOut('not_by_a_person', at)
      continue
    }
    if (score['name'] !== question) {
      leaveOut('other_question', at)
      continue
    }
    // Of a category the number is that of its place in the configuration.
    const answer = ANSWERS.has(dataType) ? (answerIn(score['stringValue']) ?? answerIn(score['value'])) : null
    if (answer === null) leaveOut('no_answer', at)
    else
      take({
        place: at,
        key: keyIn(match, score['metadata'], score, subjectOf(score['subject'])),
        reviewer: nameOf(score['authorUserId']),
        answer,
        comment: textIn(score['comment']),
        seconds: null,
        given_at: timeIn(score['updatedAt'], score['createdAt'], score['timestamp']),
      })
  }
  return found()
}
