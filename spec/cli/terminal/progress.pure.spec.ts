import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderProgress } from '../../../cli/terminal/progress.ts'
import { terminalLine } from '../../../cli/terminal/terminal-line.ts'

describe('the progress line', () => {
  it('shows the bar, done of total, the rate and the time left', () => {
    expect(renderProgress({ done: 50, total: 200, share: 0.25, seconds: 5 }, 80)).toBe(
      `[${'█'.repeat(10)}${'░'.repeat(30)}] 50/200  10 docs/s  eta 15s`,
    )
  })

  it('omits an unknown total, and shows a dash as the eta before any progress', () => {
    expect(renderProgress({ done: 7, total: null, share: 0, seconds: 2 }, 20)).toBe(' 7  3.5 docs/s  eta')
    expect(renderProgress({ done: 7, total: null, share: 0, seconds: 2 }, 80)).toMatch(/ 7 {2}3\.5 docs\/s {2}eta –$/)
  })

  it('prints long times in minutes and hours', () => {
    const eta = (share: number, seconds: number) =>
      renderProgress({ done: 1, total: 2, share, seconds }, 80).split('eta ')[1]
    expect([eta(0.5, 61), eta(0.01, 100), eta(1, 10)]).toEqual(['1m01s', '2h45m', '0s'])
  })

  it('fits the terminal at any width and with any figures', () => {
    const numbers = {
      done: fc.nat(),
      total: fc.option(fc.nat()),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      seconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
    }
    fc.assert(
      fc.property(fc.record(numbers), fc.integer({ min: 1, max: 200 }), (progress, columns) => {
        expect([...renderProgress(progress, columns)].length).toBeLessThan(columns)
      }),
    )
  })
})

describe('a line of a terminal', () => {
  const terminal = (isTTY: boolean) => {
    const written: string[] = []
    let now = 0
    const stream = { isTTY, columns: 8, write: (text: unknown) => written.push(String(text)) > 0 }
    const line = terminalLine(stream, () => now)
    const update = () => line.draw((columns) => `${columns} columns`)
    return { written, update, clear: line.clear, pass: (ms: number) => void (now += ms) }
  }

  it('is drawn at most ten times a second, no wider than the terminal, and cleared at the end', () => {
    const { written, update, clear, pass } = terminal(true)
    for (let i = 0; i < 100; i++) {
      update()
      pass(10)
    }
    expect(written).toEqual(Array.from({ length: 10 }, () => '\r\x1b[K8 colum'))
    clear()
    clear()
    expect(written.slice(10)).toEqual(['\r\x1b[K'])
  })

  it('writes nothing without a terminal', () => {
    const { written, update, clear } = terminal(false)
    update()
    clear()
    expect(written).toEqual([])
  })
})
