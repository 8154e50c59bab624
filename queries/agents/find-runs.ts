import { z } from 'zod'
import { listRuns, parseRunCursor, RunList } from '../runs/run-list.ts'
import { ProjectList, SuiteList } from '../sets/sets.ts'
import { choice, instant, limit, text } from './arguments.ts'
import { listCatalog } from './catalog.ts'
import { columns, nextLine, tableRows, table } from './table.ts'
import { pageQuery, tool, ToolError, type Page } from './tool.ts'

const Arguments = z.strictObject({
  project: text('Only runs of this project.').optional(),
  suite: text('Only runs of this suite.').optional(),
  tag: text('Only runs with this tag.').optional(),
  branch: text('Only runs of this git branch.').optional(),
  provider: text('Only runs with a case of this provider (the model, as runs name it).').optional(),
  actor: text('Only runs that this person or account made or uploaded.').optional(),
  since: instant('Only runs from this time on.'),
  until: instant('Only runs up to this time.'),
  status: choice(
    ['pass', 'fail', 'error'],
    'pass: no case failed or ended with an error. fail: a case failed. error: a case ended with an error.',
  ).optional(),
  cached: choice(
    ['exclude', 'only', 'all'],
    'Runs whose responses all came from the cache: exclude hides them, only shows nothing else.',
  ).optional(),
  origin: choice(['ci', 'local'], 'Whether a CI system made the run.').optional(),
  limit: limit(10, 50),
  cursor: text('The next_cursor of the page before.').optional(),
  group_by: choice(
    ['project', 'suite'],
    'Lists what exists instead of runs: all projects, or the suites of a project. Ignores the other filters.',
  ).optional(),
})
type Arguments = z.output<typeof Arguments>

const Result = z.object({
  ...RunList.partial().shape,
  ...ProjectList.partial().shape,
  ...SuiteList.partial().shape,
})

const RUNS = [
  ...columns('id', 'project', 'suite'),
  ['pass', (row) => row['pass_count']],
  ['fail', (row) => row['fail_count']],
  ['err', (row) => row['error_count']],
  ['rate', (row) => row['pass_rate']],
  ['branch', (row) => row['git_branch']],
  ...columns('created_at'),
] satisfies ReturnType<typeof columns>

/** The page of the list of runs with the same filters. */
const runListPage = ({ limit: _, cursor: __, group_by: ___, since, until, ...filters }: Arguments): Page => ({
  // Unlike the tool, the page hides runs from the cache unless it is asked for all.
  path: `/runs${pageQuery({ ...filters, cached: filters.cached ?? 'all', since, until })}`,
  name: 'The runs',
})

const ENCODED = 'base64url:'

/**
 * A cursor of the list of runs, for an agent. It ends with the id of a run, which can be any text. One with other than
 * plain characters, or with one that begins a marker, is encoded, so that sanitizing does not change it and it cannot
 * look like a line of the answer.
 */
const agentCursor = (cursor: string): string =>
  /^[!-;=-~]{1,300}$/.test(cursor) ? cursor : ENCODED + Buffer.from(cursor).toString('base64url')

const listCursor = (given: string): string =>
  given.startsWith(ENCODED) ? Buffer.from(given.slice(ENCODED.length), 'base64url').toString() : given

export const findRuns = tool({
  name: 'find_runs',
  title: 'Find runs',
  description:
    'Start here. Lists evaluation runs, newest first, by project, suite, branch, tag, provider, time or outcome. With group_by it lists the projects, or the suites of a project with their baseline_run_id and their newest pass rates. Continue with get_run, list_cases or compare_runs.',
  arguments: Arguments,
  narrowing: ['limit', 'project', 'suite'],
  result: Result,
  run: async (context, given) => {
    const { limit: rows, cursor: after, group_by, ...filters } = given
    if (group_by) return listCatalog(context, group_by, given.project)
    const cursor = after === undefined ? undefined : listCursor(after)
    if (cursor !== undefined && parseRunCursor(cursor) === null)
      throw new ToolError('cursor: must be the next_cursor of an earlier answer')
    const list = JSON.parse(await listRuns(context.reader, context.viewer, filters, { limit: rows, cursor })) as RunList
    return {
      data: { ...list, next_cursor: list.next_cursor === null ? null : agentCursor(list.next_cursor) },
      text: (data) => table(tableRows(data, 'runs'), RUNS) + nextLine(data, 'cursor'),
      subject: 'runs',
      page: runListPage(given),
    }
  },
})
