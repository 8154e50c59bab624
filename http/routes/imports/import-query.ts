import { z } from 'zod'
import { parseInstant } from '../../../domain/instants.ts'
import { EVIDENCE_CHOICES, parsePassThreshold, parseScoreRange } from '../../../interchange/document/import-options.ts'
import { checkTimeZone, timeOfMs } from '../../../interchange/document/time/times.ts'
import { FORMATS } from '../../../interchange/importers/index.ts'
import { flag, repeated } from '../../requests/shared-parameters.ts'

const name = (description: string) => z.string().min(1).optional().meta({ description })

/** A text that may be given several times, each parsed by itself: `parse` returns null for another text. */
const parsed = <T>(parse: (text: string) => T | null, wanted: string, description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given, context): readonly T[] => {
      const found = [given].flat().map(parse)
      if (found.every((value) => value !== null)) return found
      context.addIssue({ code: 'custom', message: wanted })
      return z.NEVER
    })
    .optional()
    .meta({ description })

/** How a file of another tool is imported. */
export const ImportQuery = z.strictObject({
  format: z
    .enum(['auto', ...FORMATS])
    .default('auto')
    .meta({ description: 'The format of the file; `auto` recognises it by its content.' }),
  name: name('The name of the file, which may show its time. A multipart part has its own.'),
  project: name('The project of the runs. Default: the name of the format.'),
  suite: name('The suite of the runs. Default: what the file says.'),
  provider: name('The provider of the cases. Default: what the file says.'),
  scorer: repeated(
    'The name of the assertion that decides a case; of several, all must pass. Default: those that decide in the tool.',
  ),
  pass_threshold: parsed(
    parsePassThreshold,
    'must be a number, or NAME=X',
    'A score without a result passes from this value on, in its own units: a number, or NAME=X for one score. Default: the middle of its range. May be given several times.',
  ),
  score: parsed(
    parseScoreRange,
    'must be NAME=MIN..MAX, such as judge=1..5',
    'The range of a score, as NAME=MIN..MAX. Default: what the file says, else 0..1. May be given several times.',
  ),
  lower_is_better: repeated('The name of a score of which a low value is good. May be given several times.'),
  higher_is_better: repeated(
    'The name of a score of which a high value is good in spite of its name. May be given several times.',
  ),
  time_zone: z
    .string()
    .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
    .optional()
    .meta({ description: 'The IANA zone of times without one. Default: UTC.' }),
  created_at: z
    .string()
    .transform((text, context) => {
      const time = timeOfMs(parseInstant(text) ?? Number.NaN)
      if (time !== null) return time
      context.addIssue({ code: 'custom', message: 'must be epoch milliseconds or an RFC 3339 instant' })
      return z.NEVER
    })
    .optional()
    .meta({ type: 'string', description: 'The time of runs whose source has none.' }),
  aggregates: flag.meta({
    description: 'Whether a source that has only totals becomes a run with one case for each total.',
  }),
  strict: flag.meta({
    description: 'Whether a run is refused if its tool reports another number of cases than its file contains.',
  }),
  evidence: z.enum(EVIDENCE_CHOICES).default('all').meta({
    description:
      'What is kept with the runs apart from their documents: `all` (the file, transcripts, pictures and other files), `transcripts` (with their pictures), or `none`.',
  }),
  map: name('A preset for a table, such as `preset:ragas`. A map of your own is the part `map` of a multipart body.'),
  dry_run: flag.meta({ description: 'Whether the file is only converted and checked, and nothing is stored.' }),
})
export type ImportQuery = z.infer<typeof ImportQuery>

function isTimeZone(text: string): boolean {
  try {
    checkTimeZone(text)
    return true
  } catch {
    return false
  }
}
