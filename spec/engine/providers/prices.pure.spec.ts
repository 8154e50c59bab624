import { describe, expect, it } from 'vitest'
import { usageCost, ratesOf } from '../../../engine/providers/prices.ts'

const usage = { input_tokens: 1_000_000, output_tokens: 1_000_000 }
/** USD for a million tokens of input and of output. */
const price = (model: string) => usageCost(usage, ratesOf(model, undefined))

describe('ratesOf', () => {
  it.each([
    ['claude-opus-4-5', 30e6],
    ['claude-opus-4-5-20251101', 30e6],
    ['claude-opus-5-latest', 30e6],
    ['claude-opus-5x', 30e6],
    ['claude-opus-4-50', 30e6],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 18e6],
    ['anthropic.claude-haiku-4-5', 6e6],
    ['claude-haiku-4-5@20251001', 6e6],
    ['eu.anthropic.claude-fable-5', 60e6],
    ['gpt-4o', 12.5e6],
    ['gpt-4o-2024-08-06', 12.5e6],
    ['gpt-4o-2024-05-13', 20e6],
    ['gpt-4o-mini-2024-07-18', 0.75e6],
    ['gpt-5-mini-2025-08-07', 2.25e6],
    ['gpt-5-mini-high', 2.25e6],
    ['gpt-5.4-nano-x', 1.45e6],
    ['gpt-5.2', 15.75e6],
    ['o4-mini', 5.5e6],
  ])('knows %s', (model, micro) => {
    expect(price(model)).toBe(micro)
  })

  it.each(['m-small', 'gpt-5-pro', 'gpt-4o-audio', 'claude-opus-4', 'o3-pro', ''])(
    'guesses nothing for %s',
    (model) => {
      expect(price(model)).toBeNull()
    },
  )

  it('replaces single rates, and needs input and output for a model that it does not know', () => {
    expect(usageCost(usage, ratesOf('gpt-4o', { output_per_mtok: 1 }))).toBe(3.5e6)
    expect(ratesOf('m', { input_per_mtok: 1 })).toBeNull()
    expect(ratesOf('m', { output_per_mtok: 1 })).toBeNull()
    expect(
      usageCost({ input_tokens: 333, output_tokens: 21 }, ratesOf('m', { input_per_mtok: 1, output_per_mtok: 5 })),
    ).toBe(438)
    expect(usageCost({ input_tokens: 10, output_tokens: 0 }, ratesOf('m', { input_per_mtok: 1 }, true))).toBe(10)
    expect(usageCost({ input_tokens: 3, output_tokens: 0 }, ratesOf('text-embedding-3-small', undefined, true))).toBe(1)
  })
})

describe('usageCost', () => {
  const rates = ratesOf('m', {
    input_per_mtok: 1.1,
    output_per_mtok: 4.4,
    cache_read_per_mtok: 0.1,
    cache_write_per_mtok: 1.25,
    cache_write_1h_per_mtok: 2,
  })

  it('rounds each component up to a micro-USD, exactly', () => {
    expect(usageCost({ input_tokens: 100, output_tokens: 0 }, rates)).toBe(110)
    expect(usageCost({ input_tokens: 1, output_tokens: 1 }, rates)).toBe(2 + 5)
    expect(usageCost({ input_tokens: 0, output_tokens: 0, cache_read_tokens: 1 }, rates)).toBe(1)
    expect(usageCost({ input_tokens: 0, output_tokens: 0 }, rates)).toBe(0)
    expect(
      usageCost({ input_tokens: 3, output_tokens: 0 }, ratesOf('m', { input_per_mtok: 1e-7, output_per_mtok: 1 })),
    ).toBe(1)
  })

  it('prices writes to the cache by how long they last', () => {
    const writes = { input_tokens: 0, output_tokens: 0, cache_write_tokens: 10, cache_write_1h_tokens: 4 }
    expect(usageCost(writes, rates)).toBe(Math.ceil(6 * 1.25) + 8)
  })

  it('is not known where a component has tokens but no rate', () => {
    expect(usageCost({ ...usage, cache_write_tokens: 1 }, ratesOf('gpt-5', undefined))).toBeNull()
    expect(usageCost({ ...usage, cache_write_tokens: 0 }, ratesOf('gpt-5', undefined))).toBe(11.25e6)
    expect(usageCost(usage, null)).toBeNull()
  })
})
