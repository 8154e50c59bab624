import { jsonSkeleton, type JsonShape, jsonRows } from '../../read/json/json-elements.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { attachmentsOf } from './attachments.ts'
import type { Log } from './log.ts'
import { requireObject } from '../../read/members.ts'

const SHAPE: JsonShape = { arrays: [['samples']], unread: [['reductions']] }

/** A log in one JSON file. */
export const jsonLog = (file: SourceFile): Log => ({
  isCutOff: false,
  header: async (losses) => {
    const top = requireObject(await jsonSkeleton(file.bytes(), SHAPE, losses))
    delete top['samples']
    delete top['reductions']
    return top
  },
  samples: async function* (losses) {
    let index = 0
    for await (const { value } of jsonRows(file.bytes(), SHAPE, losses)) {
      const attachments = attachmentsOf(value['attachments'])
      const { transcript } = value
      const older = isObject(transcript) ? attachmentsOf(transcript['content']) : new Map<string, string>()
      delete value['attachments']
      if (isObject(transcript)) delete transcript['content']
      yield { value, attachments: new Map([...older, ...attachments]), path: `samples[${index++}]` }
    }
  },
})
