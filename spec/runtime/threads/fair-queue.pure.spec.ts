import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fairQueue, type Started } from '../../../runtime/threads/fair-queue.ts'
import { MAX_WAITING, callerOf } from '../../../runtime/threads/caller.ts'
import { TooManyReads } from '../../../queries/too-many-reads.ts'
import { CLI, SYSTEM } from '../../../queries/access/viewer.ts'
import { member } from '../../support/access/viewers.ts'

const callerNamed = (name: string) => ({ name, maxWaiting: MAX_WAITING.caller })

/** A queue and its model. Work is named by its caller and a number: `a1`. */
const aQueue = (slots: number) => {
  const queue = fairQueue<string>(slots)
  const share = Math.max(1, Math.floor(slots / 2))
  const shareAlone = Math.max(1, slots - 1)
  const waiting: string[] = []
  const running: Started<string>[] = []
  const runs = (work: string): number => running.filter(({ caller }) => caller === work[0]).length
  const enter = (...works: readonly string[]): void => {
    for (const work of works) queue.enter(callerNamed(work[0] ?? ''), work)
    waiting.push(...works)
  }
  /** Fills every free slot. Returns the work that started. */
  const fill = (): string[] => {
    const filled: string[] = []
    while (running.length < slots) {
      const started = queue.next()
      // A slot stays free only if all callers that wait have half of the slots, or one that waits alone all but one.
      if (!started) {
        const isAlone = new Set(waiting.map((work) => work[0])).size === 1
        for (const work of waiting) expect(runs(work)).toBeGreaterThanOrEqual(isAlone ? shareAlone : share)
        break
      }
      running.push(started)
      filled.push(started.work)
      expect(runs(started.work)).toBeLessThanOrEqual(shareAlone)
      if (waiting.some((work) => work[0] !== started.caller)) expect(runs(started.work)).toBeLessThanOrEqual(share)
      waiting.splice(waiting.indexOf(started.work), 1)
    }
    expect(queue.waiting()).toBe(waiting.length)
    return filled
  }
  /** Ends one piece of work. Returns the work that starts instead. */
  const end = (work: string): string[] => {
    const [ended] = running.splice(
      running.findIndex((started) => started.work === work),
      1,
    )
    queue.done(ended?.caller ?? '')
    return fill()
  }
  const leave = (nth: number): void => {
    const [work] = waiting.splice(nth, 1)
    if (work !== undefined) expect(queue.leave(callerNamed(work[0] ?? ''), work)).toBe(true)
  }
  return { queue, enter, fill, end, leave, waiting, running }
}

describe('a fair queue', () => {
  it('serves callers round-robin, one piece of work each, in order of arrival', () => {
    const { enter, fill, end } = aQueue(1)
    enter('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
    const order = fill()
    while (order.length < 6) order.push(...end(order.at(-1) ?? ''))
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('serves a new caller next, even if another caller has many reads waiting', () => {
    const { enter, fill, end } = aQueue(2)
    enter('a0', 'b0')
    expect(fill()).toEqual(['a0', 'b0'])
    enter(...Array.from({ length: 32 }, (_, i) => `a${i + 1}`), 'c1')
    expect(end('b0')).toEqual(['c1'])
    expect(end('a0')).toEqual(['a1'])
  })

  it('keeps one of several slots free of a caller that waits alone, so that the next caller starts at once', () => {
    const { enter, fill, end } = aQueue(2)
    enter(...Array.from({ length: 32 }, (_, i) => `a${i}`))
    expect(fill()).toEqual(['a0'])
    enter('b1')
    expect(fill()).toEqual(['b1'])
    expect(end('b1')).toEqual([])
    expect(end('a0')).toEqual(['a1'])
  })

  it('gives a caller all slots but one while no other waits, and half of them otherwise', () => {
    const { enter, fill, end } = aQueue(4)
    enter('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7')
    expect(fill()).toEqual(['a1', 'a2', 'a3'])
    enter('b1', 'b2', 'b3')
    expect(fill()).toEqual(['b1'])
    expect(end('a1')).toEqual(['b2'])
    // Both callers have half of the slots: when work of one ends, the next work of the same caller starts.
    expect(end('a2')).toEqual(['a4'])
    expect(end('b1')).toEqual(['b3'])
    // Only one caller waits now.
    expect(end('b2')).toEqual(['a5'])
    expect(end('b3')).toEqual([])
  })

  it('limits callers to half while others wait, in any order of steps, and loses no work and no slot', () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('enter' as const), caller: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ does: fc.constant('end' as const), nth: fc.nat(7) }),
      fc.record({ does: fc.constant('leave' as const), nth: fc.nat(30) }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (slots, steps) => {
        const { enter, fill, end, leave, waiting, running } = aQueue(slots)
        steps.forEach((item, n) => {
          if (item.does === 'enter') enter(`${item.caller}${n}`)
          if (item.does === 'leave') leave(item.nth)
          const ended = item.does === 'end' ? running[item.nth] : undefined
          if (ended) end(ended.work)
          else fill()
        })
        while (running.length > 0) end(running[0]?.work ?? '')
        expect(waiting).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('rejects work of a caller beyond its limit, and no other work', () => {
    const { queue, enter, fill } = aQueue(1)
    enter('a0')
    fill()
    enter(...Array.from({ length: 32 }, (_, i) => `a${i + 1}`))
    expect(() => enter('a33')).toThrow(TooManyReads)
    enter('b1')
    // Work that continues a response is not limited: its first part was accepted earlier.
    queue.enter(callerNamed('a'), 'a34', false)
    expect(queue.waiting()).toBe(34)
  })
})

describe('the caller of a read', () => {
  const anonymous = (address: string | null) =>
    callerOf({
      ...member,
      actor: { ...member.actor, kind: 'anonymous', user_id: null, credential_id: null, scope: null, address },
    })

  it('is the account, whichever of its credentials is used', () => {
    const callerWith = (kind: 'session' | 'apikey', credential_id: string) =>
      callerOf({ ...member, actor: { ...member.actor, kind, credential_id, user_id: 'ann' } })
    expect(callerWith('session', 'one')).toEqual(callerWith('apikey', 'two'))
    expect(callerWith('session', 'one').maxWaiting).toBe(32)
  })

  it('is a static token, with a higher limit', () => {
    const callerWith = (credential_id: string) =>
      callerOf({ ...member, actor: { ...member.actor, kind: 'static', user_id: null, credential_id } })
    expect(callerWith('static:read:1')).not.toEqual(callerWith('static:read:2'))
    expect(callerWith('static:read:1').maxWaiting).toBe(128)
  })

  it('is the network of an anonymous client', () => {
    expect(anonymous('192.0.2.1')).not.toEqual(anonymous('192.0.2.2'))
    expect(anonymous('2001:db8::1')).toEqual(anonymous('2001:db8::2:1'))
    expect(anonymous('2001:db8::1')).not.toEqual(anonymous('2001:db8:0:1::1'))
    expect(anonymous(null).maxWaiting).toBe(32)
  })

  it('is the service itself, without a limit', () => {
    expect(callerOf(SYSTEM)).toEqual(callerOf(CLI))
    expect(callerOf(SYSTEM).maxWaiting).toBe(Infinity)
  })
})
