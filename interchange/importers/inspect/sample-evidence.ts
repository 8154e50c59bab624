import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { isKnown } from '../../document/known.ts'
import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'
import { resolverOf, type Attachments } from './attachments.ts'
import { OTHER_MEMBERS, SAMPLE_PATH, type LogEvents, type LogSample, type Pool } from './log.ts'
import { inspectTranscript } from './transcript.ts'

/** What a log says of all of its samples, for the first lines of their transcripts. */
export type LogFacts = { readonly version: string | null; readonly agent: string | null; readonly model: string | null }

/**
 * What a sample has apart from its case: its events as a transcript, and the members that no case has a place for. The
 * sample must not be read as a case before.
 */
export const sampleEvidence = (sample: LogSample, { version, agent, model }: LogFacts): CaseEvidence => {
  const { value, attachments, path } = sample
  const { id, epoch } = value
  const own = eventsOfValue(value, attachments)
  // Copied, because a case is read by taking the members of its messages.
  const messages = copied(listAt(value['messages'])) as readonly Json[]
  const others = OTHER_MEMBERS.flatMap((key) => (isEmpty(value[key]) ? [] : [{ name: key, value: value[key]! }]))
  let calls: Pool = own.calls
  return {
    path,
    lossPath: SAMPLE_PATH,
    name: `sample ${textOf(id)}${isKnown(epoch) && epoch !== 1 ? ` epoch ${textOf(epoch)}` : ''}`,
    transcript:
      sample.events === undefined && own.events.length === 0 && messages.length === 0
        ? null
        : async function* (move, losses) {
            const found: LogEvents = (await sample.events?.(losses)) ?? own
            calls = found.calls
            const conversation = { items: new Map(messages.entries()), texts: attachments }
            yield* inspectTranscript(found, conversation, { version, path, agent, model }, move)
          },
    others: async (move) => [
      ...others.map(({ name, value: whole }) => ({ name, value: move(whole, 'other', resolverOf(attachments)) })),
      ...(calls.items.size > 0
        ? [{ name: 'calls', value: move([...calls.items.values()], 'other', resolverOf(calls.texts)) }]
        : []),
    ],
  }
}

/** The messages and the calls to which events refer. */
export const poolsOf = (
  { events_data }: Readonly<Record<string, Json>>,
  texts: Attachments,
): Omit<LogEvents, 'events'> => {
  const pools = isObject(events_data) ? events_data : {}
  const poolOf = (list: unknown): Pool => ({ items: new Map(listAt(list).entries()), texts })
  return { messages: poolOf(pools['messages']), calls: poolOf(pools['calls']) }
}

/** The events that are in a sample itself: in logs of 2024 they are in its `transcript`. */
const eventsOfValue = (value: Readonly<Record<string, Json>>, texts: Attachments) => {
  const { transcript } = value
  const own = listAt(value['events'])
  const list = own.length > 0 ? own : listAt(isObject(transcript) ? transcript['events'] : undefined)
  return { ...poolsOf(value, texts), events: list.map((event) => ({ value: event, texts })) }
}

const listAt = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : [])

const copied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copied)
  if (!isObject(value) || isRawNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copied(member)]))
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

export const isEmpty = (value: Json | undefined): boolean =>
  !isKnown(value) || (typeof value === 'object' && Object.keys(value).length === 0)
