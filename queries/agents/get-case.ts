import { z } from 'zod'
import { DEFAULT_MAX_CHARS } from '../../domain/agent-text/cut.ts'
import { withShownName } from '../../domain/lists/case-name.ts'
import { findCaseInRun, readNormalCaseAt } from '../cases/cases.ts'
import { findRun } from '../runs/run.ts'
import { case_key, choices, limit, run_id } from './arguments.ts'
import { noCase, noRun } from './refusals.ts'
import { pagePath, tool } from './tool.ts'

/** The members of a case that are often long. They are returned only if they are asked for. */
const HEAVY = ['raw', 'request', 'prompt', 'tool_calls', 'error_details'] as const
const isHeavy = (name: string): boolean => (HEAVY as readonly string[]).includes(name)

const MAX_CHARS = 20_000

/** A case without the heavy members that are not asked for. A hint stands for each of them. */
const lightCase = (whole: object, fields: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(whole).map(([name, value]) =>
      isHeavy(name) && !fields.includes(name)
        ? [`${name}_omitted`, `left out: call get_case again with fields ["${name}"]`]
        : [name, value],
    ),
  )

export const getCase = tool({
  name: 'get_case',
  title: 'Get a case',
  description:
    'Returns one case of a run in full: output, assertions with reasons, scores, error, usage and cost. The long members raw, request, prompt, tool_calls and error_details are returned only if fields names them. Long texts are cut, and _truncated lists them: raise max_chars to read more.',
  arguments: z.strictObject({
    run_id,
    case_key,
    fields: choices(HEAVY, 'Long members to return too.').default([]),
    max_chars: limit(DEFAULT_MAX_CHARS, MAX_CHARS, 'Maximum length of each text in characters.'),
  }),
  narrowing: ['max_chars', 'fields'],
  result: z.object({
    case: z.looseObject({
      case_key: z.string(),
      ...Object.fromEntries(HEAVY.map((name) => [`${name}_omitted`, z.string().optional()])),
    }),
  }),
  run: async ({ reader, documents, viewer }, { run_id: id, case_key: key, fields, max_chars }) => {
    const span = await findCaseInRun(reader, viewer, id, key)
    if (!span) throw (await reader.read(findRun(viewer, id))) ? noCase(key, id) : noRun(id)
    return {
      data: { case: lightCase(withShownName(await readNormalCaseAt(documents, span)), fields) },
      subject: key,
      max_chars,
      page: { path: pagePath('runs', id, 'cases', key), name: 'The case' },
    }
  },
})
