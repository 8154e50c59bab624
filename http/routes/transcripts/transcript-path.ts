import { z } from 'zod'
import { LISTED_TYPES, type ListedType } from '../../../domain/transcript/event.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findTranscript, type TranscriptName } from '../../../queries/transcripts/transcript.ts'
import type { Outlines } from '../../../runtime/outlines/outlines.ts'
import { mustExist } from '../../errors.ts'
import { whole } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { RunPartPath } from '../evidence/part-path.ts'

/** The path of a transcript of a run. */
export const TranscriptPath = RunPartPath
export type TranscriptPath = z.infer<typeof TranscriptPath>

/** The number of the event with which a list begins. */
export const from = whole().meta({
  type: 'integer',
  description: 'The number of the first event, from 1: those before it are left out.',
})

const isListedType = (type: string): type is ListedType => (LISTED_TYPES as readonly string[]).includes(type)

/** What the lists of events can be filtered by. */
export const eventFilters = {
  types: z
    .string()
    .transform((given, context) => {
      const types = given.split(',')
      if (types.every(isListedType)) return types
      context.addIssue({ code: 'custom', message: `must be some of ${LISTED_TYPES.join(', ')}, with commas` })
      return z.NEVER
    })
    .optional()
    .meta({
      description:
        'Types of events, with commas between them. `error` is every event with an error, `text` a line that is no event.',
      pattern: `^(?:${LISTED_TYPES.join('|')})(?:,(?:${LISTED_TYPES.join('|')}))*$`,
    }),
  span: whole().meta({
    type: 'integer',
    description: 'The number of a span: only it and what is in it, at any depth.',
  }),
}

/**
 * Names a transcript that the viewer can see, once its first events are outlined. Refuses: not_found, as for an absent run.
 */
export const beginOutline = async (
  { reader }: Pick<Services, 'reader'>,
  outlines: Outlines,
  viewer: Viewer,
  { id, sha256 }: TranscriptPath,
): Promise<TranscriptName> => {
  const name = { run_id: id, sha256 }
  const part = mustExist(await reader.read(findTranscript(viewer, name)), 'run')
  await outlines.begin(viewer, name, part)
  return name
}
