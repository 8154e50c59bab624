import { isObject } from '../../../../domain/plain/is-object.ts'
import { STATUSES, type Status } from '../../../runs/statuses.ts'

/** What a run document holds, for a look at it before it is uploaded. */
export type Contents = {
  readonly run_id: string
  readonly project: string | null
  readonly suite: string | null
  readonly note: string | null
  readonly started_at: string
  readonly finished_at: string
  readonly commit: string | null
  readonly schema_version: number
  readonly counts: Readonly<Record<Status, number>>
  readonly case_count: number
  /** Distinct providers, at most ten. */
  readonly providers: readonly string[]
  readonly tokens: number | null
  readonly cost_usd: number | null
}

/** A file that is no run document. `reason` is the end of a sentence that begins with "This file". */
export type Unreadable = { readonly reason: string }

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)

const MAX_PROVIDERS = 10

/**
 * Reads what a run document holds. The server checks the document in full when it is uploaded; this only recognises it,
 * so a field of a wrong type reads as absent.
 */
export const readDocument = (text: string): Contents | Unreadable => {
  if (text.trim() === '') return { reason: 'is empty.' }
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { reason: 'is not JSON.' }
  }
  if (!isObject(document)) return { reason: 'is JSON, but not an object.' }
  const { schema_version, run_id, cases } = document
  if (typeof schema_version !== 'number') return { reason: 'has no schema_version, so it is not a run document.' }
  if (typeof run_id !== 'string' || run_id === '') return { reason: 'has no run_id.' }
  if (!Array.isArray(cases)) return { reason: 'has no list of cases.' }

  const summary = fieldsOf(document['summary'])
  const tokens = (numberOf(summary['prompt_tokens']) ?? 0) + (numberOf(summary['completion_tokens']) ?? 0)
  return {
    run_id,
    schema_version,
    project: textOf(document['project']),
    suite: textOf(document['suite']),
    note: textOf(fieldsOf(document['origin'])['note']) ?? textOf(fieldsOf(document['config_snapshot'])['description']),
    started_at: textOf(document['started_at']) ?? '',
    finished_at: textOf(document['finished_at']) ?? '',
    commit: textOf(fieldsOf(document['git'])['commit']),
    ...casesOf(cases),
    tokens: tokens === 0 ? null : tokens,
    cost_usd: numberOf(summary['cost_usd']),
  }
}

const casesOf = (cases: readonly unknown[]): Pick<Contents, 'counts' | 'case_count' | 'providers'> => {
  const counts: Record<Status, number> = { pass: 0, fail: 0, error: 0, skip: 0, xfail: 0, xpass: 0 }
  const providers = new Set<string>()
  for (const item of cases) {
    const { status, cell } = fieldsOf(item)
    const known = STATUSES.find((name) => name === status)
    if (known) counts[known]++
    const provider = textOf(fieldsOf(cell)['provider_id'])
    if (provider !== null && providers.size < MAX_PROVIDERS) providers.add(provider)
  }
  return { counts, case_count: cases.length, providers: [...providers] }
}
