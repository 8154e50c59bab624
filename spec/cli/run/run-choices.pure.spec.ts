import { describe, expect, it } from 'vitest'
import { runOptionsOf, selectionOf, warningsOf } from '../../../cli/run/run-choices.ts'
import type { RunCommandOptions } from '../../../cli/run/options.ts'
import { suite } from '../../support/engine/suites.ts'

const DEFAULTS: RunCommandOptions = {
  verbose: 0,
  color: 'auto',
  cache: true,
  graderCache: true,
  repeat: 1,
  fallback: true,
  raw: true,
  progress: true,
  provenance: true,
}
const choose = (options: Partial<RunCommandOptions> = {}, env: Record<string, string> = {}, more = {}) =>
  runOptionsOf({ ...DEFAULTS, ...options }, env, suite(more))

describe('how a run differs from its suite', () => {
  it('is not at all without flags and variables', () => {
    const { runner, cache } = suite()
    expect(choose()).toEqual({
      concurrency: runner.concurrency,
      retries: runner.retries,
      cacheMode: 'normal',
      storeEmptyOutputs: cache.store_empty_outputs,
      fallbackOnEmptyReason: runner.fallback_on_empty_reason,
      withFallback: true,
      withRaw: true,
      graderCache: true,
    })
  })

  it.each([
    [{ cache: false }, 'off'],
    [{ cacheOnly: true }, 'only'],
    [{ cache: false, cacheOnly: true }, 'off'],
  ])('with %j is the cache mode %s', (options, mode) => {
    expect(choose(options).cacheMode).toBe(mode)
  })

  it('is warned of if --no-cache takes the effect of --cache-only', () => {
    expect(warningsOf({ ...DEFAULTS, cache: false, cacheOnly: true })).toEqual([
      expect.stringMatching(/^--cache-only has no effect with --no-cache/),
    ])
    expect(warningsOf({ ...DEFAULTS, cacheOnly: true })).toEqual([])
    expect(warningsOf({ ...DEFAULTS, cache: false })).toEqual([])
  })

  it('replaces the number of retries alone', () => {
    expect(choose({ retries: 5 }).retries).toEqual({ ...suite().runner.retries, max: 5 })
    expect(choose({ retries: false }).retries.max).toBe(0)
  })

  it('takes the policy for empty outputs from the flag, the variable, the suite', () => {
    const env = { SERVICE_CACHE_STORE_EMPTY_OUTPUTS: 'always' }
    expect(choose({ storeEmptyOutputs: 'never' }, env).storeEmptyOutputs).toBe('never')
    expect(choose({}, env).storeEmptyOutputs).toBe('always')
    expect(() => choose({}, { SERVICE_CACHE_STORE_EMPTY_OUTPUTS: 'maybe' })).toThrow(
      'SERVICE_CACHE_STORE_EMPTY_OUTPUTS is `maybe`; accepted are never, reproducible, always',
    )
  })

  it('takes the reasons for a fallback from the flag, the variable, the suite; empty is none', () => {
    const env = { SERVICE_FALLBACK_ON_EMPTY_REASON: '' }
    expect(choose({ fallbackOnEmptyReason: 'blank, refusal' }, env).fallbackOnEmptyReason).toEqual(['blank', 'refusal'])
    expect(choose({}, env).fallbackOnEmptyReason).toEqual([])
  })

  it.each([
    ['1', false],
    ['YES', false],
    ['off', true],
    ['', true],
  ])('with SERVICE_NO_FALLBACK=%s uses fallbacks: %s', (value, expected) => {
    expect(choose({}, { SERVICE_NO_FALLBACK: value }).withFallback).toBe(expected)
  })

  it('refuses another value of SERVICE_NO_FALLBACK', () =>
    expect(() => choose({}, { SERVICE_NO_FALLBACK: 'maybe' })).toThrow('SERVICE_NO_FALLBACK is `maybe`'))

  it('caches no grading if the flag or the suite says so', () => {
    expect(choose({ graderCache: false }).graderCache).toBe(false)
    expect(choose({}, {}, { cache: { ...suite().cache, grader: false } }).graderCache).toBe(false)
  })
})

it('what a run selects takes providers from SERVICE_PROVIDER only without the flag', () => {
  const env = { SERVICE_PROVIDER: 'a, b' }
  expect(selectionOf(DEFAULTS, env).providers).toEqual(['a', 'b'])
  expect(selectionOf({ ...DEFAULTS, provider: ['c'] }, env).providers).toEqual(['c'])
  expect(selectionOf(DEFAULTS, {})).toEqual({ tags: [], filters: [], providers: [], prompts: [], repeat: 1 })
})
