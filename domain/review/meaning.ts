import type { RubricChange } from './rubric.ts'

/** A version of a rubric, as far as its labels depend on it. The first version has no change. */
export type MeaningVersion = {
  readonly version: number
  readonly change: RubricChange | null
  readonly valid_days: number
}

/** Versions of a rubric that mean the same: labels of one count for the others. */
export type Meaning = {
  readonly first: number
  readonly last: number
  /** How long labels count as new, by the last of these versions. */
  readonly valid_days: number
  /** The version that changed the meaning after these; null if none did. */
  readonly changed_in: number | null
}

/** The versions that mean the same as one of them. `versions` are all of a rubric, ascending. Null for an unknown version. */
export const meaningOf = (versions: readonly MeaningVersion[], version: number): Meaning | null => {
  const at = versions.findIndex((each) => each.version === version)
  if (at === -1) return null
  const next = versions.findIndex(({ change }, i) => i > at && change === 'meaning')
  const first = versions.findLastIndex(({ change }, i) => i <= at && change === 'meaning')
  const same = versions.slice(Math.max(0, first), next === -1 ? undefined : next)
  const [oldest, newest] = [same[0], same.at(-1)]
  if (!oldest || !newest) return null
  const { version: last, valid_days } = newest
  return { first: oldest.version, last, valid_days, changed_in: versions[next]?.version ?? null }
}
