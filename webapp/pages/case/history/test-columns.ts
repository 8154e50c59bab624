import type { CaseDetail, CaseListItem } from '../../../../queries/cases/cases.ts'
import type { Status } from '../../../runs/statuses.ts'

type Sibling = Pick<CaseListItem, 'case_key' | 'status' | 'provider_id' | 'prompt_id' | 'repeat'>

/** Whether the verdict of a case counts as passed. */
export const hasPassed = (status: Status): boolean => status === 'pass' || status === 'xpass'

/** Whether the verdict of a case is a pass; null for a status that decides nothing: `skip` and `xfail`. */
export const passVerdict = (status: Status): boolean | null =>
  hasPassed(status) ? true : status === 'fail' || status === 'error' ? false : null

/**
 * The columns in which a run has a test, each with its first trial, and for the open case with the trial that is open. A
 * column is a provider with a prompt; it is named by what differs between the columns.
 */
export const columnsOfTest = (siblings: readonly Sibling[], open: CaseDetail['cell']) => {
  const columnOf = ({ provider_id, prompt_id }: Pick<Sibling, 'provider_id' | 'prompt_id'>): string =>
    JSON.stringify([provider_id, prompt_id ?? ''])
  const openColumn = columnOf({ provider_id: open.provider_id, prompt_id: open.prompt_id ?? null })
  const columns = new Map<string, Sibling>()
  for (const sibling of siblings) {
    const column = columnOf(sibling)
    const isOpen = column === openColumn && (sibling.repeat ?? 0) === (open.repeat ?? 0)
    if (isOpen || !columns.has(column)) columns.set(column, sibling)
  }
  const list = [...columns]
  const hasOne = (values: ReadonlyArray<string | null>): boolean => new Set(values).size === 1
  const isOnePrompt = hasOne(list.map(([, { prompt_id }]) => prompt_id))
  const isOneProvider = hasOne(list.map(([, { provider_id }]) => provider_id))
  const nameOf = ({ provider_id, prompt_id }: Sibling): string =>
    isOnePrompt || prompt_id === null
      ? (provider_id ?? '')
      : isOneProvider
        ? prompt_id
        : `${provider_id ?? ''} · ${prompt_id}`
  return {
    what: isOnePrompt ? 'providers' : isOneProvider ? 'prompts' : 'columns',
    passed: list.filter(([, { status }]) => hasPassed(status)).length,
    cells: list.map(([column, sibling]) => ({
      case_key: sibling.case_key,
      status: sibling.status,
      name: nameOf(sibling),
      isCurrent: column === openColumn,
    })),
  }
}
