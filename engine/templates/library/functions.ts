import { asInteger, asText, bind, noArguments, required, type Arguments } from '../evaluation/arguments.ts'
import { seededInteger, seededUuid } from './hashes.ts'
import type { GlobalFunction, Library } from '../evaluation/runtime.ts'
import { strftime } from './strftime.ts'
import { TemplateError } from '../template-error.ts'
import { MapValue, typeName, type Key, type Value } from '../values/value.ts'

const MAX_RANGE = 100_000

const range: GlobalFunction = (args, runtime) => {
  const [first, second, third] = bind(args, 'start', 'stop', 'step')
  const start = second === undefined ? 0 : asInteger(required(first, 'start'), 'start')
  const stop = second === undefined ? asInteger(required(first, 'stop'), 'stop') : asInteger(second, 'stop')
  const step = third === undefined ? 1 : asInteger(third, 'step')
  if (step === 0) throw new TemplateError('the step of `range` is 0')
  const length = Math.max(0, Math.ceil((stop - start) / step))
  if (length > MAX_RANGE) throw new TemplateError(`\`range\` has more than ${MAX_RANGE.toLocaleString('en')} elements`)
  runtime.count(length)
  return Array.from({ length }, (_, index) => BigInt(start + index * step))
}

/** The members of an optional map argument, then the named arguments. */
const pairs = ({ positional, named }: Arguments, what: string): Array<readonly [Key, Value]> => {
  const [source, ...others] = positional
  if (others.length > 0) throw new TemplateError(`too many arguments: \`${what}\` takes one map and named arguments`)
  if (source !== undefined && !(source instanceof MapValue))
    throw new TemplateError(`\`${what}\` takes a map, not ${typeName(source)}`)
  return [...(source?.pairs() ?? []), ...named]
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

const currentTime = ({ serviceNow, now }: Library): Date => {
  if (serviceNow === undefined) return new Date(now())
  const date = RFC_3339.test(serviceNow) ? new Date(serviceNow.replace(' ', 'T').toUpperCase()) : null
  if (date === null || Number.isNaN(date.getTime()))
    throw new TemplateError(
      `SERVICE_NOW is \`${serviceNow}\`; it must be an RFC 3339 instant such as 2026-01-02T03:04:05Z`,
    )
  return date
}

const DEFAULT_FORMAT = '%Y-%m-%dT%H:%M:%S+00:00'

/** 2^53 and the shift that leaves 53 of 64 bits: a double holds them exactly. */
const FRACTION_BITS = 2 ** 53
const SHIFT = 11n

const WITHOUT_SEED = 'a seed is required: nothing random may enter a request, or the cache would never hit'

const checkedSeed = (seed: Value): Value => {
  if (seed === undefined) throw new TemplateError(WITHOUT_SEED)
  return seed
}

const bigInteger = (value: Value, name: string): bigint => {
  if (typeof value === 'bigint') return value
  return BigInt(asInteger(required(value, name), name))
}

/** The functions that every template can call. */
export const functions: ReadonlyMap<string, GlobalFunction> = new Map<string, GlobalFunction>([
  ['range', range],
  ['dict', (args) => MapValue.from(pairs(args, 'dict'))],
  ['namespace', (args) => MapValue.from(pairs(args, 'namespace'), true)],
  [
    'debug',
    (args, runtime) => {
      noArguments(args)
      return `template at line ${runtime.line}`
    },
  ],
  [
    'now',
    (args, { library }) => {
      const [format] = bind(args, 'fmt')
      return strftime(format === undefined ? DEFAULT_FORMAT : asText(format, 'fmt'), currentTime(library))
    },
  ],
  [
    'uuid',
    (args) => {
      const [seed] = bind(args, 'seed')
      return seededUuid(checkedSeed(seed))
    },
  ],
  [
    'rand',
    (args) => {
      const [seed] = bind(args, 'seed')
      return Number(seededInteger(checkedSeed(seed)) >> SHIFT) / FRACTION_BITS
    },
  ],
  [
    'randint',
    (args) => {
      const [low, high, seed] = bind(args, 'lo', 'hi', 'seed')
      const [from, to] = [bigInteger(low, 'lo'), bigInteger(high, 'hi')]
      if (to < from) throw new TemplateError('`hi` of `randint` is below `lo`')
      return from + (seededInteger(checkedSeed(seed)) % (to - from + 1n))
    },
  ],
])
