import { SourceRefused } from '../../document/source-refused.ts'
import type { JsonObject } from '../../read/row.ts'

/** What became of an instance. */
export type Outcome = {
  readonly status: 'pass' | 'fail' | 'error' | 'skip'
  readonly reason: string
  /** The patch was empty. */
  readonly isBlank: boolean
  /** The lists of the report that have the instance. */
  readonly lists: readonly string[]
}

type Rule = Omit<Outcome, 'lists'> & { readonly list: string }

/** The first list that has an instance decides. Schema 2 of the harness, `make_run_report` in `reporting.py`. */
const CURRENT: readonly Rule[] = [
  { list: 'resolved_ids', status: 'pass', reason: '', isBlank: false },
  { list: 'error_ids', status: 'error', reason: 'the evaluation failed', isBlank: false },
  { list: 'empty_patch_ids', status: 'fail', reason: 'the patch is empty', isBlank: true },
  { list: 'unresolved_ids', status: 'fail', reason: 'the tests do not pass', isBlank: false },
  { list: 'incomplete_ids', status: 'skip', reason: 'not evaluated', isBlank: false },
  { list: 'completed_ids', status: 'fail', reason: 'the tests do not pass', isBlank: false },
  { list: 'submitted_ids', status: 'skip', reason: 'not evaluated', isBlank: false },
]

/** The report before June 2024, `get_model_report` of the harness 1. */
const OLDER: readonly Rule[] = [
  { list: 'resolved', status: 'pass', reason: '', isBlank: false },
  { list: 'install_fail', status: 'error', reason: 'the installation failed', isBlank: false },
  { list: 'reset_failed', status: 'error', reason: 'the repository could not be reset', isBlank: false },
  { list: 'test_errored', status: 'error', reason: 'the tests could not run', isBlank: false },
  { list: 'test_timeout', status: 'error', reason: 'the tests took too long', isBlank: false },
  { list: 'no_apply', status: 'fail', reason: 'the patch cannot be applied', isBlank: false },
  { list: 'no_generation', status: 'fail', reason: 'there is no patch', isBlank: true },
  { list: 'applied', status: 'fail', reason: 'the tests do not pass', isBlank: false },
  { list: 'with_logs', status: 'fail', reason: 'the tests do not pass', isBlank: false },
  { list: 'generated', status: 'skip', reason: 'not evaluated', isBlank: false },
]

/** The instances of a report in the order of its lists. Throws `SourceRefused` if there are none. */
export const outcomesIn = (report: JsonObject): ReadonlyMap<string, Outcome> => {
  const rules = Array.isArray(report['resolved_ids']) ? CURRENT : OLDER
  const lists = new Map<string, string[]>()
  for (const [name, list] of Object.entries(report)) {
    if (!Array.isArray(list)) continue
    for (const id of list as readonly unknown[]) {
      if (typeof id !== 'string') continue
      const known = lists.get(id)
      if (known === undefined) lists.set(id, [name])
      else known.push(name)
    }
  }
  const found = new Map<string, Outcome>()
  for (const [id, names] of lists) {
    const rule = rules.find(({ list }) => names.includes(list))
    if (rule === undefined) continue
    const { status, reason, isBlank } = rule
    found.set(id, { status, reason, isBlank, lists: names })
  }
  if (found.size === 0) throw new SourceRefused('holds no instances')
  return found
}
