import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signInThrottle } from '../../../http/identity/sign-in-throttle.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A throttle on a clock that stands until it is moved. */
const aThrottle = (most?: number) => {
  let at = Date.UTC(2026, 4, 4)
  const throttle = signInThrottle({ now: () => at, ...(most === undefined ? {} : { most }) })
  /** Tries a wrong password; false when it was not let. */
  const guess = (username: string, address: string | null): boolean => {
    if (throttle.check(username, address) > 0) return false
    throttle.failed(username, address)
    return true
  }
  const signIn = (username: string, address: string | null): boolean => {
    if (throttle.check(username, address) > 0) return false
    throttle.succeeded(username, address)
    return true
  }
  return { ...throttle, guess, signIn, pass: (ms: number) => void (at += ms) }
}

/** Addresses of as many networks as one likes. */
const addressOf = (n: number): string => `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`

const times = (count: number, work: (i: number) => boolean): number =>
  Array.from({ length: count }, (_, i) => work(i)).filter(Boolean).length

describe('an attempt without a verdict', () => {
  it('counts while it is under way and not after, and forgets nothing', () => {
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
})

describe('guessing the password of an account', () => {
  it('from one address has ten tries, then waits that double', () => {
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

  it('is let again when the wait is over, and not before', () => {
    const { guess, pass } = aThrottle()
    times(10, () => guess('ada', '192.0.2.1'))
    pass(SECOND - 1)
    expect(guess('ada', '192.0.2.1')).toBe(false)
    pass(1)
    expect(guess('ada', '192.0.2.1')).toBe(true)
  })

  it('while waiting changes nothing', () => {
    const { guess, pass } = aThrottle()
    times(1000, () => guess('ada', '192.0.2.1'))
    pass(SECOND)
    expect(guess('ada', '192.0.2.1')).toBe(true)
  })

  it('for a day has some hundred tries from one address', () => {
    const { guess, pass } = aThrottle()
    const tried = times(24 * 60, () => {
      pass(MINUTE)
      return guess('ada', '192.0.2.1')
    })
    expect(tried).toBeGreaterThan(96)
    expect(tried).toBeLessThan(120)
  })

  it('for a day has some five hundred tries from ever new addresses', () => {
    const { guess, pass } = aThrottle()
    const tried = times(24 * 60 * 6, (i) => {
      pass(10 * SECOND)
      return guess('ada', addressOf(i))
    })
    expect(tried).toBeGreaterThan(480)
    expect(tried).toBeLessThan(520)
  })

  it('many times at once gains nothing', () => {
    const { check, failed, pass } = aThrottle()
    const atOnce = (): number => {
      const begun = times(200, () => check('ada', '192.0.2.1') === 0)
      for (let i = 0; i < begun; i++) failed('ada', '192.0.2.1')
      return begun
    }
    expect(atOnce()).toBe(10)
    expect(atOnce()).toBe(0)
    pass(SECOND)
    expect(atOnce()).toBe(1)
    expect(atOnce()).toBe(0)
  })

  it('from one IPv6 network is from one address', () => {
    const { guess } = aThrottle()
    expect(times(100, (i) => guess('ada', `2001:db8:1:2::${i.toString(16)}`))).toBe(10)
    expect(guess('ada', '2001:db8:1:3::1')).toBe(true)
  })

  it('from nowhere is from one address', () => {
    const { guess } = aThrottle()
    expect(times(100, () => guess('ada', null))).toBe(10)
  })

  it('is forgotten in time', () => {
    const { guess, pass } = aThrottle()
    times(10, () => guess('ada', '192.0.2.1'))
    pass(10 * 15 * MINUTE)
    expect(times(100, () => guess('ada', '192.0.2.1'))).toBe(10)
  })
})

describe('guessing at many accounts', () => {
  it('from one address has a hundred tries, then some six a minute', () => {
    const { guess, pass } = aThrottle()
    expect(times(1000, (i) => guess(`user${i}`, '192.0.2.1'))).toBe(100)
    const tried = times(HOUR / SECOND, (i) => {
      pass(SECOND)
      return guess(`other${i}`, '192.0.2.1')
    })
    expect(tried).toBeGreaterThan(355)
    expect(tried).toBeLessThan(375)
  })

  it("is not made cheaper by signing in to an account of one's own in between", () => {
    const { guess, signIn } = aThrottle()
    const tried = times(1000, (i) => {
      expect(signIn('mallory', '192.0.2.1')).toBe(true)
      return guess(`user${i}`, '192.0.2.1')
    })
    expect(tried).toBe(100)
  })

  it('costs the others behind that address ten seconds at most', () => {
    const { guess, check, pass } = aThrottle()
    times(5000, (i) => {
      pass(SECOND)
      return guess(`user${i}`, '192.0.2.1')
    })
    expect(check('ada', '192.0.2.1')).toBeLessThanOrEqual(10 * SECOND)
  })
})

describe('whoever signs in', () => {
  it('is not kept waiting by an attack on the account from elsewhere, coming from where it signed in before', () => {
    const { guess, signIn, pass } = aThrottle()
    expect(signIn('ada', '192.0.2.1')).toBe(true)
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(guess('ada', '203.0.113.200')).toBe(false)
    expect(signIn('ada', '192.0.2.1')).toBe(true)
    pass(29 * 24 * HOUR)
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('may mistype as often as others there, during an attack from elsewhere', () => {
    const { guess, signIn } = aThrottle()
    signIn('ada', '192.0.2.1')
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(times(9, () => guess('ada', '192.0.2.1'))).toBe(9)
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('is not kept waiting by an attack on another account through the same proxy', () => {
    const { guess, signIn } = aThrottle()
    times(1000, () => guess('victim', '192.0.2.1'))
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('is not kept waiting by an attack on all accounts through the same proxy, having signed in there before', () => {
    const { guess, signIn } = aThrottle()
    signIn('ada', '192.0.2.1')
    times(1000, (i) => guess(`user${i}`, '192.0.2.1'))
    expect(signIn('newcomer', '192.0.2.1')).toBe(false)
    expect(signIn('ada', '192.0.2.1')).toBe(true)
  })

  it('waits three minutes at most at a new address while the account is attacked', () => {
    const { guess, check, pass } = aThrottle()
    times(5000, (i) => {
      pass(SECOND)
      return guess('ada', addressOf(i))
    })
    expect(check('ada', '203.0.113.200')).toBeLessThanOrEqual(3 * MINUTE)
  })

  it('is a stranger again after thirty days', () => {
    const { guess, signIn, check, pass } = aThrottle()
    signIn('ada', '192.0.2.1')
    pass(30 * 24 * HOUR)
    times(1000, (i) => guess('ada', addressOf(i)))
    expect(check('ada', '192.0.2.1')).toBeGreaterThan(0)
  })

  it('has all tries again after a success', () => {
    const { guess, signIn } = aThrottle()
    times(9, () => guess('ada', '192.0.2.1'))
    expect(signIn('ada', '192.0.2.1')).toBe(true)
    expect(times(100, () => guess('ada', '192.0.2.1'))).toBe(10)
  })

  it('a thousand times through one proxy, each another account, waits for nobody', () => {
    const { signIn } = aThrottle()
    expect(times(1000, (i) => signIn(`user${i}`, '192.0.2.1'))).toBe(1000)
  })

  it('does so ten times at once under one name', () => {
    const { check, succeeded } = aThrottle()
    expect(times(20, () => check('ada', '192.0.2.1') === 0)).toBe(10)
    succeeded('ada', '192.0.2.1')
    expect(times(20, () => check('ada', '192.0.2.1') === 0)).toBeGreaterThan(0)
  })

  it('is let in again after attempts whose end nobody told', () => {
    const { check, pass } = aThrottle()
    expect(times(20, () => check('ada', '192.0.2.1') === 0)).toBe(10)
    pass(30 * SECOND)
    expect(check('ada', '192.0.2.1')).toBe(0)
  })

  it('is not kept waiting for hours by a clock that was set back', () => {
    const { guess, check, pass } = aThrottle()
    times(10, () => guess('ada', '192.0.2.1'))
    pass(-HOUR)
    expect(check('ada', '192.0.2.1')).toBeLessThanOrEqual(15 * MINUTE)
  })
})

describe('the throttle', () => {
  it('treats all names alike: of other letters, empty, or of the kind that objects have', () => {
    const { guess } = aThrottle()
    for (const name of ['ada', 'Ada', '', ' ', '__proto__', 'constructor', 'a b', 'ada 192.0.2.1'])
      expect(times(100, () => guess(name, '192.0.2.1'))).toBe(10)
  })

  it('forgets what was used longest ago when it is full', () => {
    const { guess } = aThrottle(50)
    expect(times(11, () => guess('ada', '192.0.2.1'))).toBe(10)
    times(49, (i) => guess(`user${i}`, addressOf(i)))
    expect(guess('ada', '192.0.2.1')).toBe(false)
    times(50, (i) => guess(`other${i}`, addressOf(i)))
    expect(guess('ada', '192.0.2.1')).toBe(true)
  })

  it('tells once what it refused', () => {
    const { guess, signIn, refusals } = aThrottle()
    signIn('ada', '192.0.2.1')
    expect(refusals()).toBeNull()
    times(15, () => guess('ada', '192.0.2.1'))
    expect(refusals()).toEqual({ failed: 10, throttled: 5 })
    expect(refusals()).toBeNull()
  })

  it('lets in whoever waits as long as it says, a quarter of an hour at most', () => {
    const step = fc.record({
      user: fc.nat(3),
      address: fc.nat(3),
      right: fc.boolean(),
      after: fc.constantFrom(0, 1, SECOND, MINUTE, HOUR),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.nat(3), fc.nat(3), (steps, user, address) => {
        const { check, guess, signIn, pass } = aThrottle(100)
        for (const each of steps) {
          const attempt = each.right ? signIn : guess
          attempt(`user${each.user}`, addressOf(each.address))
          pass(each.after)
        }
        const wait = check(`user${user}`, addressOf(address))
        expect(wait).toBeLessThanOrEqual(15 * MINUTE)
        pass(wait)
        expect(check(`user${user}`, addressOf(address))).toBe(0)
      }),
    )
  })
})
