import { describe, expect, it } from 'vitest'
import { progressDisplay } from '../../../cli/run/progress-display.ts'
import { progressLine, progressLines, progressState } from '../../../cli/run/progress-text.ts'
import type { CaseDocument } from '../../../engine/runner/run-document.ts'
import { engineCase } from '../../support/documents/engine-run.ts'

const finished = (more: Partial<CaseDocument> = {}): CaseDocument => engineCase('t', { latency_ms: 0, ...more })
const started = (index: number, name: string, at_ms: number) =>
  ({ kind: 'case_started', index, name, provider_id: 'bot', at_ms }) as const
const done = (index: number, more: Partial<CaseDocument> = {}) =>
  ({ kind: 'case_finished', index, case: finished(more), at_ms: 0 }) as const
const START = { kind: 'run_started', total: 4, run_id: 'r' } as const

describe('the progress of a run', () => {
  const followed = (...events: ReadonlyArray<Parameters<ReturnType<typeof progressState>['follow']>[0]>) => {
    const { state, follow } = progressState(0)
    for (const event of events) follow(event)
    return state
  }

  it('counts cells, verdicts and the money that is spent, and estimates the time left', () => {
    const state = followed(
      START,
      done(0, { cost_usd: 0.001 }),
      done(1, { status: 'fail', cost_usd: 0.5, cached: true }),
    )
    expect(progressLine(state, 10_000)).toBe('2/4 cells · 1 pass · 1 fail · 0 err · 1 cached · $0.0010 · 10.0s left')
  })

  it('has no estimate before the first cell and after the last', () => {
    expect(progressLine(followed(START), 10_000)).toBe('0/4 cells · 0 pass · 0 fail · 0 err')
    expect(progressLine(followed(START, done(0), done(1), done(2), done(3, { status: 'xpass' })), 1)).toBe(
      '4/4 cells · 3 pass · 0 fail · 0 err · 1 xpass',
    )
  })

  it('shows the cells that run longest, and no line is wider than the terminal', () => {
    const state = followed(
      START,
      ...['first', 'second', 'x'.repeat(60), 'fourth'].map((name, index) => started(index, name, index * 1000)),
      done(0),
    )
    const lines = progressLines(state, 10_000, 200)
    expect(lines.slice(1)).toEqual([
      '     9.0s  second (bot)',
      `     8.0s  ${'x'.repeat(39)}… (bot)`,
      '     7.0s  fourth (bot)',
    ])
    for (const columns of [20, 60, 99, 100, 120])
      for (const line of progressLines(state, 10_000, columns)) expect([...line].length).toBeLessThan(columns)
  })

  it('shows no control characters of a name', () =>
    expect(progressLines(followed(START, started(0, 'a\x1b[2Jb\n', 0)), 0, 200).join('')).not.toContain('\x1b'))
})

describe('the display of progress', () => {
  const displayOn = (isTTY: boolean, isShown = true) => {
    const written: string[] = []
    let draw = (): void => {}
    let isTicking = false
    const display = progressDisplay({
      stream: { isTTY, columns: 200, write: (text) => written.push(text) },
      isShown,
      monotonic: () => 0,
      every: (_ms, callback) => {
        draw = callback
        isTicking = true
        return () => void (isTicking = false)
      },
    })
    return { display, written, tick: () => draw(), isTicking: () => isTicking }
  }

  it('is drawn over on a terminal, below the lines of the log, and removed at the end', () => {
    const { display, written, tick, isTicking } = displayOn(true)
    display.follow(START)
    display.follow(started(0, 'slow', 0))
    tick()
    expect(written.splice(0).join('')).toMatch(/^0\.0s \[░+\] 0\/4 cells.*\n {5}0\.0s {2}slow \(bot\)$/)
    display.writeLine('warn: something\n')
    expect(written.splice(0).join('')).toMatch(/^\r\x1b\[1A\x1b\[Jwarn: something\n0\.0s \[.*slow \(bot\)$/s)
    display.end()
    expect(written.join('')).toBe('\r\x1b[1A\x1b[J')
    expect(isTicking()).toBe(false)
  })

  it('is a plain line now and then elsewhere', () => {
    const { display, written, tick } = displayOn(false)
    display.follow(START)
    tick()
    display.end()
    expect(written).toEqual(['0/4 cells · 0 pass · 0 fail · 0 err\n'])
  })

  it('is nothing unless it is wanted, but for lines of the log', () => {
    const { display, written, isTicking } = displayOn(true, false)
    display.follow(START)
    display.writeLine('warn: something\n')
    display.end()
    expect(isTicking()).toBe(false)
    expect(written).toEqual(['warn: something\n'])
  })
})
