import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { chatMessages } from '../../document/evidence/chat-messages.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { numberAt, objectAt, objectsAt, textAt } from '../../read/members.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import type { Moment, Span } from '../otlp/records.ts'
import { otlpTranscript } from '../otlp/transcript.ts'
import type { EvaluationRow } from './tests.ts'

/** What a result has apart from its case: the spans of its traces, else the turns of a conversation. Null for neither. */
export const promptfooEvidence = (row: EvaluationRow, traces: readonly JsonObject[]): CaseEvidence | null => {
  const id = textAt(row, 'id') ?? `${numberAt(row, 'testIdx') ?? 0}-${numberAt(row, 'promptIdx') ?? 0}`
  const about = { path: id, lossPath: 'traces.*', name: `result ${id}` }
  if (traces.length > 0)
    return {
      ...about,
      transcript: (move, _, readFile) => {
        const spans = traces.flatMap((trace) => objectsAt(trace, 'spans').map(spanOf))
        return otlpTranscript({ id, spans, logs: traces.map(traceMoment) }, id, move, readFile, 'promptfoo')
      },
    }
  const turns = turnsIn(row)
  if (turns === null) return null
  return {
    ...about,
    transcript: async function* (move) {
      yield { transcript: 1, source: { format: 'promptfoo', path: id } }
      yield* chatMessages(move)(turns, 'turn').lines
    },
  }
}

/** What a trace says apart from its spans. */
const traceMoment = ({ spans, ...rest }: JsonObject): Moment => ({
  ...{ name: 'trace', at: null, attributes: {}, body: null },
  rest: {
    ...rest,
    ...(Array.isArray(spans) && spans.every((span) => isObject(span as Json)) ? {} : { spans: spans ?? null }),
  },
})

/** A span of promptfoo as one of OpenTelemetry: its times are in milliseconds. */
const spanOf = (span: JsonObject): Span => {
  const { spanId, parentSpanId, name, startTime, endTime, attributes, statusCode, statusMessage, ...rest } = span
  const isError = statusCode === 2
  const [start, end] = [nanos(startTime), nanos(endTime)]
  return {
    id: typeof spanId === 'string' ? spanId : '',
    parent: typeof parentSpanId === 'string' && parentSpanId !== '' ? parentSpanId : null,
    name: typeof name === 'string' ? name : '',
    ...{ start, end, moments: [], resource: {} },
    attributes: objectAt({ attributes: attributes ?? null }, 'attributes') ?? {},
    error: isError ? (textAt(span, 'statusMessage') ?? 'the span has the status of an error') : null,
    rest: defined({
      ...rest,
      ...(!isObject(attributes) && { attributes }),
      ...(!isError && { statusCode, statusMessage }),
      ...(start === null && { startTime }),
      ...(end === null && { endTime }),
    }),
  }
}

const defined = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null),
  )

const nanos = (ms: Json | undefined): string | null =>
  typeof ms === 'number' && ms > 0 && ms < 1e14 ? String(BigInt(Math.round(ms * 1000)) * 1000n) : null

/** The turns of a conversation with a simulated user, or of an attack in several turns; null for a single call. */
const turnsIn = (row: EvaluationRow): readonly Json[] | null => {
  for (const metadata of [objectAt(row, 'metadata'), objectAt(row, 'response', 'metadata')]) {
    const messages = objectsAt(metadata, 'messages')
    if (messages.length > 1 && messages.every(({ role }) => typeof role === 'string')) return messages
    const history = objectsAt(metadata, 'redteamHistory')
    if (history.length > 0)
      return history.flatMap(({ prompt, output, ...rest }) => [
        { role: 'user', content: prompt ?? null },
        { role: 'assistant', content: output ?? null, ...rest },
      ])
  }
  return null
}
