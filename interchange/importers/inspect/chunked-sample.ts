import { counted } from '../../../domain/plain/counted.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { NO_LOSSES, type Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import type { Member } from '../../read/zip/zip-members.ts'
import type { Zip } from '../../read/zip/zip.ts'
import { IN_EVENTS_ALONE, referencesIn, type Attachments } from './attachments.ts'
import { SAMPLE_PATH, type LogEvents, type LogSample, type Pool } from './log.ts'
import { requireObject } from '../../read/members.ts'

/** All messages of one sample in memory. */
const MAX_MESSAGES_BYTES = 64 * 1024 * 1024

/**
 * Reads a sample that is written in chunks, as Inspect 0.3.285 can write but not read it: `sample.json` has ranges of
 * messages, and each chunk is named by the index of its first item. The layout is in `_recorders/chunked/format.py` of
 * Inspect. Its events are read for the transcript alone.
 */
export const chunkedSample = async (zip: Zip, prefix: string, losses: Losses): Promise<LogSample> => {
  const member = zip.members.get(`${prefix}/sample.json`)
  if (member === undefined) throw new SourceRefused(`${prefix} has no sample.json`)
  const value = requireObject(parseJson(await zip.read(member), losses, SAMPLE_PATH), member.name)
  const metadata = zip.members.get(`${prefix}/metadata.json`)
  if (metadata !== undefined) value['metadata'] = parseJson(await zip.read(metadata), losses, `${SAMPLE_PATH}.metadata`)
  const ranges = rangesIn(value['message_refs'])
  if (ranges !== null) {
    delete value['message_refs']
    value['messages'] = await messagesIn(zip, chunksOf(zip, prefix, 'messages'), ranges, losses)
  }
  for (const [name, { size }] of membersUnder(zip, prefix)) {
    const part = name.slice(prefix.length + 1)
    if (!READ.test(part) || (ranges === null && part.startsWith('messages/')))
      losses.addBytes('left_out', `${SAMPLE_PATH}.${/^[a-z]+/.exec(part)?.[0] ?? part}`, size)
  }
  const attachments = await attachmentsFor(zip, prefix, referencesIn(value), losses)
  return { value, attachments, path: prefix, events: (lost) => chunkedEvents(zip, prefix, lost) }
}

/** The events of a sample, one chunk after the other, and the messages and calls that they refer to. */
const chunkedEvents = async (zip: Zip, prefix: string, losses: Losses): Promise<LogEvents> => {
  /** The items of a chunk up to the next one, with the texts that they refer to. */
  const itemsOf = async (chunks: readonly Chunk[], n: number) => {
    const { start, member } = chunks[n]!
    const found = parseJson(await zip.read(member), losses, `${SAMPLE_PATH}.events`)
    if (!Array.isArray(found)) throw new SourceRefused(`${member.name} is no list`)
    const items = (found as Json[]).slice(0, (chunks[n + 1]?.start ?? Infinity) - start)
    return { start, items, texts: await attachmentsFor(zip, prefix, referencesIn(items), NO_LOSSES) }
  }
  const poolOf = async (sequence: string): Promise<Pool> => {
    const items = new Map<number, Json>()
    const texts = new Map<string, string>()
    const chunks = chunksOf(zip, prefix, sequence)
    const size = chunks.reduce((sum, { member }) => sum + member.size, 0)
    if (size > MAX_MESSAGES_BYTES) {
      losses.addBytes('left_out', `${SAMPLE_PATH}.${sequence}`, size, 'too large for a transcript')
      return { items, texts }
    }
    for (const n of chunks.keys()) {
      const chunk = await itemsOf(chunks, n)
      for (const [at, item] of chunk.items.entries()) items.set(chunk.start + at, item)
      for (const [key, text] of chunk.texts) texts.set(key, text)
    }
    return { items, texts }
  }
  const events = async function* () {
    const chunks = chunksOf(zip, prefix, 'events')
    for (const n of chunks.keys()) {
      const { items, texts } = await itemsOf(chunks, n)
      for (const value of items) yield { value, texts }
    }
  }
  return { events: events(), messages: await poolOf('messages'), calls: await poolOf('calls') }
}

/** The members of a sample that are read. */
const READ = /^(sample|metadata|(messages|attachments)\/\d+)\.json$/

const membersUnder = (zip: Zip, prefix: string): ReadonlyArray<readonly [string, Member]> => {
  const known = foldersOf(zip)
  return known.get(prefix) ?? []
}

/** The folder of the sample in chunks that a member belongs to; null if it belongs to none. */
export const folderOfSample = ({ members }: Zip, name: string): string | null => {
  const folder = /^(samples\/.+_epoch_\d+)\/[^/]+(?:\/[^/]+)?$/s.exec(name)?.[1] ?? null
  return folder !== null && members.has(`${folder}/sample.json`) && !members.has(`${folder}.json`) ? folder : null
}

const folders = new WeakMap<Zip, ReadonlyMap<string, ReadonlyArray<readonly [string, Member]>>>()

/** The members of all samples in chunks, by the folder of their sample. An archive may have 200,000 of them. */
const foldersOf = (zip: Zip) => {
  const known = folders.get(zip)
  if (known !== undefined) return known
  const found = new Map<string, Array<readonly [string, Member]>>()
  for (const [name, member] of zip.members) {
    const prefix = folderOfSample(zip, name)
    if (prefix === null) continue
    const members = found.get(prefix) ?? []
    members.push([name, member])
    found.set(prefix, members)
  }
  folders.set(zip, found)
  return found
}

type Chunk = { readonly start: number; readonly member: Member }

/** The chunks of a sequence in the order of their items. */
const chunksOf = (zip: Zip, prefix: string, sequence: string): readonly Chunk[] =>
  membersUnder(zip, prefix)
    .flatMap(([name, member]) => {
      const start = new RegExp(`^${sequence}/(\\d+)\\.json$`).exec(name.slice(prefix.length + 1))?.[1]
      return start === undefined ? [] : [{ start: Number(start), member }]
    })
    .sort((a, b) => a.start - b.start)

type Range = readonly [number, number]

/** The ranges of a reference, the end excluded; null if it has another shape. */
const rangesIn = (value: Json | undefined): readonly Range[] | null => {
  if (!Array.isArray(value)) return null
  const ranges = value.filter(
    (item: unknown): item is [number, number] =>
      Array.isArray(item) && item.length === 2 && item.every((end: unknown) => Number.isSafeInteger(end)),
  )
  return ranges.length === value.length ? ranges : null
}

/** The messages of some ranges, each chunk read once. A message of several ranges is copied. */
const messagesIn = async (zip: Zip, chunks: readonly Chunk[], ranges: readonly Range[], losses: Losses) => {
  const path = `${SAMPLE_PATH}.messages`
  const isWanted = overlapWith(ranges)
  /** By index, in ascending order. */
  const [indexes, messages]: [number[], Json[]] = [[], []]
  let total = 0
  const addBytes = (bytes: number): void => {
    total += bytes
    if (total > MAX_MESSAGES_BYTES)
      throw new SourceRefused(`the messages of a sample are larger than ${MAX_MESSAGES_BYTES} bytes`)
  }
  for (const [number, { start, member }] of chunks.entries()) {
    const end = chunks[number + 1]?.start ?? Infinity
    if (!isWanted(start, end)) {
      losses.addBytes('left_out', path, member.size, IN_EVENTS_ALONE)
      continue
    }
    addBytes(member.size)
    const items = parseJson(await zip.read(member), losses, path)
    if (!Array.isArray(items)) throw new SourceRefused(`${member.name} is no list`)
    for (const [at, item] of (items as Json[]).entries()) {
      const index = start + at
      if (index < end && isWanted(index, index + 1)) {
        indexes.push(index)
        messages.push(item)
      } else losses.add('left_out', path, item, IN_EVENTS_ALONE)
    }
  }
  const found: Json[] = []
  const isUsed = new Set<number>()
  for (const [from, to] of ranges) {
    const [first, end] = [firstAtLeast(indexes, from), firstAtLeast(indexes, to)]
    const missing = to - from - (end - first)
    if (missing > 0) losses.addBytes('cut', path, 0, `${counted(missing, 'message')} in no chunk`)
    for (let place = first; place < end; place += 1) {
      if (isUsed.has(place)) addBytes(Buffer.byteLength(JSON.stringify(messages[place])))
      found.push(isUsed.has(place) ? structuredClone(messages[place]!) : messages[place]!)
      isUsed.add(place)
    }
  }
  return found
}

/** Whether some of these ranges has a number from `from` to below `to`. */
const overlapWith = (ranges: readonly Range[]): ((from: number, to: number) => boolean) => {
  const sorted = ranges.toSorted(([a], [b]) => a - b)
  const starts = sorted.map(([start]) => start)
  let end = -Infinity
  const ends = sorted.map((range) => (end = Math.max(end, range[1])))
  return (from, to) => {
    const last = firstAtLeast(starts, to) - 1
    return last >= 0 && ends[last]! > from
  }
}

/** The place of the first number that is not below `value`; the length if there is none. */
const firstAtLeast = (ascending: readonly number[], value: number): number => {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** The texts that a sample refers to by their number. */
const attachmentsFor = async (
  zip: Zip,
  prefix: string,
  keys: ReadonlySet<string>,
  losses: Losses,
): Promise<Attachments> => {
  const found = new Map<string, string>()
  if (keys.size === 0 && losses === NO_LOSSES) return found
  const chunks = chunksOf(zip, prefix, 'attachments')
  for (const [index, { start, member }] of chunks.entries()) {
    const end = chunks[index + 1]?.start ?? Infinity
    if (![...keys].some((key) => Number(key) >= start && Number(key) < end)) {
      losses.addBytes('left_out', `${SAMPLE_PATH}.attachments`, member.size, IN_EVENTS_ALONE)
      continue
    }
    const items = parseJson(await zip.read(member), losses, `${SAMPLE_PATH}.attachments`)
    if (!Array.isArray(items)) throw new SourceRefused(`${member.name} is no list`)
    for (const [at, item] of items.entries()) if (typeof item === 'string') found.set(String(start + at), item)
  }
  return found
}
