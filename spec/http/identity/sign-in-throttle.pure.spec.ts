import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signInThrottle } from '../../../http/identity/sign-in-throttle.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A throttle with a clock that only `pass` moves. */
const aThrottle = (max?: number) => {
  let now = Date.UTC(2026, 4, 4)
  const throttle = signInThrottle({ now: () => now, ...(max === undefined ? {} : { maxEntries: max }) })
  /** Tries a wrong password; returns false if the throttle rejected the attempt. */
  const guess = (username: string | null, address: string | null): boolean => {
    if (throttle.check(username, address) > 0) return false
    throttle.failed(username, address)
    return true
  }
  const signIn = (username: string, address: string | null): boolean => {
    if (throttle.check(username, address) > 0) return false
    throttle.succeeded(username, address)
    return true
  }
  return { ...throttle, guess, signIn, pass: (ms: number) => void (now += ms) }
}

/** The n-th of many addresses, each in its own network. */
const addressOf = (n: number): string => `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`

const times = (count: number, work: (i: number) => boolean): number =>
  Array.from({ length: count }, (_, i) => work(i)).filter(Boolean).length

it('an abandoned attempt counts only while it is running, and resets nothing', () => {
  const { check, abandoned, guess } = aThrottle()
  expect(times(9, () => guess('ada', '192.0.2.1'))).toBe(9)
  for (let i = 0; i < 50; i++) {
    expect(check('ada', '192.0.2.1')).toBe(0)
    expect(check('ada', '192.0.2.1')).toBe(SECOND)
    abandoned('ada', '192.0.2.1')
  }
  expect(guess('ada', '192.0.2.1')).toBe(true)
  expect(guess('ada', '192.0.2.1')).toBe(false)
})

describe('guessing the password of an account', () => {
  it('has ten attempts per address, then a delay that doubles', () => {
    const { guess, check, pass } = aThrottle()
    expect(times(10, () => guess('ada', '192.0.2.1'))).toBe(10)
    const waits = Array.from({ length: 10 }, () => {
      const wait = check('ada', '192.0.2.1')
      pass(wait)
      guess('ada', '192.0.2.1')
      return wait / SECOND
    })
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
  })

  it('is allowed again after the delay, not before', () => {
    const { guess, pass } = aThrottle()
    times(10, () => guess('ada', '192.0.2.1'))
    pass(SECOND - 1)
    expect(guess('ada', '192.0.2.1')).toBe(false)
    pass(1)
    expect(guess('ada', '192.0.2.1')).toBe(true)
  })

  it('is not delayed further by attempts during the delay', () => {
    const { guess, pass } = aThrottle()
    times(1000, () => guess('ada', '192.0.2.1'))
    pass(SECOND)
    expect(guess('ada', '192.0.2.1')).toBe(true)
  })

  it('has about a hundred attempts a day from one address', () => {
    const { guess, pass } = aThrottle()
    const tried = times(24 * 60, () => {
      pass(MINUTE)
      return guess('ada', '192.0.2.1')
    })
    expect(tried).toBeGreaterThan(96)
    expect(tried).toBeLessThan(120)
  })

  it('has about five hundred attempts a day from constantly new addresses', () => {
    const { guess, pass } = aThrottle()
    const tried = times(24 * 60 * 6, (i) => {
      pass(10 * SECOND)
      return guess('ada', addressOf(i))
    })
    expect(tried).toBeGreaterThan(480)
    expect(tried).toBeLessThan(520)
  })

  it('gains nothing from concurrent attempts', () => {
    const { check, failed, pass } = aThrottle()
    const concurrently = (): number => {
      const started = times(200, () => check('ada', '192.0.2.1') === 0)
      for (let i = 0; i < started; i++) failed('ada', '192.0.2.1')
      return started
    }
    expect(concurrently()).toBe(10)
    expect(concurrently()).toBe(0)
    pass(SECOND)
    expect(concurrently()).toBe(1)
    expect(concurrently()).toBe(0)
  })

  it('from one IPv6 network counts as one address', () => {
    const { guess } = aThrottle()
    expect(times(100, (i) => guess('ada', `2001:db8:1:2::${i.toString(16)}`))).toBe(10)
    expect(guess('ada', '2001:db8:1:3::1')).toBe(true)
  })

  it('from an unknown address counts as one address', () => {
    const { guess } = aThrottle()
    expect(times(100, () => guess('ada', null))).toBe(10)
  })

  it('is forgotten after some time', () => {
    const { guess, pass } = aThrottle()
    times(10, () => guess('ada', '192.0.2.1'))
    pass(10 * 15 * MINUTE)
    expect(times(100, () => guess('ada', '192.0.2.1'))).toBe(10)
  })
})

describe('guessing at many accounts', () => {
  it('has a hundred attempts per address, then about six a minute', () => {
    const { guess, pass } = aThrottle()
    expect(times(1000, (i) => guess(`user${i}`, '192.0.2.1'))).toBe(100)
    const tried = times(HOUR / SECOND, (i) => {
      pass(SECOND)
      return guess(`other${i}`, '192.0.2.1')
    })
    expect(tried).toBeGreaterThan(355)
    expect(tried).toBeLessThan(375)
  })

  it('gains nothing from successful sign-ins to another account in between', () => {
    const { guess, signIn } = aThrottle()
    const tried = times(1000, (i) => {
      expect(signIn('mallory', '192.0.2.1')).toBe(true)
      return guess(`user${i}`, '192.0.2.1')
    })
    expect(tried).toBe(100)
  })

  it('delays other users of the address by at most ten seconds', () => {
    const { guess, check, pass } = aThrottle()
    times(5000, (i) => {
      pass(SECOND)
      return guess(`user${i}`, '192.0.2.1')
    })
    expect(check('ada', '192.0.2.1')).toBeLessThanOrEqual(10 * SECOND)
  })
})

describe('guessing the secret of a link', () => {
  it('has a hundred attempts per address, together with those of sign-ins, and delays no other address', () => {
    const { guess, check, abandoned } = aThrottle()
    expect(times(60, () => guess(null, '192.0.2.1'))).toBe(60)
    expect(times(60, (i) => guess(`user ${i}`, '192.0.2.1'))).toBe(40)
    expect(guess(null, '192.0.2.1')).toBe(false)
    expect(check(null, '192.0.2.2')).toBe(0)
    abandoned(null, '192.0.2.2')
    // A link names no account, so guesses from many addresses delay no use of a link.
    expect(times(500, (i) => guess(null, addressOf(i)))).toBe(500)
  })
})

describe('a legitimate user', () => {
  it('is not delayed at a known address by an attack from other addresses', () => {
    const { guess, signIn, pass } = aThrottle()
    expect(signIn('ada', '192.0.2.1')).toBe(true)
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(guess('ada', '203.0.113.200')).toBe(false)
    expect(signIn('ada', '192.0.2.1')).toBe(true)
    pass(29 * 24 * HOUR)
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('has all attempts at a known address during an attack from other addresses', () => {
    const { guess, signIn } = aThrottle()
    signIn('ada', '192.0.2.1')
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(times(9, () => guess('ada', '192.0.2.1'))).toBe(9)
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('is not delayed by an attack on another account through the same proxy', () => {
    const { guess, signIn } = aThrottle()
    times(1000, () => guess('victim', '192.0.2.1'))
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('is not delayed at a known proxy by an attack on all accounts through it', () => {
    const { guess, signIn } = aThrottle()
    signIn('ada', '192.0.2.1')
    times(1000, (i) => guess(`user${i}`, '192.0.2.1'))
    expect(signIn('newcomer', '192.0.2.1')).toBe(false)
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('waits at most three minutes at a new address during an attack', () => {
    const { guess, check, pass } = aThrottle()
    times(5000, (i) => {
      pass(SECOND)
      return guess('ada', addressOf(i))
    })
    expect(check('ada', '203.0.113.200')).toBeLessThanOrEqual(3 * MINUTE)
  })

  it('loses its known address after thirty days', () => {
    const { guess, signIn, check, pass } = aThrottle()
    signIn('ada', '192.0.2.1')
    pass(30 * 24 * HOUR)
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(check('ada', '192.0.2.1')).toBeGreaterThan(0)
  })

  it('has all attempts again after a success', () => {
    const { guess, signIn } = aThrottle()
    times(9, () => guess('ada', '192.0.2.1'))
    expect(signIn('ada', '192.0.2.1')).toBe(true)
    expect(times(100, () => guess('ada', '192.0.2.1'))).toBe(10)
  })

  it('is not delayed by a thousand other accounts that sign in through one proxy', () => {
    const { signIn } = aThrottle()
    expect(times(1000, (i) => signIn(`user${i}`, '192.0.2.1'))).toBe(1000)
  })

  it('can sign in ten times concurrently under one username', () => {
    const { check, succeeded } = aThrottle()
    expect(times(20, () => check('ada', '192.0.2.1') === 0)).toBe(10)
    succeeded('ada', '192.0.2.1')
    expect(times(20, () => check('ada', '192.0.2.1') === 0)).toBeGreaterThan(0)
  })

  it('is allowed again after attempts that never reported a result', () => {
    const { check, pass } = aThrottle()
    expect(times(20, () => check('ada', '192.0.2.1') === 0)).toBe(10)
    pass(30 * SECOND)
    expect(check('ada', '192.0.2.1')).toBe(0)
  })

  it('is not delayed for hours by a clock that was set back', () => {
    const { guess, check, pass } = aThrottle()
    times(10, () => guess('ada', '192.0.2.1'))
    pass(-HOUR)
    expect(check('ada', '192.0.2.1')).toBeLessThanOrEqual(15 * MINUTE)
  })
})

describe('the throttle', () => {
  it('treats all names equally: other case, empty, or names of object properties', () => {
    const { guess } = aThrottle()
    for (const name of ['ada', 'Ada', '', ' ', '__proto__', 'constructor', 'a b', 'ada 192.0.2.1'])
      expect(times(100, () => guess(name, '192.0.2.1'))).toBe(10)
  })

  it('forgets the least recently used entry when it is full', () => {
    const { guess } = aThrottle(50)
    expect(times(11, () => guess('ada', '192.0.2.1'))).toBe(10)
    times(49, (i) => guess(`user${i}`, addressOf(i)))
    expect(guess('ada', '192.0.2.1')).toBe(false)
    times(50, (i) => guess(`other${i}`, addressOf(i)))
    expect(guess('ada', '192.0.2.1')).toBe(true)
  })

  it('reports its refusals once', () => {
    const { guess, signIn, refusals } = aThrottle()
    signIn('ada', '192.0.2.1')
    expect(refusals()).toBeNull()
    times(15, () => guess('ada', '192.0.2.1'))
    expect(refusals()).toEqual({ failed: 10, throttled: 5 })
    expect(refusals()).toBeNull()
  })

  it('allows an attempt after the reported delay, at most a quarter of an hour', () => {
    const step = fc.record({
      user: fc.nat(3),
      address: fc.nat(3),
      right: fc.boolean(),
      after: fc.constantFrom(0, 1, SECOND, MINUTE, HOUR),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(3), fc.nat(3), (steps, user, address) => {
        const { check, guess, signIn, pass } = aThrottle(100)
        for (const drawn of steps) {
          const attempt = drawn.right ? signIn : guess
          attempt(`user${drawn.user}`, addressOf(drawn.address))
          pass(drawn.after)
        }
        const wait = check(`user${user}`, addressOf(address))
        expect(wait).toBeLessThanOrEqual(15 * MINUTE)
        pass(wait)
        expect(check(`user${user}`, addressOf(address))).toBe(0)
      }),
    )
  })
})
