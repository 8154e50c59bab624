import type { CaseStatus } from '../../domain/run/document.ts'
import { printable } from '../../domain/text/printable.ts'
import { durationText, usdText } from '../../engine/report/numbers.ts'
import type { RunEvent } from '../../engine/runner/progress.ts'

/** How many of the running cells are shown: those that run longest. */
const MAX_RUNNING_LINES = 3
const MAX_NAME = 40
const BAR_WIDTH = 24

type RunningCell = { readonly name: string; readonly provider: string; readonly startedAt: number }

/** What is known of a run while it runs. */
export type ProgressState = {
  readonly total: number
  readonly done: number
  readonly cached: number
  readonly counts: Readonly<Record<CaseStatus, number>>
  readonly cost: number
  readonly startedAt: number
  /** By index, in the order in which they started. */
  readonly running: ReadonlyMap<number, RunningCell>
}

/** Follows the events of a run. The state is the same object all the time: 10,000 cells copy nothing. */
export const progressState = (startedAt: number): { state: ProgressState; follow: (event: RunEvent) => void } => {
  const running = new Map<number, RunningCell>()
  const counts = { pass: 0, fail: 0, error: 0, skip: 0, xfail: 0, xpass: 0 }
  const state = { total: 0, done: 0, cached: 0, counts, cost: 0, startedAt, running }
  const follow = (event: RunEvent): void => {
    if (event.kind === 'run_started') state.total = event.total
    else if (event.kind === 'case_started')
      running.set(event.index, { name: event.name, provider: event.provider_id, startedAt: event.at_ms })
    else if (event.kind === 'case_finished') {
      running.delete(event.index)
      state.done++
      counts[event.case.status]++
      if (event.case.cached) state.cached++
      else state.cost += event.case.cost_usd ?? 0
      for (const { cost_usd = 0, cached } of event.case.asserts) state.cost += cached ? 0 : cost_usd
    }
  }
  return { state, follow }
}

/** One line: cells done of all, counts, money spent, time left. */
export const progressLine = (state: ProgressState, now: number): string => {
  const { done, total, counts, cached, cost } = state
  const left = timeLeft(state, now)
  return [
    `${done}/${total} cells`,
    `${counts.pass + counts.xfail} pass`,
    `${counts.fail} fail`,
    `${counts.error} err`,
    ...(counts.xpass > 0 ? [`${counts.xpass} xpass`] : []),
    ...(counts.skip > 0 ? [`${counts.skip} skip`] : []),
    ...(cached > 0 ? [`${cached} cached`] : []),
    ...(cost > 0 ? [usdText(cost)] : []),
    ...(left === null ? [] : [`${durationText(left)} left`]),
  ].join(' · ')
}

/** The lines of a live display, none wider than `columns`: a bar, the counts, and the cells that run longest. */
export const progressLines = (state: ProgressState, now: number, columns: number): readonly string[] => {
  const filled = state.total === 0 ? 0 : Math.floor((state.done / state.total) * BAR_WIDTH)
  const bar = `${durationText(now - state.startedAt)} [${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}]`
  const head = [`${bar} ${progressLine(state, now)}`]
  if (columns < 100) head.splice(0, 1, bar, progressLine(state, now))
  // Cells start in order, so the first ones of the map run longest.
  const slow: string[] = []
  for (const { name, provider, startedAt } of state.running.values()) {
    if (slow.length === MAX_RUNNING_LINES) break
    slow.push(`  ${durationText(now - startedAt).padStart(7)}  ${cut(name, MAX_NAME)} (${cut(provider, MAX_NAME)})`)
  }
  return [...head, ...slow].map((line) => cut(line, columns - 1))
}

/** Milliseconds, if the rest takes as long as what is done; null before the first cell, and at the end. */
const timeLeft = ({ done, total, startedAt }: ProgressState, now: number): number | null =>
  done === 0 || done >= total ? null : ((now - startedAt) / done) * (total - done)

const cut = (text: string, width: number): string => {
  const characters = [...printable(text)]
  return characters.length <= width ? characters.join('') : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}
