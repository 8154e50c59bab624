import type { DeepReadonly } from 'vue'
import { formatBytes, plural } from '../../../text/format.ts'
import type { ImportItem } from './use-import.ts'

/** A step of the import of one file: done, going on, or to come. */
export type ImportStep = { readonly name: string; readonly detail: string; readonly state: 'done' | 'now' | 'later' }

/** What the file was recognised as. */
const formatOf = ({ found, contents }: DeepReadonly<ImportItem>): string =>
  found?.format ?? (contents ? `Run document, version ${contents.schema_version}` : '')

/**
 * The steps of the import of a file that is being sent. Its format and its cases are known, because it was looked at before. The
 * server answers once, after it has recorded the runs, so how many cases it has read by then is not known.
 */
export const importSteps = (item: DeepReadonly<ImportItem>, cases: number): readonly ImportStep[] => {
  const { size } = item.file
  const isSent = item.sentBytes >= size
  const sent = formatBytes(Math.min(item.sentBytes, size))
  return [
    { name: 'Recognised', detail: formatOf(item), state: 'done' },
    isSent
      ? { name: 'Sent', detail: formatBytes(size), state: 'done' }
      : { name: 'Sending', detail: `${sent} of ${formatBytes(size)}`, state: 'now' },
    {
      name: isSent ? 'Reading and recording' : 'Recorded',
      detail: plural(cases, 'case'),
      state: isSent ? 'now' : 'later',
    },
  ]
}
