import { Refused } from '../../commands/refused.ts'
import { checkUpload, OTHER_CONTENT } from '../../commands/run/ingest-run.ts'
import { caseDigests, type CaseDigests } from '../../interchange/convert/compare-runs.ts'
import type { KnownRun } from '../../interchange/convert/convert-source.ts'
import { importedFrom } from '../../queries/imports/imported-from.ts'
import type { ImportTarget } from './target.ts'

/** What is kept of a run: enough to find the same run in another file, and to compare the two. */
type Checked = KnownRun & { readonly content_hash: string; readonly cases: CaseDigests }

/**
 * A target of `--dry-run`: checks every document as the service does, and stores nothing. It
 * remembers the runs that it has accepted, as an empty store would after their upload.
 */
export const dryRunTarget = (): ImportTarget => {
  const accepted = new Map<string, Checked>()
  return {
    name: 'dry run',
    send: async ({ bytes, gzip }) => {
      try {
        const { id, content_hash, config, bytes: document, hidden_cases } = checkUpload(bytes, gzip ? 'gzip' : null)
        const before = accepted.get(id)
        if (before?.content_hash === content_hash) return { kind: 'already_there', id }
        if (before !== undefined) return { kind: 'refused', status: 'conflict', reason: OTHER_CONTENT }
        accepted.set(id, { content_hash, import: importedFrom(`{"config":${config}}`), cases: caseDigests(document) })
        return { kind: 'imported', id, hidden_cases }
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        return { kind: 'refused', status: error.reason, reason: error.message }
      }
    },
    known: async (run_id) => {
      const run = accepted.get(run_id)
      return run === undefined ? null : { import: run.import }
    },
    content: async (run_id) => accepted.get(run_id)?.cases ?? null,
    remove: async () => null,
    close: async () => {},
  }
}
