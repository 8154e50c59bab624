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
const asFields = (value: unknown): Fields => (isObject(value) ? value : {})
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

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

  const summary = asFields(document['summary'])
  const tokens = (numberOrNull(summary['prompt_tokens']) ?? 0) + (numberOrNull(summary['completion_tokens']) ?? 0)
  return {
    run_id,
    schema_version,
    project: textOrNull(document['project']),
    suite: textOrNull(document['suite']),
    note:
      textOrNull(asFields(document['origin'])['note']) ??
      textOrNull(asFields(document['config_snapshot'])['description']),
    started_at: textOrNull(document['started_at']) ?? '',
    finished_at: textOrNull(document['finished_at']) ?? '',
    commit: textOrNull(asFields(document['git'])['commit']),
    ...summarizeCases(cases),
    tokens: tokens === 0 ? null : tokens,
    cost_usd: numberOrNull(summary['cost_usd']),
  }
}

const summarizeCases = (cases: readonly unknown[]): Pick<Contents, 'counts' | 'case_count' | 'providers'> => {
  const counts: Record<Status, number> = { pass: 0, fail: 0, error: 0, skip: 0, xfail: 0, xpass: 0 }
  const providers = new Set<string>()
  for (const item of cases) {
    const { status, cell } = asFields(item)
    const known = STATUSES.find((name) => name === status)
    if (known) counts[known]++
    const provider = textOrNull(asFields(cell)['provider_id'])
    if (provider !== null && providers.size < MAX_PROVIDERS) providers.add(provider)
  }
  return { counts, case_count: cases.length, providers: [...providers] }
}
