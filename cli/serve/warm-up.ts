import { SYSTEM } from '../../queries/access/viewer.ts'
import { readCases } from '../../queries/cases/cases.ts'
import { listRuns } from '../../queries/runs/run-list.ts'
import { findRun } from '../../queries/runs/run.ts'
import type { OpenService } from '../../runtime/services.ts'

type Service = Pick<OpenService, 'reader' | 'documents' | 'longReads' | 'warmReads'>

/**
 * Makes the first list and the first search as fast as later ones: the list reads a run on this thread, and the searches
 * start a reader thread. The second search has a hit, so that the thread also reads a document. `idle` settles when this
 * thread has nothing better to do.
 */
export const warmUp = ({ reader, documents, longReads, warmReads }: Service, idle: Promise<void>): Promise<void> =>
  warmReads(async () => {
    const searched = longReads.search(SYSTEM, { q: 'warm up', limit: 1 })
    // Awaited below: this only avoids an unhandled rejection until then.
    searched.catch(() => {})
    await idle
    const word = await newestWord({ reader, documents })
    await searched
    if (word !== null) await longReads.search(SYSTEM, { q: word, limit: 1 })
  })

/** The longest word in the name of a case of the newest run: the fewest cases have it. */
const newestWord = async ({ reader, documents }: Pick<Service, 'reader' | 'documents'>): Promise<string | null> => {
  const { runs } = JSON.parse(await listRuns(reader, SYSTEM, {}, { limit: 1 })) as { runs: Array<{ run_id: string }> }
  const run = runs[0] ? await reader.read(findRun(SYSTEM, runs[0].run_id)) : null
  const found = run && (await readCases(reader, documents, SYSTEM, run, {}, { limit: 1 }))
  const words = found?.rows[0]?.name?.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.toSorted((a, b) => b.length - a.length)[0] ?? null
}
