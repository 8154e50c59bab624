import type { CommandArguments } from '../../../commands/commit.ts'
import { json } from '../access/access-requests.ts'
import type { Send } from '../servers/app.ts'

/** What a rubric of one verdict says. */
export const RUBRIC_FIELDS = {
  name: 'Right answers',
  text: 'Pass if the answer names the right city.',
  questions: [{ key: 'right', kind: 'verdict', label: 'Is the answer right?', deciding: true }],
  show: [{ field: 'output', label: 'Answer' }],
  valid_days: 90,
} as const

/** One question of each kind, but a preference. */
export const EVERY_QUESTION = [
  { key: 'right', kind: 'verdict', label: 'Is it right?' },
  { key: 'tone', kind: 'score', label: 'How kind is it?', min: 0, max: 1, step: 0.1, pass_from: 0.7, deciding: true },
  {
    key: 'fault',
    kind: 'category',
    label: 'What is wrong?',
    options: [
      { key: 'city', label: 'City' },
      { key: 'date', label: 'Date' },
    ],
  },
  {
    key: 'signs',
    kind: 'categories',
    label: 'Which signs?',
    options: [
      { key: 'a', label: 'A' },
      { key: 'b', label: 'B' },
    ],
  },
  { key: 'marks', kind: 'span', label: 'Where?', options: [{ key: 'wrong', label: 'Wrong' }] },
  { key: 'why', kind: 'comment', label: 'Why?' },
] as const

/** The arguments of a rubric of `chat/smoke` that asks for one verdict. */
export const aRubric = (changes: Partial<CommandArguments<'createRubric'>> = {}): CommandArguments<'createRubric'> => ({
  rubric_id: 'rubric',
  project: 'chat',
  suite: 'smoke',
  ...RUBRIC_FIELDS,
  ...changes,
})

/** Creates a rubric with a request, and returns its id. */
export const postRubric = async (send: Send, changes: object): Promise<string> => {
  const answer = await send('POST', '/rubrics', {
    headers: json,
    body: JSON.stringify({ project: 'chat', suite: 'smoke', ...RUBRIC_FIELDS, ...changes }),
  })
  if (answer.statusCode !== 201) throw new Error(`POST /rubrics: ${answer.statusCode} ${answer.body}`)
  return answer.json<{ id: string }>().id
}
