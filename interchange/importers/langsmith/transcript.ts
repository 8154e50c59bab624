import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { takeStepTimes } from '../../document/evidence/span-parts.ts'
import { stepLines, type TraceStep } from '../../document/evidence/trace-steps.ts'
import { membersOf, take, takeText, type Members } from '../../document/evidence/transcript-members.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt, objectAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** A root run with its steps, as evidence: they are a tree by their parents, in the order of their start. */
export const langsmithEvidence = (root: JsonObject, children: readonly JsonObject[]): CaseEvidence => {
  const id = textAt(root, 'id') ?? 'run'
  return {
    path: id,
    lossPath: '(child runs)',
    name: `run ${id}`,
    transcript: async function* (move) {
      yield { transcript: 1, source: { format: 'langsmith', path: id } }
      yield* stepLines([root, ...children].map(stepOf), move, { hasRoot: true })
    },
  }
}

/** A run as a step of its trace. */
const stepOf = (run: JsonObject): TraceStep => {
  const rest = membersOf(run)
  delete rest['id']
  const { run_type: type } = rest
  const kind = type === 'llm' ? 'model' : type === 'tool' ? 'tool' : 'step'
  if (kind !== 'step') delete rest['run_type']
  const times = takeStepTimes(rest, 'start_time', 'end_time')
  const name = takeText(rest, 'name')
  const failed = takeText(rest, 'error')
  return {
    ...{ id: textAt(run, 'id'), parent: textAt(run, 'parent_run_id'), kind, ...times, name },
    ...(failed !== undefined && { error: { message: failed } }),
    ...(kind === 'model' && {
      asked: takeMessages(rest, 'inputs'),
      answered: takeMessages(rest, 'outputs'),
      model: textAt(objectAt(rest['extra'], 'metadata'), 'ls_model_name') ?? name,
      ...takeUsage(rest),
    }),
    ...(kind === 'tool' && { arguments: take(rest, 'inputs'), result: take(rest, 'outputs') }),
    rest,
    parentKey: 'parent_run_id',
  }
}

/** Takes the messages of the inputs or the outputs, if they are in the shape of the chat APIs. */
const takeMessages = (members: Members, key: 'inputs' | 'outputs'): readonly Json[] => {
  const value = members[key]
  if (!isObject(value)) return []
  const isMessage = (item: Json): boolean => isObject(item) && typeof item['role'] === 'string'
  const { messages, choices, ...others } = value
  const inputs: unknown =
    Array.isArray(messages) && messages.length === 1 && Array.isArray(messages[0]) ? messages[0] : messages
  if (Array.isArray(inputs) && inputs.every(isMessage)) {
    members[key] = { ...others, ...(choices !== undefined && { choices }) }
    return inputs as Json[]
  }
  const [choice, ...more] = Array.isArray(choices) ? (choices as Json[]) : []
  if (!isObject(choice) || more.length > 0 || !isMessage(choice['message'] ?? null)) return []
  const { message, ...around } = choice
  members[key] = { ...others, ...(messages !== undefined && { messages }), choices: [around] }
  return [message!]
}

const takeUsage = (members: Members): Pick<TraceStep, 'usage' | 'costUsd'> => {
  const cached = numberAt(objectAt(members['prompt_token_details']), 'cache_read')
  const cost = members['total_cost']
  const amount = typeof cost === 'number' || (typeof cost === 'string' && cost !== '') ? Number(cost) : Number.NaN
  return {
    usage: promptUsage(numberAt(members, 'prompt_tokens'), numberAt(members, 'completion_tokens'), cached),
    costUsd: Number.isFinite(amount) ? amount : null,
  }
}
