import { SourceRefused } from '../../document/source-refused.ts'
import { type Losses, NO_LOSSES } from '../../document/losses.ts'
import { jsonElements, jsonSkeleton } from '../../read/json/json-elements.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import type { Member } from '../../read/zip/zip-members.ts'
import type { Zip } from '../../read/zip/zip.ts'
import { attachmentsOf, referencesIn, type Attachments } from './attachments.ts'
import { chunkedSample, folderOfSample } from './chunked-sample.ts'
import {
  OTHER_MEMBERS,
  SAMPLE_PATH,
  UNREAD_MEMBERS,
  sampleLosses,
  type Log,
  type LogEvents,
  type LogSample,
} from './log.ts'
import { poolsOf } from './sample-evidence.ts'
import { requireObject } from '../../read/members.ts'

const HEADER = 'header.json'
const START = '_journal/start.json'

/** A sample in one member. Its id may hold slashes. */
const SAMPLE = /^samples\/(.+)_epoch_(\d+)\.json$/s

/** A member up to this size is parsed at once; of a larger one, only what a case needs. */
const MAX_PARSED_BYTES = 16 * 1024 * 1024

/** Totals and summaries that Inspect computes from the samples. */
const COMPUTED = /^(summaries|reductions)\.json$|^_journal\/summaries\//

/** A log in a zip archive, one member a sample. */
export const zipLog = (zip: Zip): Log => {
  const headerMember = zip.members.get(HEADER) ?? zip.members.get(START)
  return {
    isCutOff: !zip.members.has(HEADER),
    header: async (losses) => {
      if (headerMember === undefined) throw new SourceRefused(`has neither ${HEADER} nor ${START}`)
      return requireObject(parseJson(await zip.read(headerMember), losses, headerMember.name), headerMember.name)
    },
    samples: async function* (losses) {
      for (const [name, member] of zip.members) {
        const folder = folderOfSample(zip, name)
        if (SAMPLE.test(name)) yield await wholeSample(zip, member, losses)
        else if (folder !== null) {
          if (name === `${folder}/sample.json`) yield await chunkedSample(zip, folder, losses)
        } else if (COMPUTED.test(name))
          losses.addBytes('left_out', memberPath(name), member.size, 'totals and summaries')
        else if (!/^_journal\/|^header\.json$/.test(name))
          losses.addBytes('left_out', memberPath(name), member.size, 'a member of no known kind')
      }
    },
  }
}

/** The path of a member in the losses: all summaries have one. */
const memberPath = (name: string): string => (name.startsWith(SUMMARIES) ? `${SUMMARIES}*.json` : name)
const SUMMARIES = '_journal/summaries/'

const wholeSample = async (zip: Zip, member: Member, losses: Losses): Promise<LogSample> => {
  const isSmall = member.size <= MAX_PARSED_BYTES
  const value = isSmall
    ? parseJson(await zip.read(member), losses, SAMPLE_PATH)
    : await jsonSkeleton(zip.stream(member), WITHOUT_ATTACHMENTS, sampleLosses(losses))
  const sample = requireObject(value, member.name)
  const attachments = isSmall
    ? attachmentsOf(sample['attachments'])
    : referencesIn(sample).size === 0
      ? new Map<string, string>()
      : await attachmentsAlone(zip, member, losses)
  delete sample['attachments']
  const path = member.name
  return isSmall
    ? { value: sample, attachments, path }
    : { value: sample, attachments, path, events: (lost) => largeEvents(zip, member, attachments, lost) }
}

/** Reads a large sample again for its events, one after the other. */
const largeEvents = async (zip: Zip, member: Member, known: Attachments, losses: Losses): Promise<LogEvents> => {
  const unread = [...MESSAGES, ...OTHERS, ['events'], ['attachments']]
  const rest = requireObject(await jsonSkeleton(zip.stream(member), { arrays: [], unread }, NO_LOSSES), member.name)
  const attachments = known.size > 0 ? known : await attachmentsAlone(zip, member, losses)
  const shape = { arrays: [['events']], unread: [...MESSAGES, ...OTHERS, ['events_data'], ['attachments']] }
  const events = async function* () {
    for await (const { value } of jsonElements(zip.stream(member), shape, numberLosses(losses)))
      yield { value, texts: attachments }
  }
  return { ...poolsOf(rest, attachments), events: events() }
}

/** Losses of values that are changed when they are read. What is not read here is read elsewhere. */
const numberLosses = (losses: Losses): Losses => ({
  ...NO_LOSSES,
  add: (kind, path, value, note) => {
    if (kind === 'changed') losses.add(kind, `${SAMPLE_PATH}.${path}`, value, note)
  },
})

const OTHERS = OTHER_MEMBERS.map((name) => [name])
const MESSAGES = ['messages', 'input', 'output', 'scores', 'metadata'].map((name) => [name])
const UNREAD = [...UNREAD_MEMBERS].map((name) => [name])
const WITHOUT_ATTACHMENTS = { arrays: [], unread: [...UNREAD, ['attachments']] }

/** Reads a large sample again for its attachments. */
const attachmentsAlone = async (zip: Zip, member: Member, losses: Losses): Promise<Attachments> => {
  const unread = [...UNREAD, ...MESSAGES]
  try {
    const value = await jsonSkeleton(zip.stream(member), { arrays: [], unread }, sampleLosses(NO_LOSSES))
    return attachmentsOf(requireObject(value, member.name)['attachments'])
  } catch (error) {
    if (!(error instanceof SourceRefused)) throw error
    losses.addBytes('left_out', `${SAMPLE_PATH}.attachments`, member.size, `cannot be read: ${error.message}`)
    return new Map()
  }
}
