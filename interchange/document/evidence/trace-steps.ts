import type { MoveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Usage } from '../case/case-draft.ts'
import type { TranscriptLine } from './case-evidence.ts'
import { chatMessages } from './chat-messages.ts'
import { transcriptContent } from './transcript-content.ts'
import { lineIds, withoutNulls, type Members } from './transcript-members.ts'

/** A step of a trace: a run, a span or an observation, in whichever way its tool calls it. */
export type TraceStep = {
  /** Null for a step without one. */
  readonly id: string | null
  readonly parent: string | null
  /** When it began, in epoch ms; NaN if that is unknown. */
  readonly startMs: number
  readonly kind: 'model' | 'tool' | 'agent' | 'step'
  readonly at?: string
  readonly ms?: number
  readonly name?: string | undefined
  readonly error?: { readonly message: string; readonly trace?: string } | undefined
  /** Of a call of a model: the messages it was asked and those of its answer. */
  readonly model?: string | undefined
  readonly asked?: readonly Json[]
  readonly answered?: readonly Json[]
  readonly request?: Json | undefined
  readonly usage?: Usage | null
  readonly costUsd?: number | null
  /** Of a call of a tool. */
  readonly call?: string | undefined
  readonly arguments?: Json | undefined
  readonly result?: Json | undefined
  /** What happened in it: lines without an id and a parent. */
  readonly moments?: readonly TranscriptLine[]
  /** Its members without a place above, and the one that names its parent, which goes if that is where the step is shown. */
  readonly rest: Members
  readonly parentKey: string
}

/**
 * The lines of a trace: steps are a tree by their parents, in the order of their start. With a root, which is the first step,
 * those whose parent is missing are in it; without one, they are on top.
 */
export const stepLines = function* (
  steps: readonly TraceStep[],
  move: MoveToParts,
  { hasRoot = false } = {},
): Generator<TranscriptLine> {
  const newId = lineIds()
  const lines = { messages: chatMessages(move), newId, move }
  const known = new Set(steps.map(({ id }) => id))
  const rootId = steps[0]?.id ?? null
  const below = new Map<string | null, TraceStep[]>()
  const byStart = steps
    .map((step, index) => ({ step, index }))
    .sort((a, b) => a.step.startMs - b.step.startMs || a.index - b.index || 0)
  for (const { step, index } of byStart) {
    const { id, parent } = step
    const isThere = parent !== null && known.has(parent) && parent !== id
    const place = hasRoot && index === 0 ? null : isThere ? parent : hasRoot ? rootId : null
    const siblings = below.get(place)
    if (siblings === undefined) below.set(place, [step])
    else siblings.push(step)
  }
  type Place = { readonly step: TraceStep; readonly parent: string | undefined } | { readonly end: TranscriptLine }
  const isShown = new Set<TraceStep>()
  // Those on top with all that is in them, and then steps that are in each other alone.
  const waiting: Place[] = byStart.map(({ step }) => ({ step, parent: undefined })).reverse()
  waiting.push(...(below.get(null) ?? []).map((step) => ({ step, parent: undefined })).reverse())
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if ('end' in place) {
      yield place.end
      continue
    }
    const { step, parent } = place
    if (isShown.has(step)) continue
    isShown.add(step)
    const id = newId(step.id ?? `run-${isShown.size}`)
    const inside = step.id === null ? [] : (below.get(step.id) ?? [])
    // Another step of the same id has nothing in it.
    if (step.id !== null) below.delete(step.id)
    const isSpan = inside.length > 0 || step.kind === 'agent'
    yield* linesOf(step, id, parent, isSpan, lines)
    if (isSpan) waiting.push({ end: { type: 'span_end', id: newId(`${id}.end`), parent: id } })
    waiting.push(...inside.map((child) => ({ step: child, parent: id })).reverse())
  }
}

/** What the lines of one transcript share. */
type LineTools = {
  readonly messages: ReturnType<typeof chatMessages>
  readonly newId: (wanted: string) => string
  readonly move: MoveToParts
}

const linesOf = function* (
  step: TraceStep,
  id: string,
  parent: string | undefined,
  isSpan: boolean,
  { messages, newId, move }: LineTools,
): Generator<TranscriptLine> {
  const { kind, name } = step
  const times = { ...(step.at !== undefined && { at: step.at }), ...(step.ms !== undefined && { ms: step.ms }) }
  const error = step.error === undefined ? {} : { error: step.error }
  const place = { ...times, ...(parent !== undefined && { parent }) }
  const inside = isSpan ? { ...times, parent: id } : place
  const own = isSpan && (step.kind === 'model' || step.kind === 'tool') ? newId(`${id}.call`) : id
  if (step.rest[step.parentKey] === parent) delete step.rest[step.parentKey]
  const left = (): Members => {
    const source = withoutNulls(step.rest)
    return source === null ? {} : { source: move(source, 'other') }
  }
  const isEvent = kind === 'model' || kind === 'tool'
  if (isSpan) {
    const spanKind = kind === 'model' ? 'step' : kind
    yield { type: 'span', id, ...place, name, kind: spanKind, ...(!isEvent && { ...error, ...left() }) }
  }
  if (kind === 'model') {
    const [asked, answered] = [messages(step.asked ?? [], id), messages(step.answered ?? [], `${id}.answer`)]
    const placed = ({ id: wanted, ...line }: TranscriptLine) => ({
      ...line,
      id: newId(typeof wanted === 'string' ? wanted : id),
      parent: inside.parent,
    })
    yield* asked.lines.map(placed)
    const [input, output] = [asked, answered].map(({ ranges }) => ranges.map(([from, to]) => [from, to]))
    yield {
      ...{ type: 'model', id: own, ...inside, name, model: step.model, input, output },
      ...(step.request !== undefined && { request: move(step.request, 'input') }),
      ...(step.usage && { usage: { ...step.usage } }),
      ...(typeof step.costUsd === 'number' && { cost_usd: step.costUsd }),
      ...error,
      ...left(),
    }
    yield* answered.lines.map(placed)
  } else if (kind === 'tool') {
    const { call, arguments: given, result } = step
    yield {
      ...{ type: 'tool', id: own, ...inside, name },
      ...(call !== undefined && { call }),
      ...(given !== undefined && { arguments: move(given, 'output') }),
      ...(result !== undefined && { result: transcriptContent(move(result, 'output'), move) }),
      ...error,
      ...left(),
    }
  } else if (!isSpan) yield { type: 'other', id, ...place, name, ...error, ...left() }
  for (const [index, moment] of (step.moments ?? []).entries()) {
    const { source, ...line } = moment
    const moved = source === undefined ? {} : { source: move(source, 'other') }
    yield { ...line, id: newId(`${id}.event-${index + 1}`), parent: isSpan ? id : parent, ...moved }
  }
}
