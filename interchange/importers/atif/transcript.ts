import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { ReadFile, TranscriptLine } from '../../document/evidence/case-evidence.ts'
import { transcriptContent } from '../../document/evidence/transcript-content.ts'
import {
  defined,
  lineIds,
  membersOf,
  take,
  takeText,
  takeTime,
  withoutNulls,
  type Members,
} from '../../document/evidence/transcript-members.ts'
import { promptUsage } from '../../document/case/token-usage.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt, objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import { keysOf, referencesIn, segmentsOf, type Trajectory } from './trajectory.ts'

type Role = Parameters<MoveToParts>[1]

const PICTURE_PATH = 'steps.*.message.*.source.path'

/**
 * A trajectory as a transcript: each step is a message, that of an agent after the call of the model that made it, and before the
 * calls of tools with their results. A sub-agent is a span after the result that refers to it, and one to which nothing refers
 * comes last. Members of a step without a place in a transcript are in `source`, as they were.
 */
export const atifTranscript = async function* (
  trajectory: Trajectory,
  path: string,
  move: MoveToParts,
  readFile: ReadFile,
): AsyncGenerator<TranscriptLine> {
  const { root } = trajectory
  const agent = objectAt(root, 'agent')
  yield {
    transcript: 1,
    source: defined({ format: 'atif', version: versionOf(root), path }),
    ...(agent !== null && {
      agent: defined({
        name: textAt(agent, 'name') ?? undefined,
        version: textAt(agent, 'version') ?? undefined,
        model: textAt(agent, 'model_name') ?? undefined,
      }),
    }),
  }
  const newId = lineIds()
  let messages = 0

  /** Pictures that a content names by the paths of their files. */
  const withFiles = (content: Json, role: Role): Json =>
    Array.isArray(content)
      ? (content as Json[]).map((item) => {
          const source = objectAt(item, 'source')
          const file = textAt(source, 'path')
          if (!isObject(item) || source === null || file === null) return item
          const part = readFile(file, role, textAt(source, 'media_type'), PICTURE_PATH)
          if (part === null) return item
          const { path: name, ...rest } = source
          return { ...item, source: { ...rest, name: name!, data: `part:${part}` } }
        })
      : content
  const contentFor = (content: Json | undefined, role: Role): Json | undefined =>
    content === undefined || content === null
      ? undefined
      : transcriptContent(move(withFiles(content, role), role), move)
  const moved = (members: Members): { readonly source?: Json } => {
    const source = withoutNulls(members)
    return source === null ? {} : { source: move(source, 'other') }
  }

  const readSteps = function* (
    { root: about, steps, others }: Trajectory,
    parent: string | undefined,
    prefix: string,
  ): Generator<TranscriptLine> {
    const isShown = new Set<Trajectory>()
    const model = textAt(about, 'agent', 'model_name')

    const subagents = function* (result: JsonObject, id: string): Generator<TranscriptLine> {
      for (const reference of referencesIn(result)) {
        const key = keysOf(reference).find((name) => others.has(name))
        const found = key === undefined ? undefined : others.get(key)
        if (found === undefined || isShown.has(found)) continue
        isShown.add(found)
        yield* nested(found, parent, id)
      }
    }

    const agentStep = function* (step: Members, id: string, at: { readonly at?: string }): Generator<TranscriptLine> {
      const calls = objectsAt(step, 'tool_calls')
      const results = takeResults(step)
      const reasoning = takeText(step, 'reasoning_content')
      const content = take(step, 'message')
      if (Array.isArray(step['tool_calls']) && calls.length === step['tool_calls'].length) delete step['tool_calls']
      const number = messages++
      if (step['llm_call_count'] !== 0) yield modelLine(step, newId(`${id}.model`), model, number, { parent, ...at })
      const said = contentFor(content, 'output')
      const thought = reasoning === undefined ? [] : [{ type: 'reasoning', reasoning: move(reasoning, 'output') }]
      const items =
        typeof said === 'string' ? (said === '' ? [] : [{ type: 'text', text: said }]) : ((said ?? []) as Json[])
      yield {
        type: 'message',
        id,
        parent,
        ...at,
        role: 'assistant',
        content: thought.length > 0 ? [...thought, ...items] : said,
        ...(calls.length > 0 && {
          tool_calls: calls.map((call) =>
            defined({
              id: call['tool_call_id'],
              name: call['function_name'],
              arguments: move(call['arguments'] ?? null, 'output'),
            }),
          ),
        }),
        ...moved(step),
      }
      for (const call of calls) {
        const found = results.findIndex((result) => result['source_call_id'] === call['tool_call_id'])
        const [result] = found < 0 ? [] : results.splice(found, 1)
        const tool = newId(`${id}.tool`)
        yield toolLine(call, result, tool, { parent, ...at })
        if (result !== undefined) yield* subagents(result, tool)
      }
      for (const result of results) yield* observed(result, id, at)
    }

    /** What was observed without a call of a tool. */
    const observed = function* (result: JsonObject, id: string, at: object): Generator<TranscriptLine> {
      const rest = membersOf(result)
      const content = take(rest, 'content')
      const seen = newId(`${id}.observation`)
      const line = { type: 'log', id: seen, parent, ...at, name: 'observation' }
      yield { ...line, content: contentFor(content, 'output'), ...moved(rest) }
      yield* subagents(result, seen)
    }

    for (const [index, item] of steps.entries()) {
      const step = membersOf(item)
      const number = step['step_id']
      const isNumber = typeof number === 'number'
      const id = newId(`${prefix}step-${isNumber ? number : index + 1}`)
      if (isNumber) delete step['step_id']
      const time = takeTime(step)
      const at = time === null ? {} : { at: time }
      const source = takeText(step, 'source')
      if (source === 'agent') {
        yield* agentStep(step, id, at)
        continue
      }
      const content = take(step, 'message')
      const results = takeResults(step)
      messages++
      yield {
        type: 'message',
        id,
        parent,
        ...at,
        role: source,
        content: contentFor(content, source === 'user' || source === 'system' ? 'input' : 'other'),
        ...moved(step),
      }
      for (const result of results) yield* observed(result, id, at)
    }
    for (const found of others.values()) if (!isShown.has(found)) yield* nested(found, parent, `${prefix}agent`)
  }

  const toolLine = (call: JsonObject, result: JsonObject | undefined, id: string, place: object): TranscriptLine => {
    const rest = membersOf(call)
    const [own, name, given] = [take(rest, 'tool_call_id'), take(rest, 'function_name'), take(rest, 'arguments')]
    const { content, source_call_id: _, ...more } = result ?? {}
    const left = withoutNulls(more)
    if (left !== null) rest['result'] = left
    return {
      type: 'tool',
      id,
      ...place,
      call: own,
      name,
      ...(given !== undefined && { arguments: move(given, 'output') }),
      result: contentFor(content, 'output'),
      ...moved(rest),
    }
  }

  const nested = function* (found: Trajectory, parent: string | undefined, by: string): Generator<TranscriptLine> {
    const span = newId(`${by}.agent`)
    const { agent: about, ...rest } = found.root
    const name = textAt(about, 'name') ?? undefined
    yield { type: 'span', id: span, parent, name, kind: 'agent', ...moved({ ...rest, agent: about }) }
    yield* readSegments(found, span, `${span}.`)
    yield { type: 'span_end', id: newId(`${span}.end`), parent: span }
  }

  /** A trajectory with those that continue it. */
  const readSegments = function* (
    first: Trajectory,
    parent: string | undefined,
    prefix: string,
  ): Generator<TranscriptLine> {
    for (const found of segmentsOf(first)) {
      if (found !== first)
        yield { type: 'other', id: newId(`${prefix}continued`), parent, name: 'continued', ...moved({ ...found.root }) }
      yield* readSteps(found, parent, prefix)
    }
  }

  yield* readSegments(trajectory, undefined, '')
}

/** Takes the results of a step. What else was observed stays. */
const takeResults = (step: Members): JsonObject[] => {
  const { observation } = step
  if (!isObject(observation) || !Array.isArray(observation['results'])) return []
  const { results, ...rest } = observation
  const found = objectsAt(observation, 'results')
  if (Array.isArray(results) && found.length < results.length) return []
  delete step['observation']
  if (Object.keys(rest).length > 0) step['observation'] = rest
  return [...found]
}

/** The call of the model that made a step. What it takes is removed from the step. */
const modelLine = (
  step: Members,
  id: string,
  model: string | null,
  message: number,
  place: Members,
): TranscriptLine => {
  const metrics = isObject(step['metrics']) ? membersOf(step['metrics']) : null
  const [prompt, cached] = [numberAt(metrics, 'prompt_tokens'), numberAt(metrics, 'cached_tokens')]
  const usage = promptUsage(prompt, numberAt(metrics, 'completion_tokens'), cached)
  if (metrics !== null && usage !== null) {
    delete metrics['completion_tokens']
    // They are other numbers in the usage, if the cache was read.
    if ((cached ?? 0) === 0) delete metrics['prompt_tokens']
    delete metrics['cached_tokens']
  }
  const cost = numberAt(metrics, 'cost_usd')
  if (metrics !== null && cost !== null) delete metrics['cost_usd']
  const effort = take(step, 'reasoning_effort')
  const left = metrics === null ? null : withoutNulls(metrics)
  if (metrics !== null) delete step['metrics']
  return {
    type: 'model',
    id,
    ...place,
    model: takeText(step, 'model_name') ?? model ?? undefined,
    output: [[message, message]],
    ...(effort !== undefined && effort !== null && { request: { reasoning_effort: effort } }),
    ...(usage !== null && { usage: { ...usage } }),
    ...(cost !== null && { cost_usd: cost }),
    ...(left !== null && { source: { metrics: left } }),
  }
}

/** The version of the format, such as 1.7. */
const versionOf = (root: JsonObject): string | undefined =>
  textAt(root, 'schema_version')?.replace(/^ATIF-v/, '') ?? undefined
