import { SourceRefused } from '../../document/source-refused.ts'
import { jsonElements, jsonSkeleton, type JsonShape } from '../../read/json/json-elements.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { attachmentsOf } from './attachments.ts'
import { SAMPLE_PATH, UNREAD_MEMBERS, type Log } from './log.ts'

const SHAPE: JsonShape = { arrays: [['samples']], unread: [['reductions']] }

/** A log in one JSON file. */
export const jsonLog = (file: SourceFile): Log => ({
  isCutOff: false,
  header: async (losses) => {
    const top = await jsonSkeleton(file.bytes(), SHAPE, losses)
    if (!isObject(top)) throw new SourceRefused('the top of the file is no object')
    delete top['samples']
    delete top['reductions']
    return top
  },
  samples: async function* (losses) {
    for await (const { value } of jsonElements(file.bytes(), SHAPE, losses)) {
      if (!isObject(value)) {
        losses.add('left_out', SAMPLE_PATH, value, 'not an object')
        continue
      }
      const attachments = attachmentsOf(value['attachments'])
      const { transcript } = value
      const older = isObject(transcript) ? attachmentsOf(transcript['content']) : new Map<string, string>()
      delete value['attachments']
      if (isObject(transcript)) delete transcript['content']
      yield { value, attachments: new Map([...older, ...attachments]) }
    }
  },
})

/** The members of a sample that are in memory but not in a case. */
export const UNREAD_IN_JSON: readonly string[] = [...UNREAD_MEMBERS, 'transcript']
