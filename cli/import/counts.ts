import { counted } from '../../domain/plain/counted.ts'
/** The number of runs by outcome. */
export type ImportCounts = {
  imported: number
  already_there: number
  /** Stored before, without the evidence that was added now. */
  evidence_added: number
  /** Stored with other content: nothing was written. */
  changed: number
  refused: number
  failed: number
  /** In the journal. */
  skipped: number
  /** Outside of `--since` and `--until`. */
  passed_over: number
  /** Files of folders that no importer knows. */
  unknown_files: number
}

export const noCounts = (): ImportCounts => ({
  imported: 0,
  already_there: 0,
  evidence_added: 0,
  changed: 0,
  refused: 0,
  failed: 0,
  skipped: 0,
  passed_over: 0,
  unknown_files: 0,
})

/** The number of runs that have an outcome. */
export const finishedRuns = ({ unknown_files: _, ...runs }: ImportCounts): number =>
  Object.values(runs).reduce((sum, count) => sum + count, 0)

/** Formats the counts as one line. `byFormat` are the imported and known runs of other tools. */
export const importSummary = (counts: ImportCounts, byFormat: ReadonlyMap<string, number>, seconds: number): string => {
  const { imported, already_there, evidence_added, changed, refused, failed, skipped, passed_over, unknown_files } =
    counts
  const more = [
    ...(skipped > 0 ? [`skipped ${skipped} in the journal`] : []),
    ...(passed_over > 0 ? [`skipped ${passed_over} outside of --since and --until`] : []),
    ...(unknown_files > 0 ? [`${counted(unknown_files, 'file')} in an unknown format`] : []),
  ].map((text) => `, ${text}`)
  const formats = [...byFormat].map(([format, count]) => `${format} ${count}`).join(', ')
  return `imported ${imported}, already there ${already_there}${evidence_added > 0 ? `, evidence added ${evidence_added}` : ''}${changed > 0 ? `, changed ${changed}` : ''}, refused ${refused}, failed ${failed}${more.join('')}${formats === '' ? '' : ` (${formats})`} in ${seconds.toFixed(1)} s`
}
