import { listLogKeys, type LogKey } from '../../queries/log/log-keys.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { Refused } from '../refused.ts'
import { logKeyAdopted, logKeyRetired, type LogKeyAdopted } from './events.ts'
import { refusalOfOrigin } from './origins.ts'

/** The keys that sign from now on. `continues` is for keys of a new origin, as in `LogKeyAdopted`. */
type SigningKeys = {
  readonly keys: ReadonlyArray<Pick<LogKeyAdopted['data'], 'key_id' | 'origin' | 'vkey'>>
  readonly continues: LogKeyAdopted['data']['continues']
}

/** What was recorded: verifier keys, and the name that the log had before; null if it has kept its name. */
export type KeyChanges = {
  readonly adopted: readonly string[]
  readonly retired: readonly string[]
  readonly former: string | null
}

/**
 * Records which keys sign checkpoints from now on, if they differ from the recorded ones. Refuses: conflict, for keys of a
 * former origin of the log.
 */
export const changeLogKeys = (viewer: Viewer, { keys, continues }: SigningKeys) =>
  command(viewer, {
    facts: { recorded: listLogKeys },
    decide: ({ recorded }) => {
      for (const { origin } of keys) {
        const refusal = refusalOfOrigin(recorded, origin)
        if (refusal !== null) throw new Refused('conflict', refusal)
      }
      const { adopted, retired } = keyChanges(recorded, keys)
      return [
        ...adopted.map(({ key_id, origin, vkey }) => {
          // Only the first key of a new origin has a past under another name.
          const isKnown = recorded.some((key) => key.origin === origin)
          return logKeyAdopted({ continues: isKnown ? null : continues, key_id, origin, vkey })
        }),
        ...retired.map(({ key_id, origin }) => logKeyRetired({ key_id, origin })),
      ]
    },
    result: (_, { recorded }): KeyChanges => {
      const { adopted, retired } = keyChanges(recorded, keys)
      const former = recorded.at(-1)?.origin
      return {
        adopted: adopted.map(({ vkey }) => vkey),
        retired: retired.map(({ vkey }) => vkey),
        former: former === undefined || former === keys[0]?.origin ? null : former,
      }
    },
  })

/** The keys that sign from now on and did not before, and those that did before and do not any more. */
const keyChanges = (recorded: readonly LogKey[], keys: SigningKeys['keys']) => {
  const active = recorded.filter(({ retired_at }) => retired_at === null)
  return {
    adopted: keys.filter(({ vkey }) => !active.some((key) => key.vkey === vkey)),
    retired: active.filter(({ vkey }) => !keys.some((key) => key.vkey === vkey)),
  }
}
