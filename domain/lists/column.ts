/** A column of a run: the cases of one provider, with one prompt (null: without a prompt) or with all of them. */
export type Column = { readonly provider_id: string; readonly prompt_id?: string | null | undefined }

type Placed = { readonly provider_id: string | null; readonly prompt_id: string | null }

/** Whether a case is in a column. A case without a provider is in the column of the provider with an empty name. */
export const isInColumn = ({ provider_id, prompt_id }: Placed, column: Column): boolean =>
  (provider_id ?? '') === column.provider_id &&
  (column.prompt_id === undefined || (prompt_id ?? '') === (column.prompt_id ?? ''))

/** A name as it is written in a list with commas. */
const encodeName = (name: string): string => name.replace(/[%,]/g, encodeURIComponent)

/** A column as parameters and options name it: `PROVIDER` or `PROVIDER,PROMPT`. A comma or a percent sign in a name is percent-encoded. */
export const columnText = ({ provider_id, prompt_id }: Column): string =>
  prompt_id === undefined ? encodeName(provider_id) : `${encodeName(provider_id)},${encodeName(prompt_id ?? '')}`

/** Reads the text of a column; null for text that is none. */
export const parseColumn = (text: string): Column | null => {
  const [provider = '', prompt, ...more] = text.split(',')
  if (more.length > 0) return null
  try {
    const provider_id = decodeURIComponent(provider)
    return prompt === undefined ? { provider_id } : { provider_id, prompt_id: decodeURIComponent(prompt) || null }
  } catch {
    return null
  }
}

/** What a column is made of: a provider with all its prompts, or with each of them. */
export const COLUMNS_BY = ['column', 'provider'] as const
export type ColumnsBy = (typeof COLUMNS_BY)[number]

type ColumnCases<P> = { readonly column: Column; readonly cases: P[] }

/** Cases by their column, in the order of their first cases. */
export const groupByColumn = <P extends Placed>(cases: readonly P[], by: ColumnsBy): Array<ColumnCases<P>> => {
  const groups = new Map<string, ColumnCases<P>>()
  for (const placed of cases) {
    const { provider_id, prompt_id } = placed
    const provider = { provider_id: provider_id ?? '' }
    const column = by === 'provider' ? provider : { ...provider, prompt_id: prompt_id || null }
    const text = columnText(column)
    const group: ColumnCases<P> = groups.get(text) ?? { column, cases: [] }
    groups.set(text, group)
    group.cases.push(placed)
  }
  return [...groups.values()]
}

/** Maximum number of names in an error. */
const MAX_NAMED = 10

/** The error for a column without a case in a run, with the columns that the run has. */
export const unknownColumn = (column: Column, cases: readonly Placed[]): string => {
  const known = groupByColumn(cases, column.prompt_id === undefined ? 'provider' : 'column')
  const names = known.slice(0, MAX_NAMED).map((each) => JSON.stringify(columnText(each.column)))
  return `the run has no case in the column ${JSON.stringify(columnText(column))}; ${known.length > MAX_NAMED ? 'some of its columns are' : 'its columns are'} ${names.join(', ')}`
}
