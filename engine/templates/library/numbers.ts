import { asInteger, bind, defined, noArguments } from '../evaluation/arguments.ts'
import type { Filter } from '../evaluation/runtime.ts'
import { TemplateError } from '../template-error.ts'
import { integer, isTrue, plain, typeName, type Value } from '../values/value.ts'

const cannot = (what: string, value: Value): never => {
  throw new TemplateError(`${what} of a value of type ${typeName(value)}`)
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const WORDS: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', Number.NaN],
])

const parsedFloat = (text: string): number => {
  const word = WORDS.get(text.toLowerCase().replace(/^[+-]/, ''))
  if (word !== undefined) return text.startsWith('-') ? -word : word
  if (!FLOAT.test(text)) throw new TemplateError(`\`${text}\` is no number`)
  return Number(text)
}

const MAX_INTEGER_DIGITS = 40

const truncated = (value: number): bigint =>
  Number.isFinite(value) ? integer(BigInt(Math.trunc(value))) : Number.isNaN(value) ? 0n : cannot('`int`', value)

const int: Filter = (given, args) => {
  noArguments(args)
  const value = plain(defined(given))
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return BigInt(value)
  if (typeof value === 'number') return truncated(value)
  if (value === null) return 0n
  if (typeof value !== 'string') return cannot('`int`', value)
  if (/^[+-]?\d+$/.test(value) && value.length <= MAX_INTEGER_DIGITS) return integer(BigInt(value.replace('+', '')))
  return truncated(parsedFloat(value))
}

const float: Filter = (given, args) => {
  noArguments(args)
  const value = plain(defined(given))
  if (typeof value === 'string') return parsedFloat(value)
  if (value === null) return 0
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? Number(value)
    : cannot('`float`', value)
}

const abs: Filter = (value, args) => {
  noArguments(args)
  if (typeof value === 'bigint') return integer(value < 0n ? -value : value)
  return typeof value === 'number' ? Math.abs(value) : cannot('`abs`', value)
}

/** Halves are rounded away from zero. */
const roundedHalf = (value: number): number => Math.sign(value) * Math.round(Math.abs(value))

const MAX_PLACES = 300

const round: Filter = (value, args) => {
  const [places] = bind(args, 'precision')
  const precision = places === undefined ? 0 : asInteger(places, 'precision')
  if (typeof value === 'bigint') return value
  if (typeof value !== 'number') return cannot('`round`', value)
  if (Math.abs(precision) > MAX_PLACES) return precision > 0 ? value : 0
  const scale = 10 ** Math.abs(precision)
  const result = precision >= 0 ? roundedHalf(value * scale) / scale : roundedHalf(value / scale) * scale
  return Number.isFinite(result) ? result : value
}

const sum: Filter = (value, args, runtime) => {
  noArguments(args)
  return runtime.items(value).reduce<bigint | number>((total, item) => {
    if (typeof item !== 'bigint' && typeof item !== 'number') return cannot('`sum`', item)
    return typeof total === 'bigint' && typeof item === 'bigint' ? integer(total + item) : Number(total) + Number(item)
  }, 0n)
}

export const numberFilters: ReadonlyArray<readonly [string, Filter]> = [
  ['abs', abs],
  ['bool', (value, args) => (noArguments(args), isTrue(defined(value)))],
  ['float', float],
  ['int', int],
  ['round', round],
  ['sum', sum],
]
