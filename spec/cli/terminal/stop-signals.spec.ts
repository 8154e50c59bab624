import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import { listenForStop, onSignals } from '../../../cli/terminal/stop-signals.ts'

let now: number
let source: EventEmitter
beforeEach(() => {
  now = 5_000
  source = new EventEmitter()
})
const at = (time: number, name: NodeJS.Signals): void => {
  now = time
  source.emit(name, name)
}

describe('onSignals', () => {
  const listening = () => {
    const heard: string[] = []
    const end = onSignals(
      ['SIGINT', 'SIGTERM'],
      { first: (name) => heard.push(`first ${name}`), again: (name) => heard.push(`again ${name}`) },
      { source, now: () => now },
    )
    return { heard, end }
  }

  it('treats any signals within a second of the first as one', () => {
    const { heard } = listening()
    at(5_000, 'SIGINT')
    at(5_000, 'SIGINT')
    at(5_300, 'SIGTERM')
    at(6_000, 'SIGINT')
    expect(heard).toEqual(['first SIGINT'])
  })

  it('treats a signal more than a second after the first as another one, however many came before', () => {
    const { heard } = listening()
    at(5_000, 'SIGTERM')
    at(5_999, 'SIGTERM')
    at(6_001, 'SIGTERM')
    expect(heard).toEqual(['first SIGTERM', 'again SIGTERM'])
  })

  it('stops listening', () => {
    const { heard, end } = listening()
    end()
    at(5_000, 'SIGTERM')
    expect(heard).toEqual([])
    expect(source.eventNames()).toEqual([])
  })
})

describe('listenForStop', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('aborts on %s, and does not kill the process at a second one within a second', (name, code) => {
    const killed: string[] = []
    const stop = listenForStop({ source, now: () => now }, (again) => killed.push(again))
    expect([stop.signal.aborted, stop.code()]).toEqual([false, null])
    at(5_000, name)
    at(5_500, name)
    expect([stop.signal.aborted, stop.code()]).toEqual([true, code])
    expect(killed).toEqual([])
    stop.dispose()
    expect(source.eventNames()).toEqual([])
  })

  it('stops listening at a later signal, and sends it to the process for default handling', () => {
    const killed: string[] = []
    const stop = listenForStop({ source, now: () => now }, (name) =>
      killed.push(`${name} with ${source.eventNames().length} listened for`),
    )
    at(5_000, 'SIGINT')
    at(6_500, 'SIGTERM')
    expect(killed).toEqual(['SIGTERM with 0 listened for'])
    expect(stop.code()).toBe(130)
  })
})
