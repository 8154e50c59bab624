import { z } from 'zod'
import { DEFAULT_MAX_CHARS } from '../../domain/agent-text/cut.ts'
import { withShownName } from '../../domain/lists/case-name.ts'
import type { Viewer } from '../access/viewer.ts'
import { findCaseInRun, readNormalCaseAt } from '../cases/cases.ts'
import { CaseEvidenceCounts, readCaseEvidence } from '../evidence/counts.ts'
import { EvidencePart, listCaseParts } from '../evidence/evidence.ts'
import { findRun } from '../runs/run.ts'
import type { PartSource } from '../transcripts/transcript.ts'
import {
  AgentTranscript,
  halvings,
  readAgentTranscript,
  shorterTranscript,
  type AskedTranscript,
} from './case-transcript.ts'
import { case_key, choices, freeText, limit, numbered, run_id, text } from './arguments.ts'
import { noCase, noRun, noTranscript } from './refusals.ts'
import { pagePath, tool } from './tool.ts'

/** The members of a case that are often long. They are returned only if they are asked for. */
const HEAVY = ['raw', 'request', 'prompt', 'tool_calls', 'error_details'] as const
const isHeavy = (name: string): boolean => (HEAVY as readonly string[]).includes(name)

/** What is not in the document but next to it: it is returned only if it is asked for. */
const EVIDENCE = ['transcript', 'attachments'] as const

const MAX_CHARS = 20_000

/** The most attachments that are listed. */
const MAX_ATTACHMENTS = 100

const hint = (name: string): [string, string] => [
  `${name}_omitted`,
  `left out: call get_case again with fields ["${name}"]`,
]

/** A case without the heavy members that are not asked for. A hint stands for each of them. */
const lightCase = (whole: object, fields: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(whole).map(([name, value]) =>
      isHeavy(name) && !fields.includes(name) ? hint(name) : [name, value],
    ),
  )

type Asked = AskedTranscript & { readonly fields: readonly string[] }

/** Whether arguments ask for a transcript, also without its name in `fields`. They need not be checked yet. */
export const asksForTranscript = ({ fields, from_event, find }: { readonly [K in keyof Asked]?: unknown }): boolean =>
  (Array.isArray(fields) && fields.includes('transcript')) || (from_event ?? find ?? null) !== null

/** The evidence of a case: how much there is, and what is asked for of it. */
const evidenceFor = async (
  source: PartSource,
  viewer: Viewer,
  place: { readonly run_id: string; readonly case_key: string; readonly run_no: number },
  asked: Asked,
) => {
  const { fields, sha256 } = asked
  const counts = await readCaseEvidence(source.reader, viewer, place.run_id, place.case_key)
  const wantsTranscript = asksForTranscript(asked)
  const transcript = wantsTranscript ? await readAgentTranscript(source, viewer, place, asked) : null
  if (wantsTranscript && transcript === null && sha256 !== undefined) throw noTranscript(sha256, place.case_key)
  const parts = fields.includes('attachments')
    ? (await source.reader.read(listCaseParts(place.run_no, place.case_key))).filter(
        ({ role }) => role !== 'transcript',
      )
    : null
  const hints = [
    ...(counts && counts.transcripts > 0 && !wantsTranscript ? ['transcript'] : []),
    ...(counts && counts.parts > counts.transcripts && !parts ? ['attachments'] : []),
  ]
  return {
    transcript,
    inCase: { ...(counts ? { evidence: counts } : {}), ...Object.fromEntries(hints.map(hint)) },
    members: {
      ...(wantsTranscript ? { transcript } : {}),
      ...(parts ? { attachments: parts.slice(0, MAX_ATTACHMENTS), attachment_count: parts.length } : {}),
    },
  }
}

export const getCase = tool({
  name: 'get_case',
  title: 'Get a case',
  description:
    'Returns one case of a run in full: output, assertions with reasons, scores, error, usage and cost. The long members raw, request, prompt, tool_calls and error_details, the transcript of an agent, and attachments are returned only if fields names them. A transcript begins with its outline; from_event reads its events, find looks for a text in them; next_event is where to go on. Long texts are cut, and _truncated lists them: raise max_chars to read more.',
  arguments: z.strictObject({
    run_id,
    case_key,
    fields: choices([...HEAVY, ...EVIDENCE], 'Long members to return too.').default([]),
    max_chars: limit(DEFAULT_MAX_CHARS, MAX_CHARS, 'Maximum length of each text in characters.'),
    from_event: numbered('The number of the first event of the transcript to return in full, from 1.'),
    find: freeText('A text to find in the events of the transcript, from from_event on.').optional(),
    sha256: text('Another transcript of the case than the first, by its digest.').optional(),
  }),
  narrowing: ['max_chars', 'fields'],
  result: z.object({
    case: z.looseObject({
      case_key: z.string(),
      evidence: CaseEvidenceCounts.optional(),
      ...Object.fromEntries([...HEAVY, ...EVIDENCE].map((name) => [`${name}_omitted`, z.string().optional()])),
    }),
    transcript: AgentTranscript.nullable().optional(),
    attachments: z.array(EvidencePart).optional(),
    attachment_count: z.int().optional(),
  }),
  run: async ({ reader, readObject, documents, viewer }, { run_id: id, case_key: key, max_chars, ...asked }) => {
    const span = await findCaseInRun(reader, viewer, id, key)
    if (!span) throw (await reader.read(findRun(viewer, id))) ? noCase(key, id) : noRun(id)
    const place = { run_id: id, case_key: key, run_no: span.run_no }
    const { transcript, inCase, members } = await evidenceFor({ reader, readObject }, viewer, place, asked)
    const shown = lightCase(withShownName(await readNormalCaseAt(documents, span)), asked.fields)
    const data = { case: { ...shown, ...inCase }, ...members }
    return {
      data,
      subject: key,
      max_chars,
      page: {
        path: pagePath('runs', id, 'cases', key, ...(transcript ? ['transcript'] : [])),
        name: transcript ? 'The transcript' : 'The case',
      },
      shorter: (attempt) => {
        const less = transcript && shorterTranscript(transcript, attempt)
        const files = members.attachments ?? []
        if (attempt > Math.max(less?.attempts ?? 0, halvings(files))) return null
        const kept = files.length >> attempt
        return {
          data: {
            ...data,
            ...(less && { transcript: less.transcript }),
            ...(files.length > 0 && { attachments: files.slice(0, kept) }),
          },
          cuts: [
            ...(less?.cuts ?? []),
            ...(files.length > 0 ? [{ path: '/attachments', kept, total: files.length }] : []),
          ],
        }
      },
    }
  },
})
