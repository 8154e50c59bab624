import { z } from 'zod'
import { listRuns, parseRunCursor, RunList } from '../runs/run-list.ts'
import { listProjects, listSuites, ProjectList, SuiteList } from '../sets/sets.ts'
import { choice, instant, limit, text } from './arguments.ts'
import { columns, nextLine, rowsOf, table } from './table.ts'
import { tool, ToolError } from './tool.ts'
import type { Page, ToolContext, ToolResult } from './tool.ts'

const Arguments = z.strictObject({
  project: text('Only runs of this project.').optional(),
  suite: text('Only runs of this suite.').optional(),
  tag: text('Only runs with this tag.').optional(),
  branch: text('Only runs of this git branch.').optional(),
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
const pageOf = ({ limit: _, cursor: __, group_by: ___, since, until, ...filters }: Arguments): Page => {
  const query = new URLSearchParams(
    Object.entries({ ...filters, since, until }).flatMap(([name, value]) =>
      value === undefined ? [] : ([[name, String(value)]] as Array<[string, string]>),
    ),
  ).toString()
  return { path: `/runs${query === '' ? '' : `?${query}`}`, name: 'Runs' }
}

const catalog = async (
  { reader, viewer }: ToolContext,
  group_by: 'project' | 'suite',
  project: string | undefined,
): Promise<ToolResult> => {
  if (group_by === 'project')
    return {
      data: await reader.read(listProjects(viewer)),
      text: (data) =>
        table(rowsOf(data, 'projects'), [
          ...columns('project'),
          ['runs', (row) => row['run_count']],
          ['suites', (row) => row['suite_count']],
          ...columns('last_run_at'),
        ]),
      page: { path: '/projects', name: 'Projects' },
    }
  if (project === undefined) throw new ToolError('project: is required with group_by suite')
  return {
    data: await listSuites(reader, viewer, project),
    text: (data) =>
      table(rowsOf(data, 'suites'), [
        ...columns('suite'),
        ['runs', (row) => row['run_count']],
        ...columns('last_run_at'),
      ]),
    page: { path: `/projects/${encodeURIComponent(project)}`, name: `Suites of ${project}` },
  }
}

export const findRuns = tool({
  name: 'find_runs',
  title: 'Find runs',
  description:
    'Start here. Lists evaluation runs, newest first, by project, suite, branch, tag, time or outcome. With group_by it lists the projects, or the suites of a project with their baseline_run_id and their newest pass rates. Continue with get_run, list_cases or compare_runs.',
  arguments: Arguments,
  result: Result,
  run: async (context, given) => {
    const { limit: rows, cursor, group_by, ...filters } = given
    if (group_by) return catalog(context, group_by, given.project)
    if (cursor !== undefined && parseRunCursor(cursor) === null)
      throw new ToolError('cursor: must be the next_cursor of an earlier answer')
    const list = await listRuns(context.reader, context.viewer, filters, { limit: rows, cursor })
    return {
      data: JSON.parse(list) as RunList,
      text: (data) => table(rowsOf(data, 'runs'), RUNS) + nextLine(data, 'cursor'),
      page: pageOf(given),
    }
  },
})
