import type { AssertionDraft, CaseDraft, ToolCall } from '../../document/case/case-draft.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import { readTurns } from '../../document/case/turns.ts'
import { isKnown } from '../../document/known.ts'
import type { Losses } from '../../document/losses.ts'
import type { timeRange } from '../../document/time/time-range.ts'
import { readTimeMs } from '../../document/time/times.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt, objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, rowOf, type JsonObject, type Row } from '../../read/row.ts'
import { atifTranscript } from './transcript.ts'
import { resultsOf, segmentsOf, type Trajectory } from './trajectory.ts'
import { providerName } from '../provider-name.ts'

/** What is known of a trajectory apart from itself. */
export type AtifReading = {
  /** Where it is in its source. */
  readonly path: string
  readonly name: string
  readonly hasEvidence: boolean
  /** The folder of the files to which it refers, if it is not that of the source. */
  readonly folder?: string
}

/** A trajectory as a case. Without a reward it is skipped. */
export const atifCase = (
  trajectory: Trajectory,
  { path, name, hasEvidence, folder }: AtifReading,
  times: ReturnType<typeof timeRange>,
  losses: Losses,
): CaseDraft => {
  const { root } = trajectory
  const steps = joined(trajectory)
  const [first, last] = [steps[0], steps.at(-1)].map((step) => textAt(step, 'timestamp'))
  for (const step of steps) times.add(step['timestamp'], null)
  if (!hasEvidence) recordUnread(trajectory, losses)
  const conversation = conversationOf(steps, losses)
  const question = steps.find(({ source }) => source === 'user')?.['message'] ?? null
  const total = totalsOf(trajectory, steps)
  const ms = readTimeMs(last ?? null) - readTimeMs(first ?? null)
  const { agent, ...rest } = root
  return {
    provider: providerName(textAt(agent, 'name'), textAt(agent, 'model_name')),
    test: { inputs: question },
    vars: question === null ? {} : { input: question },
    asserts: rewardsOf(root, losses),
    ...conversation,
    model: textAt(agent, 'model_name'),
    usage: promptUsage(
      total('prompt_tokens', 'total_prompt_tokens'),
      total('completion_tokens', 'total_completion_tokens'),
      total('cached_tokens', 'total_cached_tokens'),
    ),
    costUsd: total('cost_usd', 'total_cost_usd'),
    latencyMs: ms >= 0 ? ms : null,
    rest: rowOf({ ...rest, ...(agent !== undefined && { agent }) }, '(trajectory)'),
    evidence: hasEvidence
      ? {
          path,
          lossPath: 'steps',
          name,
          ...(folder !== undefined && { folder: [folder] }),
          transcript: (move, _, readFile) => atifTranscript(trajectory, path, move, readFile),
        }
      : null,
  }
}

/** The steps of a trajectory with those that continue it, each once. */
const joined = (trajectory: Trajectory): readonly JsonObject[] =>
  segmentsOf(trajectory).flatMap(({ steps }, index) =>
    index === 0 ? steps : steps.filter((step) => step['is_copied_context'] !== true),
  )

/** Totals of a trajectory. Those that a file says are of itself, or of all before it: the steps say more of one that is continued. */
const totalsOf = (trajectory: Trajectory, steps: readonly JsonObject[]) => {
  const said = segmentsOf(trajectory).map(({ root }) => objectAt(root, 'final_metrics'))
  return (metric: string, name: string): number | null => {
    const last = said.findLast((metrics) => numberAt(metrics, name) !== null)
    const [total, sum] = [numberAt(last, name), sumOf(steps, metric)]
    return trajectory.next === null ? (total ?? sum) : (sum ?? total)
  }
}

const sumOf = (steps: readonly JsonObject[], metric: string): number | null => {
  const found = steps.flatMap((step) => numberAt(step, 'metrics', metric) ?? [])
  return found.length === 0 ? null : found.reduce((sum, value) => sum + value, 0)
}

/** Takes the rewards of an object as assertions. The one named `reward` decides, else all do. What is no score is recorded. */
export const rewardAssertions = (rewards: Row | null, losses: Losses): AssertionDraft[] => {
  const found = (rewards?.keys() ?? []).flatMap((name): Array<[string, number]> => {
    const score = rewards && takeScore(rewards, name, losses)
    return score === null ? [] : [[name, score]]
  })
  const hasMain = found.some(([name]) => name === 'reward')
  return found.map(([name, score]) => ({
    name,
    kind: 'exec',
    originalType: 'reward',
    passed: null,
    score,
    decides: !hasMain || name === 'reward',
  }))
}

/** The format has no place for a reward: tools write it among what is extra. */
const rewardsOf = (root: JsonObject, losses: Losses): AssertionDraft[] => {
  for (const path of [['extra'], ['final_metrics', 'extra']]) {
    const extra = objectAt(root, ...path)
    const { reward } = extra ?? {}
    const found = objectAt(extra, 'rewards') ?? (isKnown(reward) ? { reward } : null)
    // They stay in what is extra.
    if (found !== null) return rewardAssertions(rowOf({ ...found }, path.join('.')), losses)
  }
  return []
}

type Conversation = Pick<CaseDraft, 'output' | 'promptSent' | 'reasoning' | 'toolCalls' | 'raw'>

const conversationOf = (steps: readonly JsonObject[], losses: Losses): Conversation => {
  const end = steps.findLastIndex(({ source }) => source === 'agent')
  const before = end < 0 ? steps : steps.slice(0, end)
  const sent = readTurns(before.flatMap(messagesOf), losses, 'steps')
  const turns = end < 0 ? [] : (readTurns(messagesOf(steps[end]!), losses, 'steps') ?? [])
  const [answer, ...results] = turns
  const after = [...results, ...(readTurns(steps.slice(end + 1).flatMap(messagesOf), losses, 'steps') ?? [])]
  const calls: ToolCall[] = [...(sent ?? []), ...turns].flatMap(({ tool_calls: found }) => found ?? [])
  const blocks = answer === undefined || typeof answer.content === 'string' ? [] : answer.content
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const thoughts = blocks.flatMap((block) => ('thinking' in block ? [block.thinking] : []))
  const text = typeof answer?.content === 'string' ? answer.content : texts.join('\n')
  return {
    output: text === '' ? null : text,
    promptSent: sent === null ? null : { messages: sent },
    reasoning: thoughts.length === 0 ? null : thoughts.join('\n'),
    toolCalls: calls,
    ...(end >= 0 && after.length > 0 && { raw: { messages_after_answer: after } }),
  }
}

/** A step in the shape of the chat APIs: its message, and one for each result. */
const messagesOf = (step: JsonObject): Json[] => {
  const message = step['message'] ?? ''
  const results = resultsOf(step).flatMap(({ content, source_call_id: id }) =>
    content === undefined || content === null
      ? []
      : [{ role: 'tool', content: asContent(content), ...(typeof id === 'string' && { tool_call_id: id }) }],
  )
  if (step['source'] !== 'agent')
    return [
      { role: typeof step['source'] === 'string' ? step['source'] : 'user', content: asContent(message) },
      ...results,
    ]
  const thinking = textAt(step, 'reasoning_content')
  const calls = objectsAt(step, 'tool_calls').map(({ tool_call_id: id, function_name: name, arguments: given }) => ({
    ...(typeof id === 'string' && { id }),
    name: name ?? null,
    arguments: given ?? null,
  }))
  const content = asContent(message)
  const blocks = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content
  return [
    {
      role: 'assistant',
      content: thinking === null ? content : [{ type: 'thinking', thinking }, ...(blocks as Json[])],
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    ...results,
  ]
}

const asContent = (message: Json): Json =>
  typeof message === 'string' || Array.isArray(message) ? message : JSON.stringify(message)

/** The members of steps and of their calls and results that a conversation has. */
const READ = new Set(['source', 'message', 'reasoning_content', 'tool_calls', 'observation', 'step_id'])
const READ_CALL = new Set(['tool_call_id', 'function_name', 'arguments'])
const READ_RESULT = new Set(['source_call_id', 'content'])

/** Records what only a transcript has a place for. */
const recordUnread = (trajectory: Trajectory, losses: Losses): void => {
  for (const segment of segmentsOf(trajectory)) {
    if (segment !== trajectory)
      losses.add('left_out', '(continued trajectory)', segment.root, 'of the continued trajectory')
    recordUnreadSteps(segment, losses)
  }
}

const recordUnreadSteps = ({ steps, others }: Trajectory, losses: Losses): void => {
  const record = (value: JsonObject, read: ReadonlySet<string>, path: string): void => {
    for (const [key, member] of Object.entries(value))
      if (!read.has(key) && member !== null) losses.add('left_out', `${path}.${key}`, member, 'of a step')
  }
  for (const step of steps) {
    record(step, READ, 'steps.*')
    for (const call of objectsAt(step, 'tool_calls')) record(call, READ_CALL, 'steps.*.tool_calls.*')
    for (const result of resultsOf(step)) record(result, READ_RESULT, 'steps.*.observation.results.*')
    if (isObject(step['observation'])) record(step['observation'], new Set(['results']), 'steps.*.observation')
  }
  for (const { root, steps: own } of others.values())
    losses.add('left_out', 'subagent_trajectories', { ...root, steps: own as Json[] }, 'of a sub-agent')
}
