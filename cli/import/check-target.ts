import { Refused } from '../../commands/refused.ts'
import { checkUpload } from '../../commands/run/ingest-run.ts'
import type { ImportTarget } from './target.ts'

/** A target of `--dry-run`: checks every document as the service does, and stores nothing. */
export const checkTarget = (): ImportTarget => ({
  name: 'dry run',
  send: async ({ bytes, gzip }) => {
    try {
      checkUpload(bytes, gzip ? 'gzip' : null)
      return { kind: 'imported' }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { kind: 'refused', status: error.reason, reason: error.message }
    }
  },
  known: async () => null,
  content: async () => null,
  remove: async () => null,
  close: async () => {},
})
