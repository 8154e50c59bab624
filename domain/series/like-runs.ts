import { countRun, flakiness, newTally, type UnitTally } from '../statistics/flakiness.ts'
import { isPassing, type Outline } from './outline.ts'

/** A run is like the newest one if it has the same providers and at least this share of the newest run's cases. */
export const LIKE_SHARE = 0.6

/** A test with one provider and prompt over like runs; its trials count together. */
export type Unit = {
  readonly key: number
  /** Runs since the newest change of prompt, provider or assertions. */
  readonly tally: UnitTally
  /** Where the newest run with this unit has it: the place of the run in the series, and the index of the case. */
  readonly run: number
  readonly n: number
  isCut: boolean
  stamp: number
  passing: number
  failing: number
  prompt: number
  provider: number
  asserts: number
  /** Newest runs in a row in which it failed, and whether it passed in the run before them. */
  failed: number
  before: 'unknown' | 'passed' | 'other'
}

/** Tests that fail in the newest run and in earlier ones, and passed before. */
export type StillFailing = {
  readonly cases: number
  /** The maximum number of runs in succession in which one of them failed. */
  readonly runs: number
}

/** Counts the tests that began to fail before the newest run and still do. Flaky ones are left out. */
export const stillFailing = (units: readonly Unit[]): StillFailing => {
  const found = units.filter(
    ({ tally, run, failed, before }) => run === 0 && failed > 1 && before === 'passed' && !flakiness(tally).flaky,
  )
  return { cases: found.length, runs: found.reduce((most, { failed }) => Math.max(most, failed), 0) }
}

/** The like runs of a suite, followed from the newest to older ones. */
export type LikeRuns = {
  /** Adds the next older run of the same providers; returns whether it is like the newest. */
  readonly add: (outline: Outline) => boolean
  /** How many runs were like the newest, itself included. */
  readonly count: () => number
  /** Every unit of these runs. */
  readonly units: () => Unit[]
}

const isChanged = (newer: number, older: number): boolean => newer !== 0 && older !== 0 && newer !== older

/** Follows like runs. One function: all parts share the units, and a million cases pass through it. */
export const likeRuns = (): LikeRuns => {
  const units = new Map<number, Unit>()
  let newestUnits = 0
  let runs = 0
  let examined = 0

  const flush = (unit: Unit): void => {
    countRun(unit.tally, unit.passing, unit.failing)
    if (unit.before === 'unknown') {
      if (unit.failing > 0 && unit.passing === 0) unit.failed++
      else if (unit.passing > 0) unit.before = unit.failing === 0 ? 'passed' : 'other'
      // Without a verdict in the newest run, nothing is known to fail still.
      else if (unit.stamp === 0) unit.before = 'other'
    }
    unit.passing = unit.failing = 0
  }

  /** The number of the newest run's units that a run has. */
  const countCommon = (outline: Outline): number => {
    const seen = new Set<number>()
    for (let i = 0; i < outline.size; i++) {
      const unit = units.get(outline.unitKey(i))
      if (unit?.run === 0) seen.add(unit.key)
    }
    return seen.size
  }

  const addCase = (outline: Outline, i: number): void => {
    const key = outline.unitKey(i)
    let unit = units.get(key)
    if (!unit) {
      unit = {
        key,
        tally: newTally(),
        run: examined,
        n: outline.n(i),
        isCut: false,
        stamp: runs,
        passing: 0,
        failing: 0,
        prompt: 0,
        provider: 0,
        asserts: 0,
        failed: 0,
        before: 'unknown',
      }
      units.set(key, unit)
    }
    if (unit.isCut) return
    const [prompt, provider, asserts] = [outline.promptDigest(i), outline.providerDigest(i), outline.assertDigest(i)]
    if (unit.stamp !== runs) {
      flush(unit)
      unit.stamp = runs
      if (isChanged(unit.prompt, prompt) || isChanged(unit.provider, provider) || isChanged(unit.asserts, asserts)) {
        unit.isCut = true
        return
      }
    }
    unit.prompt = prompt || unit.prompt
    unit.provider = provider || unit.provider
    unit.asserts = asserts || unit.asserts
    const verdict = isPassing(outline.mark(i))
    if (verdict === true) unit.passing++
    else if (verdict === false) unit.failing++
  }

  return {
    add: (outline) => {
      const isLike = examined === 0 || countCommon(outline) >= newestUnits * LIKE_SHARE
      if (isLike) {
        for (let i = 0; i < outline.size; i++) addCase(outline, i)
        runs++
      }
      if (examined === 0) newestUnits = units.size
      examined++
      return isLike
    },
    count: () => runs,
    units: () => {
      const all = [...units.values()]
      all.forEach(flush)
      return all
    },
  }
}
