import { z } from 'zod'
import { parseExact } from '../../domain/run/canonical-json.ts'
import { continueMatrix, Matrix, startMatrix } from '../cases/matrix.ts'
import { inParts } from '../parts.ts'
import { judgedFields } from '../reviews/judges.ts'
import { findConfig, RunConfig } from '../runs/config.ts'
import { findPreviousRun } from '../runs/previous-run.ts'
import { readJudgedRun, RunDetail } from '../runs/run-detail.ts'
import { findLeaderboard, Leaderboard } from '../statistics/leaderboard.ts'
import { choices, column, limit, place, run_id } from './arguments.ts'
import { checkComparable } from './comparable.ts'
import { noRun, tooLarge } from './refusals.ts'
import { pagePath, tool, ToolError, type ToolContext } from './tool.ts'

const NARROWING = ['matrix_limit', 'leaderboard_limit', 'include']

const matrixText = inParts<ToolContext, Parameters<typeof startMatrix>[2], Parameters<typeof continueMatrix>[3]>({
  begin: ({ reader, viewer }, asked) => startMatrix(reader, viewer, asked),
  part: ({ reader, viewer }, asked, from) => continueMatrix(reader, viewer, asked, from),
})

const readMatrix = async (context: ToolContext, asked: Parameters<typeof startMatrix>[2]): Promise<unknown> => {
  const text = await matrixText(context, asked, null)
  if (text === null) throw noRun(asked.run_id)
  if (typeof text !== 'string') throw new ToolError(tooLarge(NARROWING))
  return JSON.parse(text)
}

const readConfig = async ({ reader, viewer }: ToolContext, id: string): Promise<unknown> => {
  const text = await findConfig(reader, viewer, id)
  return text === null ? null : parseExact(text)
}

/** The best columns of a run, and always the base. */
const readLeaderboard = async (
  { reader, viewer }: ToolContext,
  { rows, ...asked }: Omit<Parameters<typeof findLeaderboard>[2], 'by'> & { readonly rows: number },
): Promise<unknown> => {
  await checkComparable(reader, viewer, [asked.run_id])
  const board = await findLeaderboard(reader, viewer, { ...asked, by: 'column' })
  if (!board) throw noRun(asked.run_id)
  const { columns } = board
  return { ...board, columns: columns.filter(({ against_base }, n) => n < rows || against_base === null) }
}

export const getRun = tool({
  name: 'get_run',
  title: 'Get a run',
  description:
    'Returns one run: its counts, cost, duration, git commit, CI job, tags and digests. With include it adds the matrix (a row for each test, a column for each provider and prompt, with pass counts and mean scores), the leaderboard (columns, best first: pass rate with interval, score, latency, tokens, cost, p against a base) or the resolved configuration.',
  arguments: z.strictObject({
    run_id,
    include: choices(['matrix', 'config', 'leaderboard'], 'What to add to the run.').default([]),
    matrix_limit: limit(25, 100),
    matrix_cursor: place,
    leaderboard_limit: limit(20, 50, 'Maximum number of columns.'),
    leaderboard_base: column('The column with which the others are compared; the best by default.'),
  }),
  narrowing: NARROWING,
  result: z.object({
    run: RunDetail,
    matrix: Matrix.optional(),
    leaderboard: Leaderboard.optional(),
    config: RunConfig.nullable().optional(),
  }),
  run: async (
    context,
    { run_id: id, include, matrix_limit, matrix_cursor, leaderboard_limit: rows, leaderboard_base: base },
  ) => {
    const { reader, viewer } = context
    const found = await readJudgedRun(reader, viewer, id)
    if (!found) throw noRun(id)
    const { judges, mayHaveChanged } = found
    const previous = mayHaveChanged ? await findPreviousRun(reader, viewer, id) : null
    const run = { ...found.run, ...judgedFields(judges, previous?.judge_changed) }
    const cursor = matrix_cursor === undefined ? undefined : String(matrix_cursor)
    return {
      data: {
        run,
        ...(include.includes('matrix')
          ? { matrix: await readMatrix(context, { run_id: id, limit: matrix_limit, cursor }) }
          : {}),
        ...(include.includes('leaderboard')
          ? { leaderboard: await readLeaderboard(context, { run_id: id, base, rows }) }
          : {}),
        ...(include.includes('config') ? { config: await readConfig(context, id) } : {}),
      },
      subject: id,
      page: { path: pagePath('runs', id), name: 'The run' },
    }
  },
})
