import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fairQueue } from '../../../runtime/threads/turns.ts'
import type { Started } from '../../../runtime/threads/turns.ts'
import { MAX_WAITING, callerOf } from '../../../runtime/threads/turn-taker.ts'
import { TooManyReads } from '../../../queries/too-many-reads.ts'
import { CLI, SYSTEM } from '../../../queries/access/viewer.ts'
import { member } from '../../support/access/viewers.ts'

const one = (name: string) => ({ name, mostWaiting: MAX_WAITING.one })

/** Work is named by its taker and a number: `a1`. */
const opened = (places: number) => {
  const turns = fairQueue<string>(places)
  const share = Math.max(1, Math.floor(places / 2))
  const waiting: string[] = []
  const running: Started<string>[] = []
  const runs = (work: string): number => running.filter(({ taker }) => taker === work[0]).length
  const enter = (...works: readonly string[]): void => {
    for (const work of works) turns.enter(one(work[0] ?? ''), work)
    waiting.push(...works)
  }
  /** Gives every free place away; answers what began. */
  const fill = (): string[] => {
    const begun: string[] = []
    while (running.length < places) {
      const turn = turns.next()
      // A place stays free only where nothing waits, or where all who wait have their half.
      if (!turn) {
        for (const work of waiting) expect(runs(work)).toBeGreaterThanOrEqual(share)
        expect(new Set(waiting.map((work) => work[0])).size).not.toBe(1)
        break
      }
      running.push(turn)
      begun.push(turn.work)
      if (waiting.some((work) => work[0] !== turn.taker)) expect(runs(turn.work)).toBeLessThanOrEqual(share)
      waiting.splice(waiting.indexOf(turn.work), 1)
    }
    expect(turns.waiting()).toBe(waiting.length)
    return begun
  }
  /** One piece of work ends; answers what begins in its place. */
  const end = (work: string): string[] => {
    const [turn] = running.splice(
      running.findIndex((each) => each.work === work),
      1,
    )
    turns.done(turn?.taker ?? '')
    return fill()
  }
  const leave = (nth: number): void => {
    const [work] = waiting.splice(nth, 1)
    if (work !== undefined) expect(turns.leave(one(work[0] ?? ''), work)).toBe(true)
  }
  return { turns, enter, fill, end, leave, waiting, running }
}

describe('turns', () => {
  it('go around the callers, one piece of work each, in the order in which they came', () => {
    const { enter, fill, end } = opened(1)
    enter('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
    const order = fill()
    while (order.length < 6) order.push(...end(order.at(-1) ?? ''))
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('serve one that comes behind many reads of another next', () => {
    const { enter, fill, end } = opened(2)
    enter('a0', 'a1')
    expect(fill()).toEqual(['a0', 'a1'])
    enter(...Array.from({ length: 32 }, (_, i) => `a${i + 2}`), 'b1')
    expect(end('a0')).toEqual(['b1'])
    expect(end('b1')).toEqual(['a2'])
  })

  it('give one caller every place while no other waits, and half of them while one does', () => {
    const { enter, fill, end } = opened(4)
    enter('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7')
    expect(fill()).toEqual(['a1', 'a2', 'a3', 'a4'])
    enter('b1', 'b2', 'b3')
    expect(end('a1')).toEqual(['b1'])
    expect(end('a2')).toEqual(['b2'])
    // Both have half: the next of either comes when one of its own ends.
    expect(end('a3')).toEqual(['a5'])
    expect(end('b1')).toEqual(['b3'])
    // Only one waits by now.
    expect(end('b2')).toEqual(['a6'])
    expect(end('b3')).toEqual(['a7'])
  })

  it('hold the half whatever comes and ends in whatever order, forget no work, and lose no place', () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('enter' as const), who: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ does: fc.constant('end' as const), nth: fc.nat(7) }),
      fc.record({ does: fc.constant('leave' as const), nth: fc.nat(30) }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (places, steps) => {
        const { enter, fill, end, leave, waiting, running } = opened(places)
        steps.forEach((each, n) => {
          if (each.does === 'enter') enter(`${each.who}${n}`)
          if (each.does === 'leave') leave(each.nth)
          const ended = each.does === 'end' ? running[each.nth] : undefined
          if (ended) end(ended.work)
          else fill()
        })
        while (running.length > 0) end(running[0]?.work ?? '')
        expect(waiting).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('refuse a caller what would wait beyond its bound, and nothing else', () => {
    const { turns, enter, fill } = opened(1)
    enter('a0')
    fill()
    enter(...Array.from({ length: 32 }, (_, i) => `a${i + 1}`))
    expect(() => enter('a33')).toThrow(TooManyReads)
    enter('b1')
    // What goes on was let in before.
    turns.enter(one('a'), 'a34', false)
    expect(turns.waiting()).toBe(34)
  })
})

describe('who takes turns', () => {
  const anonymous = (address: string | null) =>
    callerOf({
      ...member,
      actor: { ...member.actor, kind: 'anonymous', user_id: null, credential_id: null, scope: null, address },
    })

  it('is an account, whatever its credentials', () => {
    const by = (kind: 'session' | 'apikey', credential_id: string) =>
      callerOf({ ...member, actor: { ...member.actor, kind, credential_id, user_id: 'ann' } })
    expect(by('session', 'one')).toEqual(by('apikey', 'two'))
    expect(by('session', 'one').mostWaiting).toBe(32)
  })

  it('is a static token, of which more may wait', () => {
    const by = (credential_id: string) =>
      callerOf({ ...member, actor: { ...member.actor, kind: 'static', user_id: null, credential_id } })
    expect(by('static:read:1')).not.toEqual(by('static:read:2'))
    expect(by('static:read:1').mostWaiting).toBe(128)
  })

  it('is the network of an anonymous caller', () => {
    expect(anonymous('192.0.2.1')).not.toEqual(anonymous('192.0.2.2'))
    expect(anonymous('2001:db8::1')).toEqual(anonymous('2001:db8::2:1'))
    expect(anonymous('2001:db8::1')).not.toEqual(anonymous('2001:db8:0:1::1'))
    expect(anonymous(null).mostWaiting).toBe(32)
  })

  it('is the service itself, which nothing bounds', () => {
    expect(callerOf(SYSTEM)).toEqual(callerOf(CLI))
    expect(callerOf(SYSTEM).mostWaiting).toBe(Infinity)
  })
})
