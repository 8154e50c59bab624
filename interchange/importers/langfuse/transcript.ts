import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { takeStepTimes } from '../../document/evidence/span-parts.ts'
import { stepLines, type TraceStep } from '../../document/evidence/trace-steps.ts'
import { membersOf, take, takeText, type Members } from '../../document/evidence/transcript-members.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import { numberAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

/** The observations of a trace as evidence: a tree by their parents. Null for a trace that lists none. */
export const langfuseEvidence = (trace: JsonObject | null): CaseEvidence | null => {
  const observations = objectsAt(trace, 'observations')
  if (observations.length === 0) return null
  const id = textAt(trace, 'id') ?? 'trace'
  return {
    path: id,
    lossPath: '(observations)',
    name: `trace ${id}`,
    transcript: async function* (move) {
      yield { transcript: 1, source: { format: 'langfuse', path: id } }
      yield* stepLines(observations.map(stepOf), move)
    },
  }
}

const KINDS: ReadonlyMap<unknown, TraceStep['kind']> = new Map([
  ['GENERATION', 'model'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
])

const stepOf = (observation: JsonObject): TraceStep => {
  const rest = membersOf(observation)
  const kind = KINDS.get(rest['type']) ?? 'step'
  if (kind !== 'step') delete rest['type']
  delete rest['id']
  const times = takeStepTimes(rest, 'startTime', 'endTime')
  const name = takeText(rest, 'name')
  const facts = {
    ...{ id: textAt(observation, 'id'), parent: textAt(observation, 'parentObservationId'), kind, ...times, name },
    ...{ error: takeError(rest), parentKey: 'parentObservationId', rest },
  }
  if (kind === 'tool') return { ...facts, arguments: take(rest, 'input'), result: take(rest, 'output') }
  if (kind !== 'model') return facts
  const cost = numberAt(rest, 'calculatedTotalCost') ?? numberAt(rest, 'totalCost')
  return {
    ...facts,
    model: takeText(rest, 'model'),
    request: isObject(rest['modelParameters']) ? take(rest, 'modelParameters') : undefined,
    asked: takeMessages(rest, 'input', 'user'),
    answered: takeMessages(rest, 'output', 'assistant'),
    usage: usageOf(rest),
    costUsd: cost,
  }
}

/** Cached input is counted apart from the input. */
const usageOf = ({ usageDetails: details }: Members) => {
  const tokens = (key: string) => numberAt(details, key)
  const [input, output] = [tokens('input'), tokens('output')]
  if (input === null && output === null) return null
  return tokenUsage(input, output, tokens('input_cached_tokens') ?? tokens('cache_read_input_tokens'))
}

const isMessage = (value: Json): boolean => isObject(value) && typeof value['role'] === 'string'

/** Takes messages in the shape of the chat APIs, or the text of one. Anything else stays. */
const takeMessages = (rest: Members, key: string, role: string): readonly Json[] => {
  const value = rest[key]
  if (typeof value === 'string') {
    delete rest[key]
    return [{ role, content: value }]
  }
  const inner = isObject(value) ? value['messages'] : value
  if (Array.isArray(inner) && inner.length > 0 && (inner as Json[]).every(isMessage)) {
    delete rest[key]
    if (isObject(value)) {
      const { messages: _, ...others } = value
      if (Object.keys(others).length > 0) rest[key] = others
    }
    return inner as Json[]
  }
  if (value === undefined || !isMessage(value)) return []
  delete rest[key]
  return [value]
}

/** Takes the message of an observation that failed. */
const takeError = (rest: Members): TraceStep['error'] => {
  if (rest['level'] !== 'ERROR') return undefined
  delete rest['level']
  return { message: takeText(rest, 'statusMessage') ?? 'level ERROR' }
}
