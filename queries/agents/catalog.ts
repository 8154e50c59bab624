import { listProjects, listSuites } from '../sets/sets.ts'
import { columns, tableRows, table } from './table.ts'
import { pagePath, ToolError, type Shortened, type ToolContext, type ToolResult } from './tool.ts'

// What exists: the projects, or the suites of a project. The lists have no pages, so a long one is shortened.

/** How many points of each series a list has that is too long, by attempt. After that it loses rows. */
const POINTS = [5, 1, 0]

/** Half of the rows, a quarter, and so on; null after the last one. */
const fewerRows = (name: string, rows: readonly object[], attempt: number): Shortened | null => {
  const kept = Math.floor(rows.length / 2 ** attempt)
  return kept === 0
    ? null
    : { data: { [name]: rows.slice(0, kept) }, cuts: [{ path: `/${name}`, kept, total: rows.length }] }
}

/** Says how many rows are left out, and how to find them. */
const leftOut = ({ _truncated: cuts }: Readonly<Record<string, unknown>>, name: string): string => {
  const cut = (cuts as Shortened['cuts'] | undefined)?.find(({ path }) => path === `/${name}`)
  return cut
    ? `\n\n${cut.total - cut.kept} more ${name} are left out: find_runs finds their runs by name, tag, branch or time`
    : ''
}

const findProjects = async ({ reader, viewer }: ToolContext): Promise<ToolResult> => {
  const data = await reader.read(listProjects(viewer))
  return {
    data,
    shorter: (attempt) => fewerRows('projects', data.projects, attempt),
    text: (shown) =>
      table(tableRows(shown, 'projects'), [
        ...columns('project'),
        ['runs', (row) => row['run_count']],
        ['suites', (row) => row['suite_count']],
        ...columns('last_run_at'),
      ]) + leftOut(shown, 'projects'),
    subject: 'projects',
    page: { path: '/projects', name: 'The projects' },
  }
}

const findSuites = async ({ reader, viewer }: ToolContext, project: string): Promise<ToolResult> => {
  const data = await listSuites(reader, viewer, project)
  const { suites } = data
  const withPoints = (kept: number) => suites.map((suite) => ({ ...suite, series: suite.series.slice(0, kept) }))
  return {
    data,
    shorter: (attempt) => {
      const kept = POINTS[attempt - 1] ?? 0
      const rows = withPoints(kept)
      const fewer =
        attempt <= POINTS.length
          ? { data: { suites: rows }, cuts: [] }
          : fewerRows('suites', rows, attempt - POINTS.length)
      if (!fewer) return null
      const shown = suites.slice(0, fewer.cuts[0]?.kept)
      const cutSeries = shown.flatMap(({ series: { length: total } }, n) =>
        total > kept ? [{ path: `/suites/${n}/series`, kept, total }] : [],
      )
      return { data: { project, ...fewer.data }, cuts: [...fewer.cuts, ...cutSeries] }
    },
    text: (shown) =>
      table(tableRows(shown, 'suites'), [
        ...columns('suite'),
        ['runs', (row) => row['run_count']],
        ...columns('last_run_at'),
      ]) + leftOut(shown, 'suites'),
    subject: project,
    page: { path: pagePath('projects', project), name: 'The suites of the project' },
  }
}

/** The projects that the viewer sees, or the suites of one. Throws `ToolError`. */
export const listCatalog = (
  context: ToolContext,
  group_by: 'project' | 'suite',
  project: string | undefined,
): Promise<ToolResult> => {
  if (group_by === 'project') return findProjects(context)
  if (project === undefined) throw new ToolError('project: is required with group_by suite')
  return findSuites(context, project)
}
