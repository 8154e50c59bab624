import type { Row } from '../../read/row.ts'

/** Takes the tags of the user, as `key:value`; those of MLflow stay. */
export const mlflowTags = (row: Row | null): string[] =>
  (row?.keys() ?? []).flatMap((key) => {
    if (key.startsWith('mlflow.')) return []
    const value = row?.text(key) ?? null
    return value === null ? [] : [`${key}:${value}`]
  })

/** The tags of a run: those of the user, and its status if it did not finish. */
export const runTags = (row: Row, status: unknown): string[] => [
  ...mlflowTags(row),
  ...(typeof status === 'string' && status !== '' && status !== 'FINISHED' ? [`status:${status.toLowerCase()}`] : []),
]
