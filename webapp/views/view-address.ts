import type { SavedView } from '../../queries/views.ts'

/** The address that a saved view stands for. `query` has no question mark. */
export type ViewAddress = Pick<SavedView, 'path' | 'query'>

/** Limits of the server. */
export const MAX_NAME = 100

export const addressText = ({ path, query }: ViewAddress): string => (query === '' ? path : `${path}?${query}`)

/** The parts of an address of the app. A fragment names a place on the page and is left out. */
export const splitAddress = (address: string): ViewAddress => {
  const [page = ''] = address.split('#')
  const at = page.indexOf('?')
  return at === -1 ? { path: page, query: '' } : { path: page.slice(0, at), query: page.slice(at + 1) }
}

/** Parameters in an order that does not depend on the order in which they were chosen. */
const sortedQuery = (query: string): string => {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return parameters.toString()
}

/** Whether two addresses show the same. */
export const isSameAddress = (a: ViewAddress, b: ViewAddress): boolean =>
  a.path === b.path && sortedQuery(a.query) === sortedQuery(b.query)

const PAGES: ReadonlyArray<readonly [pattern: RegExp, label: string]> = [
  [/^\/$/, 'Overview'],
  [/^\/runs$/, 'Runs'],
  [/^\/runs\/[^/]+\/matrix$/, 'Matrix of a run'],
  [/^\/runs\/[^/]+\/tests\//, 'Outputs of a test'],
  [/^\/runs\/[^/]+\/cases\//, 'Case'],
  [/^\/runs\//, 'Run'],
  [/^\/compare\/outputs\//, 'Outputs of a test'],
  [/^\/compare(?:\/|$)/, 'Compare'],
  [/^\/projects$/, 'Suites'],
  [/^\/projects\/[^/]+\/suites\/[^/]+\/cases\//, 'Case history'],
  [/^\/projects\/[^/]+\/suites\//, 'Suite'],
  [/^\/projects\//, 'Project'],
  [/^\/search$/, 'Search'],
  [/^\/cache(?:\/|$)/, 'Cache'],
  [/^\/admin\/users/, 'Users'],
  [/^\/admin\/keys/, 'Keys'],
  [/^\/admin\/access/, 'Access'],
  [/^\/admin\/audit/, 'Audit'],
  [/^\/admin\/server/, 'Server'],
]

/** The page of an address. Null for pages that have nothing to save. */
export const pageName = (path: string): string | null => PAGES.find(([pattern]) => pattern.test(path))?.[1] ?? null

/** Parameters that a name of a view leaves out: they say in which form something is shown. */
const FORM = new Set(['sort', 'order', 'select', 'cell', 'columns', 'page'])

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Names in a path, such as those of a project and its suite; none for other pages. */
export const namesIn = (path: string): string[] => {
  const [, first, project, , suite] = path.split('/')
  return first === 'projects' ? [project, suite].flatMap((part) => (part ? [decoded(part)] : [])) : []
}

/** What an address shows, in words: `Runs · suite smoke · status fail`. */
export const describeAddress = ({ path, query }: ViewAddress): string =>
  [
    pageName(path) ?? path,
    ...namesIn(path),
    ...[...new URLSearchParams(query)].map(([name, value]) => (value === '' ? name : `${name} ${value}`)),
  ].join(' · ')

/** A name for an address: `Runs: smoke, fail`. */
export const suggestName = ({ path, query }: ViewAddress): string => {
  const values = [...new URLSearchParams(query)].flatMap(([name, value]) =>
    FORM.has(name) || value === '' ? [] : [value === 'true' ? name : value],
  )
  const words = [...namesIn(path), ...values].join(', ')
  const name = `${pageName(path) ?? ''}${words === '' ? '' : `: ${words}`}`.trim()
  return [...name].slice(0, MAX_NAME).join('')
}
