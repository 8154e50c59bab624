/** What the address of a page is about: sets of runs, suites whose project it does not name, and runs. */
export type ViewSets = {
  readonly sets: ReadonlyArray<{ readonly project: string; readonly suite: string | null }>
  readonly suites: readonly string[]
  readonly runs: readonly string[]
  /** Whether the page is for those who see everything. */
  readonly forAdmins: boolean
}

/** Parameters that name runs; several are separated by commas. */
const RUN_PARAMETERS = ['runs', 'base', 'select', 'against']

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The sets and runs that an address of the web app names. `query` has no question mark. */
export const viewSetsOf = ({ path, query }: { readonly path: string; readonly query: string }): ViewSets => {
  const parts = path.split('/').map(decoded)
  const [, , first, second, third] = parts
  // The pages' own words are the same in capitals.
  const [room, place] = [parts[1] ?? '', second ?? ''].map((word) => word.toLowerCase())
  const parameters = new URLSearchParams(query)
  const all = (name: string): string[] => parameters.getAll(name).filter((value) => value !== '')
  const [projects, suites] = [all('project'), all('suite')]
  const inPath: ViewSets['sets'] =
    room === 'projects' && first ? [{ project: first, suite: place === 'suites' && third ? third : null }] : []
  const inQuery: ViewSets['sets'] = projects.flatMap((project) =>
    (suites.length === 0 ? [null] : suites).map((suite) => ({ project, suite })),
  )
  const runsInPath =
    room === 'runs' && first ? [first] : room === 'compare' && first?.toLowerCase() !== 'outputs' ? [first, second] : []
  return {
    sets: [...inPath, ...inQuery],
    suites: projects.length === 0 ? suites : [],
    runs: [
      ...runsInPath.filter((id) => id !== undefined && id !== ''),
      ...RUN_PARAMETERS.flatMap((name) => all(name)).flatMap((ids) => ids.split(',')),
    ].filter((id): id is string => id !== undefined && id !== ''),
    forAdmins: room === 'admin',
  }
}
