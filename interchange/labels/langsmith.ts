import { isObject } from '../read/row.ts'
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

/** The source of feedback that people gave in the pages of LangSmith. */
const HUMAN = 'app'

/** Reads feedback of LangSmith: a list, lines, or pages with the member `feedback`. */
export const readLangsmith: LabelReader = async (content, { question, match }) => {
  const { take, leaveOut, found } = labelCollector()
  for await (const { place, value: feedback } of placedRecords(content, 'feedback')) {
    const at = `${place} (feedback ${nameOf(feedback['id']) ?? 'without id'})`
    const source = isObject(feedback['feedback_source']) ? feedback['feedback_source'] : {}
    if (source['type'] !== HUMAN) {
      leaveOut('not_by_a_person', at)
      continue
    }
    if (feedback['key'] !== question) {
      leaveOut('other_question', at)
      continue
    }
    // The value is the category, and the score its number.
    const answer = answerIn(feedback['value']) ?? answerIn(feedback['score'])
    if (answer === null) leaveOut('no_answer', at)
    else
      take({
        place: at,
        key: keyIn(match, feedback['extra'], source['metadata'], feedback),
        reviewer: nameOf(source['user_id']) ?? nameOf(source['ls_user_id']) ?? nameOf(source['user_name']),
        answer,
        comment: textIn(feedback['comment']),
        seconds: null,
        given_at: timeIn(feedback['modified_at'], feedback['created_at']),
      })
  }
  return found()
}
