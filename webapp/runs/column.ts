import type { Column } from '../../domain/lists/column.ts'
import type { CaseFilters } from '../cases/case-filters.ts'
import { visibleLine } from '../text/visible-text.ts'

/** The name of a column: its provider, and its prompt if it is of one prompt. */
export const columnName = ({ provider_id, prompt_id }: Column): string => {
  const provider = visibleLine(provider_id) || 'no provider'
  return prompt_id ? `${provider} · ${visibleLine(prompt_id)}` : provider
}

/** The filters that show the cases of a column. */
export const columnFilter = ({ provider_id, prompt_id }: Column): CaseFilters => ({
  ...(provider_id === '' ? {} : { provider: provider_id }),
  ...(prompt_id ? { prompt: prompt_id } : {}),
})
