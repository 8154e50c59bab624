import { SYSTEM } from '../queries/access/viewer.ts'
import type { PartBytes } from '../queries/evidence/part-bytes.ts'
import type { Services } from './services.ts'

/** All rows of parts are read for their bytes, so they are counted again only after ten minutes. */
const COUNTED_FOR_MS = 600_000

/** The bytes of all parts, and when they were counted. */
export type CountedPartBytes = { readonly at: number; readonly bytes: PartBytes }

/** Returns the bytes of all parts as they were within the last ten minutes. Callers at the same time wait for one count. */
export const countedPartBytes = ({
  longReads,
  now,
}: Pick<Services, 'longReads' | 'now'>): (() => Promise<CountedPartBytes>) => {
  let known: CountedPartBytes | null = null
  let running: Promise<CountedPartBytes> | null = null

  const count = async (): Promise<CountedPartBytes> => {
    const at = now()
    const found = await longReads.partBytes(SYSTEM, {})
    if (!found) throw new Error('the bytes of parts were not counted')
    known = { at, bytes: JSON.parse(Buffer.from(found.body).toString()) as PartBytes }
    return known
  }

  return async () => {
    if (known !== null && now() - known.at < COUNTED_FOR_MS) return known
    running ??= count().finally(() => (running = null))
    return running
  }
}
