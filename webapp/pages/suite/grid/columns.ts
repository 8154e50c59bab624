import { dayLabel } from '../../../components/charts/scale.ts'
import { MAX_COMPARED } from '../../../runs/compared-runs.ts'
import { runName } from '../../../runs/run-name.ts'
import { visibleLine } from '../../../text/visible-text.ts'
import type { Suite } from '../use-suite.ts'
import type { GridRow, GridRun } from './marks.ts'

// The columns of a grid whose rows are tests: runs, mostly each of another model, the best first.

const rateOf = ({ pass_count, case_count }: GridRun): number => (case_count === 0 ? -1 : pass_count / case_count)

const providersOf = ({ provider_ids }: GridRun): string => provider_ids.map(visibleLine).join(' + ')

/** A run of more providers than this is a matrix, which their names would not tell from another. */
const MAX_NAMED_PROVIDERS = 2

/** The display names of runs: their providers if these differ, after the day where two are the same. */
export const columnNames = (runs: readonly GridRun[], suite: Suite): string[] => {
  const providers = runs.map(providersOf)
  const areEqual = new Set(providers).size === 1
  return runs.map((run, i) => {
    const name = providers[i] ?? ''
    if (areEqual || name === '' || run.provider_ids.length > MAX_NAMED_PROVIDERS) return runName({ ...run, ...suite })
    return providers.indexOf(name) === providers.lastIndexOf(name) ? name : `${dayLabel(run.created_at)} · ${name}`
  })
}

/** Whether most runs have other providers than the others. */
export const isOfManyModels = (runs: readonly GridRun[]): boolean =>
  runs.length > 1 && new Set(runs.map(providersOf)).size > runs.length / 2

/** Puts the best run first; equal runs stay in their order, the newest first. Marks move with their run. */
export const bestFirst = (
  runs: readonly GridRun[],
  rows: readonly GridRow[],
): { readonly runs: GridRun[]; readonly rows: GridRow[] } => {
  const order = runs
    .map((run, i) => ({ i, rate: rateOf(run) }))
    .sort((a, b) => b.rate - a.rate || b.i - a.i)
    .map(({ i }) => i)
  return {
    runs: order.flatMap((i) => runs[i] ?? []),
    rows: rows.map((row) => ({ ...row, marks: order.map((i) => row.marks[i] ?? '.').join('') })),
  }
}

/** The number of runs that have a test. */
export const countWith = (marks: string): number => [...marks].filter((mark) => mark !== '.').length

/** The runs to show side by side for a test: those that have it, `first` before the others, as many as can be compared. */
export const runsWith = (runs: readonly GridRun[], marks: string, first?: number): string[] => {
  const having = runs.flatMap(({ id }, i) => ((marks[i] ?? '.') !== '.' && i !== first ? [id] : []))
  const chosen = first === undefined ? undefined : runs[first]
  return [...(chosen ? [chosen.id] : []), ...having].slice(0, MAX_COMPARED)
}
