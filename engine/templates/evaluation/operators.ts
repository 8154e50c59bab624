import type { BinaryOperator, Comparison } from '../syntax/ast.ts'
import { asInteger, defined } from './arguments.ts'
import { printed } from '../values/print.ts'
import type { Runtime } from './runtime.ts'
import { TemplateError } from '../template-error.ts'
import {
  ITEM_NAMES,
  MapValue,
  asKey,
  compare,
  equal,
  integer,
  isCallable,
  isList,
  isUndefined,
  plain,
  typeName,
  type Value,
} from '../values/value.ts'

type Pair =
  | { readonly isFloat: false; readonly left: bigint; readonly right: bigint }
  | { readonly isFloat: true; readonly left: number; readonly right: number }

/** Two numbers of the same type: integers, or floats if one of them is a float. Null: not both are numbers. */
const numbers = (left: Value, right: Value): Pair | null => {
  const [one, other] = [asNumber(left), asNumber(right)]
  if (one === null || other === null) return null
  if (typeof one === 'bigint' && typeof other === 'bigint') return { isFloat: false, left: one, right: other }
  return { isFloat: true, left: Number(one), right: Number(other) }
}

const asNumber = (value: Value): bigint | number | null => {
  if (typeof value === 'boolean') return BigInt(value)
  return typeof value === 'bigint' || typeof value === 'number' ? value : null
}

const integerOperations: Readonly<Record<string, (left: bigint, right: bigint) => bigint>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '//': (left, right) => (left - euclideanRest(left, right)) / right,
  '%': (left, right) => euclideanRest(left, right),
  '**': (base, exponent) => power(base, exponent),
}

const floatOperations: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '//': (left, right) => euclideanQuotient(left, right),
  '%': (left, right) => left % right,
  '**': (base, exponent) => base ** exponent,
}

/** The rest of a division that is never negative. */
const euclideanRest = (left: bigint, right: bigint): bigint => {
  if (right === 0n) throw new TemplateError('division by zero')
  const rest = left % right
  return rest < 0n ? rest + (right < 0n ? -right : right) : rest
}

const euclideanQuotient = (left: number, right: number): number => {
  const quotient = Math.trunc(left / right)
  if (left % right >= 0 || Number.isNaN(left % right)) return quotient
  return right > 0 ? quotient - 1 : quotient + 1
}

const power = (base: bigint, exponent: bigint): bigint => {
  if (exponent < 0n) throw new TemplateError('an integer to a negative power: use a float, such as `2.0 ** -1`')
  const grows = base > 1n || base < -1n
  if (grows && exponent > 128n) throw new TemplateError('an integer is out of range (128 bits)')
  if (grows) return base ** exponent
  return exponent === 0n || base === 1n || (base === -1n && exponent % 2n === 0n) ? 1n : base
}

/** The result of `left operator right`. Throws for undefined values and for types that the operator does not accept. */
export const binary = (operator: BinaryOperator, given: Value, other: Value, runtime: Runtime): Value => {
  const [left, right] = [plain(defined(given)), plain(defined(other))]
  if (operator === '~') return joinTexts(printed(left), printed(right), runtime)
  const pair = numbers(left, right)
  if (pair !== null) {
    if (operator === '/') return Number(pair.left) / Number(pair.right)
    return pair.isFloat
      ? floatOperations[operator]!(pair.left, pair.right)
      : integer(integerOperations[operator]!(pair.left, pair.right))
  }
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return joinTexts(left, right, runtime)
    if (isList(left) && isList(right)) {
      runtime.count(left.length + right.length)
      return [...left, ...right]
    }
  }
  if (operator === '*') {
    if (typeof left === 'string' || isList(left)) return repeat(left, right, runtime)
    if (typeof right === 'string' || isList(right)) return repeat(right, left, runtime)
  }
  throw new TemplateError(`\`${operator}\` does not accept ${typeName(left)} and ${typeName(right)}`)
}

const joinTexts = (left: string, right: string, runtime: Runtime): string => {
  runtime.countText(left.length + right.length)
  return left + right
}

const repeat = (value: string | readonly Value[], times: Value, runtime: Runtime): Value => {
  const count = asInteger(times, 'the number of repetitions')
  if (count < 0) throw new TemplateError('the number of repetitions is negative')
  if (typeof value === 'string') {
    runtime.countText(value.length * count)
    return value.repeat(count)
  }
  runtime.count(value.length * count)
  return Array.from({ length: value.length * count }, (_, index) => value[index % value.length])
}

/** `-value`. */
export const negative = (value: Value): Value => {
  if (typeof value === 'bigint') return integer(-value)
  if (typeof value === 'number') return -value
  throw new TemplateError(`\`-\` does not accept ${typeName(defined(value))}`)
}

/** Whether `left operator right` holds. Throws for undefined values. */
export const compares = (operator: Comparison, given: Value, other: Value, runtime: Runtime): boolean => {
  const [left, right] = [defined(given), defined(other)]
  switch (operator) {
    case '==':
      return equal(left, right)
    case '!=':
      return !equal(left, right)
    case 'in':
      return contains(right, left, runtime)
    case 'not in':
      return !contains(right, left, runtime)
    case '<':
      return ordered(left, right) && compare(left, right) < 0
    case '<=':
      return ordered(left, right) && compare(left, right) <= 0
    case '>':
      return ordered(left, right) && compare(left, right) > 0
    case '>=':
      return ordered(left, right) && compare(left, right) >= 0
  }
}

const ordered = (left: Value, right: Value) => !Number.isNaN(left) && !Number.isNaN(right)

const contains = (given: Value, item: Value, runtime: Runtime): boolean => {
  const container = plain(given)
  if (typeof container === 'string') return container.includes(printed(item))
  if (isList(container)) return runtime.items(container).some((candidate) => equal(candidate, item))
  if (container instanceof MapValue) return isKey(item) && container.has(asKey(item))
  throw new TemplateError(`\`in\` does not accept a container of type ${typeName(container)}`)
}

const isKey = (value: Value) => !isList(value) && !(value instanceof MapValue) && !isCallable(value)

/** `target.name`: a member of a map, or an attribute of a loop, a macro or a group. Undefined where there is none. */
export const attribute = (target: Value, name: string): Value => {
  if (isUndefined(target)) throw new TemplateError(`undefined value: it has no attribute \`${name}\``)
  if (target instanceof MapValue) return target.get(name)
  if (isList(target)) return namedItem(target, name)
  return isCallable(target) ? target.attribute?.(name) : undefined
}

const namedItem = (items: readonly Value[] & { readonly [ITEM_NAMES]?: readonly string[] }, name: string): Value =>
  items[items[ITEM_NAMES]?.indexOf(name) ?? -1]

/** `target[index]`: by the key of a map, or by the position in a list or a text, from the end where negative. */
export const item = (target: Value, index: Value, runtime: Runtime): Value => {
  if (isUndefined(target)) throw new TemplateError('undefined value: it has no items')
  const key = plain(defined(index))
  if (target instanceof MapValue) return isKey(key) ? target.get(asKey(key)) : undefined
  if (typeof key === 'string') return attribute(target, key)
  const container = plain(target)
  const isIndexed = typeof container === 'string' || isList(container)
  const position = Number(asNumber(key) ?? Number.NaN)
  if (!isIndexed || !Number.isInteger(position)) return undefined
  const items = typeof container === 'string' ? characters(container, runtime) : container
  return items[position < 0 ? items.length + position : position]
}

const characters = (text: string, runtime: Runtime): readonly Value[] => runtime.items(text)

/** `target[start:stop:step]`, as Python slices lists and texts. */
export const slice = (given: Value, bounds: readonly Value[], runtime: Runtime): Value => {
  const target = plain(defined(given))
  if (target === null) return []
  if (typeof target !== 'string' && !isList(target))
    throw new TemplateError(`a value of type ${typeName(target)} cannot be sliced`)
  const items = runtime.items(target)
  const [start, stop, stepBound] = bounds.map((bound, index) =>
    bound === null ? null : asInteger(defined(bound), ['the start', 'the end', 'the step'][index]! + ' of a slice'),
  )
  const step = stepBound ?? 1
  if (step === 0) throw new TemplateError('the step of a slice is 0')
  const [lowest, highest] = step > 0 ? [0, items.length] : [-1, items.length - 1]
  const clamp = (bound: number) => Math.min(Math.max(bound < 0 ? bound + items.length : bound, lowest), highest)
  const from = start === null || start === undefined ? (step > 0 ? lowest : highest) : clamp(start)
  const to = stop === null || stop === undefined ? (step > 0 ? highest : lowest) : clamp(stop)
  const chosen: Value[] = []
  for (let index = from; step > 0 ? index < to : index > to; index += step) chosen.push(items[index])
  return typeof target === 'string' ? chosen.map(printed).join('') : chosen
}
