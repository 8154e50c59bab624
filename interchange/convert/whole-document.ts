import { openDocument } from '../../domain/run/document.ts'
import { InvalidDocument } from '../../domain/run/invalid-document.ts'
import { SourceRefused } from '../document/source-refused.ts'
import type { ConvertedRun } from '../document/to-run-document.ts'

/** Describes a run document that a source has as it is. Throws `SourceRefused` if the service would not accept it. */
export const asConvertedRun = (bytes: Uint8Array): ConvertedRun => {
  try {
    const document = openDocument(bytes)
    const { run, caseCount } = document
    const statuses: Record<string, number> = {}
    for (let index = 0; index < caseCount; index++) {
      const { status } = document.caseAt(index)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    return {
      run_id: run.run_id,
      bytes,
      size: bytes.length,
      project: run.project ?? '',
      suite: run.suite ?? '',
      finished_at: run.finished_at,
      clock: 'content',
      cases: caseCount,
      statuses,
      losses: [],
      scores: [],
      evidence: null,
    }
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error
    throw new SourceRefused(error.message, { cause: error })
  }
}
