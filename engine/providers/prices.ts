import type { Pricing } from '../suite/suite.ts'
import type { Usage } from './provider.ts'

/** A rate in micro-USD per token, which is USD per million tokens, as an exact fraction. */
type Rate = { readonly numerator: bigint; readonly denominator: bigint }

/** Rates of a model; a component without a rate is undefined. */
export type Rates = {
  readonly input: Rate
  readonly output: Rate | undefined
  readonly cacheRead: Rate | undefined
  readonly cacheWrite: Rate | undefined
  readonly cacheWrite1h: Rate | undefined
}

type TableRow = {
  readonly models: readonly string[]
  /** Input, output, cache read, cache write (5 minutes), cache write (1 hour). */
  readonly rates: readonly [input: number, output?: number, read?: number, write?: number, write1h?: number]
  /** The ids are also prefixes of the models of a family. */
  readonly isFamily?: boolean
}

/** USD per million tokens, as of 2026-08-02. */
const TABLE: readonly TableRow[] = [
  { models: ['claude-fable-5'], rates: [10, 50, 1, 12.5, 20], isFamily: true },
  {
    models: ['claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
    rates: [5, 25, 0.5, 6.25, 10],
    isFamily: true,
  },
  {
    models: ['claude-sonnet-5', 'claude-sonnet-4-6', 'claude-sonnet-4-5'],
    rates: [3, 15, 0.3, 3.75, 6],
    isFamily: true,
  },
  { models: ['claude-haiku-4-5'], rates: [1, 5, 0.1, 1.25, 2], isFamily: true },
  { models: ['o3'], rates: [2, 8, 0.5] },
  { models: ['o4-mini'], rates: [1.1, 4.4, 0.275] },
  { models: ['gpt-4o'], rates: [2.5, 10, 1.25] },
  { models: ['gpt-4o-2024-05-13'], rates: [5, 15] },
  { models: ['gpt-4o-mini'], rates: [0.15, 0.6, 0.075] },
  { models: ['gpt-5', 'gpt-5.1'], rates: [1.25, 10, 0.125] },
  { models: ['gpt-5.2'], rates: [1.75, 14, 0.175] },
  { models: ['gpt-5-mini'], rates: [0.25, 2, 0.025], isFamily: true },
  { models: ['gpt-5-nano'], rates: [0.05, 0.4, 0.005], isFamily: true },
  { models: ['gpt-5.4-mini'], rates: [0.75, 4.5, 0.075], isFamily: true },
  { models: ['gpt-5.4-nano'], rates: [0.2, 1.25, 0.02], isFamily: true },
  { models: ['text-embedding-3-small'], rates: [0.02] },
  { models: ['text-embedding-3-large'], rates: [0.13] },
]

const ROWS = new Map(TABLE.flatMap((row) => row.models.map((model) => [model, row] as const)))
const FAMILIES = [...ROWS]
  .filter(([, { isFamily }]) => isFamily)
  .map(([prefix, row]) => ({ prefix, row }))
  .sort((a, b) => b.prefix.length - a.prefix.length)

/**
 * The rates of a model: those of the built-in table, each replaced by `pricing`. A model that the table does not know
 * needs an input and an output rate there, embeddings an input rate alone. Null: the cost is not known.
 */
export const ratesOf = (model: string, pricing: Pricing | undefined, isEmbedding = false): Rates | null => {
  const row = findRow(model)
  const [input, output, read, write, write1h] = row?.rates ?? []
  const inputRate = pricing?.input_per_mtok ?? input
  const outputRate = pricing?.output_per_mtok ?? output
  if (inputRate === undefined || (row === undefined && outputRate === undefined && !isEmbedding)) return null
  return {
    input: asRate(inputRate),
    output: optionalRate(outputRate),
    cacheRead: optionalRate(pricing?.cache_read_per_mtok ?? read),
    cacheWrite: optionalRate(pricing?.cache_write_per_mtok ?? write),
    cacheWrite1h: optionalRate(pricing?.cache_write_1h_per_mtok ?? write1h),
  }
}

/**
 * The cost of a call in whole micro-USD: each component is rounded up, then added. Null: the rates are not known, or a
 * component has tokens but no rate.
 */
export const usageCost = (usage: Usage, rates: Rates | null): number | null => {
  if (rates === null) return null
  const writes = usage.cache_write_tokens ?? 0
  const writes1h = Math.min(usage.cache_write_1h_tokens ?? 0, writes)
  const components: ReadonlyArray<readonly [tokens: number, rate: Rate | undefined]> = [
    [usage.input_tokens, rates.input],
    [usage.output_tokens, rates.output],
    [usage.cache_read_tokens ?? 0, rates.cacheRead],
    [writes - writes1h, rates.cacheWrite],
    [writes1h, rates.cacheWrite1h],
  ]
  let total = 0n
  for (const [tokens, rate] of components) {
    if (tokens <= 0) continue
    if (rate === undefined) return null
    total += (BigInt(Math.trunc(tokens)) * rate.numerator + rate.denominator - 1n) / rate.denominator
  }
  return Number(total)
}

/** A model id of a cloud has a prefix such as `us.anthropic.`, or a version after `@`. */
const findRow = (model: string): TableRow | undefined => {
  const id = (model.split('@', 1)[0] ?? '').replace(/^(?:(?:us|eu|apac)\.)?(?:anthropic|openai)\./, '')
  const undated = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
  const family = FAMILIES.find(({ prefix }) => id.startsWith(prefix))
  return ROWS.get(id) ?? ROWS.get(undated) ?? family?.row
}

const optionalRate = (rate: number | undefined): Rate | undefined => (rate === undefined ? undefined : asRate(rate))

/** The exact value of the shortest decimal of a number: 100 tokens at 1.1 cost 110, and not 111. */
const asRate = (rate: number): Rate => {
  const [mantissa = '0', exponent = '0'] = String(rate).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) }
}
