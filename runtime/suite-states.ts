import { LRUCache } from 'lru-cache'
import { setTag } from '../commands/tags.ts'
import type { LongReads } from '../queries/long-reads.ts'
import type { SetVersion } from '../queries/sets/overview.ts'
import type { SuiteState } from '../queries/sets/suite-states.ts'
import type { Viewer } from '../queries/access/viewer.ts'
import type { ResponseCache } from './response-cache.ts'

/** Maximum number of sets whose state is cached: a state takes two to four kilobytes. */
const MAX_STATES = 5_000

/** Sets of one long read, so that none holds a reader thread for long, and reads at the same time. */
const SETS_PER_READ = 100
const READS = 2

export type SuiteStates = {
  /** The states of these sets; those that the viewer may not see any more are missing. */
  readonly read: (viewer: Viewer, sets: readonly SetVersion[], signal: AbortSignal) => Promise<SuiteState[]>
}

/**
 * Caches what the overview says of each set, for all viewers who may see the set. A state is valid until the tag of its
 * set is invalidated; and only for the version of the set that the caller has just read, so that it is right even while
 * a commit has not been noticed here yet.
 */
export const suiteStates = ({
  cache,
  longReads,
}: {
  readonly cache: Pick<ResponseCache, 'generation' | 'isValid'>
  readonly longReads: Pick<LongReads, 'suiteStates'>
}): SuiteStates => {
  const cached = new LRUCache<
    string,
    { generation: number; readonly tags: readonly string[]; readonly state: SuiteState }
  >({ max: MAX_STATES })

  const find = (set: SetVersion): SuiteState | undefined => {
    const found = cached.get(set.set_key)
    if (!found || !isVersion(found.state, set)) return undefined
    if (!cache.isValid(found.generation, found.tags)) return undefined
    found.generation = cache.generation()
    return found.state
  }

  const readMissing = async (viewer: Viewer, keys: readonly string[], signal: AbortSignal): Promise<SuiteState[]> => {
    const states: SuiteState[] = []
    let start = 0
    const readOn = async (): Promise<void> => {
      while (start < keys.length) {
        const part = keys.slice(start, (start += SETS_PER_READ))
        const generation = cache.generation()
        const answer = await longReads.suiteStates(viewer, { keys: part }, signal)
        const read = answer ? (JSON.parse(bodyText(answer.body)) as SuiteState[]) : []
        for (const state of read) {
          const tags = [setTag(state).name]
          if (cache.isValid(generation, tags)) cached.set(state.set_key, { generation, tags, state })
          states.push(state)
        }
      }
    }
    await Promise.all(Array.from({ length: READS }, readOn))
    return states
  }

  return {
    read: async (viewer, sets, signal) => {
      const states: SuiteState[] = []
      const missing: string[] = []
      for (const set of sets) {
        const state = find(set)
        if (state) states.push(state)
        else missing.push(set.set_key)
      }
      return missing.length === 0 ? states : [...states, ...(await readMissing(viewer, missing, signal))]
    },
  }
}

const isVersion = (state: SuiteState, set: SetVersion): boolean =>
  state.run_count === set.run_count &&
  state.latest_run_no === set.latest_run_no &&
  state.baseline_run_id === set.baseline_run_id

const bodyText = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body)
