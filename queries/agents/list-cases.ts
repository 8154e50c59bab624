import { z } from 'zod'
import { cutText } from '../../domain/agent-text/cut.ts'
import { agentText } from '../../domain/agent-text/fence.ts'
import { CASE_STATUSES } from '../../domain/run/document.ts'
import { CaseList, listCases } from '../cases/cases.ts'
import { findRun } from '../runs/run.ts'
import { choice, freeText, limit, place, run_id, text } from './arguments.ts'
import { noRun } from './refusals.ts'
import { columns, nextLine, tableRows, table } from './table.ts'
import { pagePath, pageQuery, tool } from './tool.ts'

/** Length of the beginning of an output in the list, in code points. */
const PREVIEW_CHARS = 200

const CASES = [
  ...columns('case_key', 'status', 'score'),
  ['provider', (row) => row['provider_id']],
  ['prompt', (row) => row['prompt_id']],
  ['test', (row) => row['test_id']],
  ['stop', (row) => row['stop_reason']],
  ['empty', (row) => row['empty_reason']],
  ['answered_by', (row) => row['answered_by_provider_id'] ?? row['provider_id']],
  ['preview', (row) => row['output_preview']],
] satisfies ReturnType<typeof columns>

const withShortPreview = (row: CaseList['cases'][number]): CaseList['cases'][number] =>
  row.output_preview === null
    ? row
    : { ...row, output_preview: cutText(agentText(row.output_preview), PREVIEW_CHARS).text }

export const listCasesTool = tool({
  name: 'list_cases',
  title: 'List cases',
  description:
    'Lists the cases of a run with their status, score and the beginning of their output. Filter by status, tag, provider, prompt, test, stop reason or error class, or by a text in the name or output (q). Continue with get_case.',
  arguments: z.strictObject({
    run_id,
    status: choice(CASE_STATUSES, 'Only cases with this status.').optional(),
    tag: text('Only cases with this tag.').optional(),
    q: freeText('A text in the name or the output. The case of letters does not matter.').optional(),
    provider: text('Only cases of this provider.').optional(),
    prompt: text('Only cases of this prompt.').optional(),
    test: text('Only cases of this test.').optional(),
    stop_reason: text('Only cases whose response ended for this reason, such as end_turn or max_tokens.').optional(),
    error_class: text('Only cases that ended with an error of this class, such as rate_limit or timeout.').optional(),
    empty_reason: text('Only cases whose output is empty for this reason.').optional(),
    cached: z
      .boolean({ error: 'must be true or false' })
      .describe('Whether the response came from the cache.')
      .optional(),
    limit: limit(20, 100),
    cursor: place,
  }),
  narrowing: ['limit', 'status', 'test'],
  result: CaseList,
  run: async ({ reader, documents, viewer }, { run_id: id, limit: rows, cursor, ...filters }) => {
    const run = await reader.read(findRun(viewer, id))
    const page = { limit: rows, cursor: cursor === undefined ? undefined : String(cursor) }
    const list = run && (await listCases(reader, documents, viewer, run, filters, page))
    if (list === null) throw noRun(id)
    const { cases, next_cursor } = JSON.parse(list) as CaseList
    return {
      data: { cases: cases.map(withShortPreview), next_cursor },
      text: (data) => table(tableRows(data, 'cases'), CASES) + nextLine(data, 'cursor'),
      subject: id,
      page: {
        path: pagePath('runs', id) + pageQuery(filters),
        name: 'The cases of the run',
      },
    }
  },
})
