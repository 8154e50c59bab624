import { columnText } from '../../../domain/lists/column.ts'
import type { TestOutputs } from '../../../queries/statistics/outputs.ts'

export type OutputColumn = TestOutputs['columns'][number]

/** Columns that can be next to each other, and those that are at first. */
export const MAX_SHOWN = 8
const SHOWN_FIRST = 4

const differs = <T>(values: readonly T[]): boolean => new Set(values).size > 1

/**
 * The names of the columns: what differs between them, of the provider, the prompt, the note of the run and the trial. The
 * model if nothing else does.
 */
export const columnNames = (columns: readonly OutputColumn[]): string[] => {
  const [providers, prompts, runs] = [
    differs(columns.map(({ provider_id }) => provider_id)),
    differs(columns.map(({ prompt_id }) => prompt_id)),
    differs(columns.map(({ run_id }) => run_id)),
  ]
  const names = columns.map(({ provider_id, prompt_id, note, model, run_id }) => {
    const parts = [
      ...(providers ? [provider_id ?? 'no provider'] : []),
      ...(prompts ? [prompt_id ?? 'no prompt'] : []),
      ...(runs && !providers && !prompts ? [note ?? model ?? run_id] : []),
    ]
    return parts.length > 0 ? parts.join(' · ') : (model ?? provider_id ?? 'output')
  })
  // Trials of one column, or runs of one provider, have the same name so far.
  return names.map((name, n) => {
    if (names.filter((each) => each === name).length === 1) return name
    const { repeat, run_id, note } = columns[n] ?? { repeat: null, run_id: '', note: null }
    const isTrial = columns.some((each, m) => m !== n && names[m] === name && each.run_id === run_id)
    return isTrial ? `${name} · trial ${(repeat ?? 0) + 1}` : `${name} · ${note ?? run_id}`
  })
}

/**
 * What names each column in the address: of one run its case, of several its run. A case has the same key in all runs of
 * a provider. A run with several columns needs both.
 */
export const columnIds = (columns: readonly OutputColumn[]): string[] => {
  const runs = columns.map(({ run_id }) => run_id)
  if (!differs(runs)) return columns.map(({ case_key }) => case_key)
  return columns.map(({ run_id, case_key }) =>
    runs.filter((each) => each === run_id).length === 1 ? run_id : `${run_id}/${case_key}`,
  )
}

/**
 * The positions of the columns that are shown: the chosen ones by their ids, else the first, always with the base.
 */
export const shownColumns = (
  columns: readonly OutputColumn[],
  against: number,
  chosen: readonly string[] | null,
): number[] => {
  const all = columns.map((_, n) => n)
  const ids = columnIds(columns)
  const wanted = chosen ? all.filter((n) => chosen.includes(ids[n] ?? '')) : all
  const room = wanted.length > 0 && chosen ? MAX_SHOWN : SHOWN_FIRST
  const kept = (wanted.length > 0 ? wanted : all).slice(0, room)
  if (kept.includes(against)) return kept
  return [against, ...kept.slice(0, room - 1)]
}

const textOfColumn = ({ provider_id, prompt_id }: OutputColumn): string =>
  columnText({ provider_id: provider_id ?? '', prompt_id: prompt_id || null })

/** The page that compares the columns of two outputs over all tests; null for trials of one column. */
export const comparisonOf = (base: OutputColumn | undefined, head: OutputColumn | undefined) => {
  if (!base || !head || (base.run_id === head.run_id && textOfColumn(base) === textOfColumn(head))) return null
  return {
    name: 'compare',
    params: { base: base.run_id, head: head.run_id },
    query: { base_column: [textOfColumn(base)], head_column: [textOfColumn(head)] },
  }
}
