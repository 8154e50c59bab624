import type { Column } from '../../domain/lists/column.ts'
import { shortId } from '../text/format.ts'
import { visibleLine } from '../text/visible-text.ts'
import { columnName } from './column.ts'
import { DAY, MINUTE, SECOND, shortened, shortRunName, untilOf } from './run-name.ts'

/** The names of two columns, without the part that is equal in both. */
const columnNames = (base: Column, head: Column): { readonly base: string; readonly head: string } => {
  if (base.prompt_id === head.prompt_id)
    return {
      base: columnName({ provider_id: base.provider_id }),
      head: columnName({ provider_id: head.provider_id }),
    }
  if (base.provider_id === head.provider_id && base.prompt_id && head.prompt_id)
    return { base: visibleLine(base.prompt_id), head: visibleLine(head.prompt_id) }
  return { base: columnName(base), head: columnName(head) }
}

type Named = Parameters<typeof shortRunName>[0] & { readonly id: string; readonly column?: Column | null }

type ManyNamed = Named & { readonly models: readonly string[] }

/**
 * The display names of several runs by their ids. Those that share one get what distinguishes them: the model, else the day they
 * finished, the minute or the second, else the end of their ids.
 */
export const manyNames = (runs: readonly ManyNamed[]): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const [name, group] of Map.groupBy(runs, shortRunName)) {
    const endings = [
      ({ models }: ManyNamed) => visibleLine(models.join(', ')),
      ...[DAY, MINUTE, SECOND].map(
        (end) =>
          ({ created_at }: ManyNamed) =>
            untilOf(created_at, end),
      ),
    ]
    const ending =
      endings.find((of) => new Set(group.map(of)).size === group.length && group.every((run) => of(run) !== '')) ??
      (({ id }: ManyNamed) => visibleLine(shortId(id)))
    for (const run of group) names.set(run.id, group.length === 1 ? name : `${name} · ${ending(run)}`)
  }
  return names
}

/**
 * The display names of two runs, or of columns of runs. Where they are equal, as those of daily runs are, with what distinguishes them: the day they
 * finished, else the minute, the second, or the end of their ids.
 */
export const pairNames = (base: Named, head: Named): { readonly base: string; readonly head: string } => {
  if (base.column && head.column && base.id === head.id) {
    const whole = columnNames(base.column, head.column)
    const short = { base: shortened(whole.base), head: shortened(whole.head) }
    return short.base === short.head ? whole : short
  }
  const nameOf = (run: Named) => (run.column ? `${columnName(run.column)} in ${shortRunName(run)}` : shortRunName(run))
  const names = { base: nameOf(base), head: nameOf(head) }
  if (names.base !== names.head) return names
  const differing = [DAY, MINUTE, SECOND].find((end) => untilOf(base.created_at, end) !== untilOf(head.created_at, end))
  const distinct = (run: Named): string => {
    const time = untilOf(run.created_at, differing ?? SECOND)
    // A name without a note ends with the minute already.
    const name = visibleLine(run.note ?? '') === '' ? visibleLine(run.suite ?? run.project ?? 'Run') : shortRunName(run)
    return `${name} · ${time}${differing === undefined ? ` · ${visibleLine(shortId(run.id))}` : ''}`
  }
  return { base: distinct(base), head: distinct(head) }
}
