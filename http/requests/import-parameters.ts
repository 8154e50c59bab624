import { z } from 'zod'
import { checkTimeZone } from '../../interchange/document/time/times.ts'
import { FORMATS } from '../../interchange/importers/index.ts'
import { parseInstant } from '../../domain/instants.ts'
import { flag } from './parameters.ts'

const name = (description: string) => z.string().min(1).optional().meta({ description })

const THRESHOLD = /^(?:(.+)=)?(0|1|[01]?\.\d+|1\.0+)$/s

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
  scorer: name('The name of the assertion that decides a case. Default: those that decide in the tool.'),
  pass_threshold: z
    .string()
    .regex(THRESHOLD, 'must be a number from 0 to 1, or NAME=X')
    .transform((text) => {
      const [, assertion, value] = THRESHOLD.exec(text) ?? []
      return { assertion: assertion ?? null, value: Number(value) }
    })
    .optional()
    .meta({
      type: 'string',
      description: 'A score without a result passes from here on: a number from 0 to 1, or NAME=X. Default: 0.5.',
    }),
  time_zone: z
    .string()
    .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
    .optional()
    .meta({ description: 'The IANA zone of times without one. Default: UTC.' }),
  created_at: z
    .string()
    .transform((text, context) => {
      const ms = parseInstant(text)
      if (ms !== null) return new Date(ms).toISOString()
      context.addIssue({ code: 'custom', message: 'must be epoch milliseconds or an RFC 3339 instant' })
      return z.NEVER
    })
    .optional()
    .meta({ type: 'string', description: 'The time of runs whose source has none.' }),
  aggregates: flag.meta({ description: 'Whether a source with totals only becomes a run with a case for each total.' }),
  strict: flag.meta({
    description: 'Whether a run is refused if its tool counts other cases than its file holds.',
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
