import {
  asFlag,
  asInteger,
  asText,
  bind,
  defined,
  isOmitted,
  noArguments,
  required,
  type Arguments,
} from '../evaluation/arguments.ts'
import { attribute, item } from '../evaluation/operators.ts'
import { printed } from '../values/print.ts'
import type { Filter, Runtime } from '../evaluation/runtime.ts'
import { TemplateError } from '../template-error.ts'
import {
  ITEM_NAMES,
  MapValue,
  compare,
  isTrue,
  isUndefined,
  plain,
  typeName,
  type Defined,
  type Key,
  type Value,
} from '../values/value.ts'

/** Reads a path such as `user.name` or `0.id` from a value. */
const path = (value: Value, name: string, runtime: Runtime): Value => {
  let result = value
  for (const part of name.split('.')) {
    if (isUndefined(result)) throw new TemplateError(`undefined value: it has no attribute \`${part}\``)
    result = /^\d+$/.test(part) ? item(result, BigInt(part), runtime) : attribute(result, part)
  }
  return result
}

const lowered = (value: Value): Value => {
  const text = plain(value)
  return typeof text === 'string' ? text.toLowerCase() : value
}

/** The same value for what counts as equal: texts without regard to case unless asked. */
const comparable = (isCaseSensitive: boolean) => (isCaseSensitive ? (value: Value) => value : lowered)

const keyValuePairs = (value: Value): Array<[Key, Value]> => {
  if (value instanceof MapValue) return value.pairs()
  throw new TemplateError(`a map is needed, not ${typeName(value)}`)
}

const codePoints = (text: string): number => {
  let count = text.length
  for (let index = 1; index < text.length; index++)
    if ((text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) count--
  return count
}

const length: Filter = (given, args, runtime) => {
  noArguments(args)
  const value = plain(given)
  if (typeof value !== 'string' && !Array.isArray(value) && !(value instanceof MapValue))
    throw new TemplateError(`a value of type ${typeName(value)} has no length`)
  // Counting the characters of a text is one step.
  if (typeof value === 'string') return BigInt(codePoints(value))
  return BigInt(value instanceof MapValue ? value.size : runtime.items(value).length)
}

const join: Filter = (value, args, runtime) => {
  const [separator, name] = bind(args, 'd', 'attribute')
  const between = isOmitted(separator) ? '' : printed(separator)
  const texts = runtime
    .items(value)
    .map((entry) => printed(name === undefined ? entry : defined(path(entry, asText(name, 'attribute'), runtime))))
  runtime.countText(texts.reduce((total, text) => total + text.length + between.length, 0))
  return texts.join(between)
}

/** The factor of a comparison. In both directions equal items stay in their order: the list is not reversed afterwards. */
const directionOf = (isReverse: Defined | undefined): 1 | -1 => (asFlag(isReverse) ? -1 : 1)

const sort: Filter = (value, args, runtime) => {
  const [isReverse, isCaseSensitive, names] = bind(args, 'reverse', 'case_sensitive', 'attribute')
  const fold = comparable(asFlag(isCaseSensitive))
  const paths = isOmitted(names)
    ? null
    : asText(names, 'attribute')
        .split(',')
        .map((name) => name.trim())
  const keyed = runtime.items(value).map((entry) => ({
    entry,
    keys: paths === null ? [fold(entry)] : paths.map((name) => fold(defined(path(entry, name, runtime)))),
  }))
  runtime.count(keyed.length * Math.ceil(Math.log2(keyed.length + 1)))
  const direction = directionOf(isReverse)
  return keyed.toSorted((one, other) => direction * compare(one.keys, other.keys)).map(({ entry }) => entry)
}

const dictsort: Filter = (value, args, runtime) => {
  const [isCaseSensitive, by, isReverse] = bind(args, 'case_sensitive', 'by', 'reverse')
  const kind = isOmitted(by) ? 'key' : asText(by, 'by')
  if (kind !== 'key' && kind !== 'value') throw new TemplateError(`by must be \`key\` or \`value\`, not \`${kind}\``)
  const fold = comparable(asFlag(isCaseSensitive))
  const pairs = keyValuePairs(value)
  runtime.count(pairs.length)
  const position = kind === 'key' ? 0 : 1
  const direction = directionOf(isReverse)
  return pairs.toSorted((one, other) => direction * compare(fold(one[position]), fold(other[position])))
}

const unique: Filter = (value, args, runtime) => {
  const [isCaseSensitive, name] = bind(args, 'case_sensitive', 'attribute')
  const fold = comparable(asFlag(isCaseSensitive))
  const keyOf = (entry: Value): Value =>
    fold(isOmitted(name) ? entry : defined(path(entry, asText(name, 'attribute'), runtime)))
  const keyed = runtime.items(value).map((entry, index) => ({ entry, key: keyOf(entry), index }))
  runtime.count(keyed.length * Math.ceil(Math.log2(keyed.length + 1)))
  // Equal keys are neighbours after sorting; the sort is stable, so the first of them is the first in the list.
  const groups = keyed.toSorted((one, other) => compare(one.key, other.key))
  const firsts = groups.filter(({ key }, index) => index === 0 || compare(key, groups[index - 1]!.key) !== 0)
  return firsts.toSorted((one, other) => one.index - other.index).map(({ entry }) => entry)
}

const groupby: Filter = (value, args, runtime) => {
  const [name, otherwise, isCaseSensitive] = bind(args, 'attribute', 'default', 'case_sensitive')
  const fold = comparable(asFlag(isCaseSensitive))
  const attributeName = asText(required(name, 'attribute'), 'attribute')
  const keyed = runtime.items(value).map((entry) => {
    const found = path(entry, attributeName, runtime)
    return { entry, key: defined(isUndefined(found) ? otherwise : found) }
  })
  runtime.count(keyed.length * Math.ceil(Math.log2(keyed.length + 1)))
  const groups: Array<{ key: Value; entries: Value[] }> = []
  for (const { key, entry } of keyed.toSorted((one, other) => compare(fold(one.key), fold(other.key)))) {
    const last = groups.at(-1)
    if (last !== undefined && compare(fold(last.key), fold(key)) === 0) last.entries.push(entry)
    else groups.push({ key, entries: [entry] })
  }
  return groups.map(({ key, entries }) => Object.assign([key, entries], { [ITEM_NAMES]: ['grouper', 'list'] }))
}

/** The smallest (-1) or the largest (1) item; undefined if there is none. */
const extreme =
  (sign: 1 | -1): Filter =>
  (value, args, runtime) => {
    noArguments(args)
    const [first, ...others] = runtime.items(value)
    return others.reduce((best, entry) => (sign * compare(entry, best) > 0 ? entry : best), first)
  }

const batch: Filter = (value, args, runtime) => {
  const [count, filler] = bind(args, 'count', 'fill_with')
  const size = atLeastOne(required(count, 'count'), 'count')
  const items = runtime.items(value)
  const rows: Value[][] = []
  for (let index = 0; index < items.length; index += size) rows.push(items.slice(index, index + size))
  const last = rows.at(-1)
  if (last !== undefined && filler !== undefined) fill(last, size, filler, runtime)
  return rows
}

const slices: Filter = (value, args, runtime) => {
  const [count, filler] = bind(args, 'count', 'fill_with')
  const columns = atLeastOne(required(count, 'count'), 'count')
  const items = runtime.items(value)
  runtime.count(columns)
  const [size, longer] = [Math.floor(items.length / columns), items.length % columns]
  let end = 0
  return Array.from({ length: columns }, (_, index) => {
    const start = end
    end += index < longer ? size + 1 : size
    const column = items.slice(start, end)
    if (filler !== undefined && longer > 0 && index >= longer) column.push(filler)
    return column
  })
}

const fill = (row: Value[], size: number, filler: Value, runtime: Runtime) => {
  runtime.count(size - row.length)
  while (row.length < size) row.push(filler)
}

const atLeastOne = (value: Value, name: string): number => {
  const number = asInteger(value, name)
  if (number < 1) throw new TemplateError(`${name} must be at least 1`)
  return number
}

/** Maps one after the other make one map; anything else makes one list. */
const chain: Filter = (value, { positional, named }, runtime) => {
  if (named.size > 0) throw new TemplateError('`chain` takes no named arguments')
  const all = [value, ...positional]
  if (all.every((part) => part instanceof MapValue)) return MapValue.from(all.flatMap((part) => part.pairs()))
  return all.flatMap((part) => runtime.items(part))
}

/** Lists of the first items, of the second items and so on, as long as the shortest. */
const zip: Filter = (value, { positional, named }, runtime) => {
  if (named.size > 0) throw new TemplateError('`zip` takes no named arguments')
  const lists = [value, ...positional].map((part) => runtime.items(part))
  const shortest = Math.min(...lists.map((list) => list.length))
  return Array.from({ length: shortest }, (_, index) => lists.map((list) => list[index]))
}

const map: Filter = (value, args, runtime) => {
  const items = runtime.items(value)
  if (args.named.has('attribute')) {
    const [name, otherwise] = bind({ positional: args.positional, named: args.named }, 'attribute', 'default')
    const attributeName = asText(required(name, 'attribute'), 'attribute')
    return items.map((entry) => {
      const found = path(entry, attributeName, runtime)
      return defined(isUndefined(found) ? otherwise : found)
    })
  }
  const [name, ...positional] = args.positional
  const filter = runtime.filter(asText(required(name, 'filter'), 'filter'))
  return items.map((entry) => filter(entry, { positional, named: args.named }, runtime))
}

const testArguments = (args: Arguments, skipped: number): Arguments => ({
  positional: args.positional.slice(skipped),
  named: args.named,
})

/** Keeps the items for which a test holds; without a test, the true ones. */
const select =
  (wanted: boolean): Filter =>
  (value, args, runtime) => {
    const [name] = args.positional
    const test = name === undefined ? null : runtime.test(asText(name, 'test'))
    const rest = testArguments(args, 1)
    return runtime
      .items(value)
      .filter((entry) => (test === null ? isTrue(defined(entry)) : test(entry, rest, runtime)) === wanted)
  }

/** The same for an attribute of the items. An attribute that is missing is false, and a test may ask for that. */
const selectAttribute =
  (wanted: boolean): Filter =>
  (value, args, runtime) => {
    const [attributeName, testName] = args.positional
    const name = asText(required(attributeName, 'attribute'), 'attribute')
    const test = testName === undefined ? null : runtime.test(asText(testName, 'test'))
    const acceptsUndefined = testName === undefined || testName === 'defined' || testName === 'undefined'
    const rest = testArguments(args, 2)
    return runtime.items(value).filter((entry) => {
      const found = path(entry, name, runtime)
      if (!acceptsUndefined) defined(found)
      return (test === null ? !isUndefined(found) && isTrue(found) : test(found, rest, runtime)) === wanted
    })
  }

const fallback: Filter = (value, args) => {
  const [otherwise = '', alsoFalse] = bind(args, 'value', 'boolean')
  return isUndefined(value) || (asFlag(alsoFalse) && !isTrue(value)) ? otherwise : value
}

const withoutArguments =
  (of: (value: Value, runtime: Runtime) => Value): Filter =>
  (value, args, runtime) => {
    noArguments(args)
    return of(value, runtime)
  }

export const listFilters: ReadonlyArray<readonly [string, Filter]> = [
  [
    'attr',
    (value, args, runtime) => {
      const [name] = bind(args, 'name')
      return item(value, required(name, 'name'), runtime)
    },
  ],
  ['batch', batch],
  ['chain', chain],
  ['count', length],
  ['d', fallback],
  ['default', fallback],
  ['dictsort', dictsort],
  ['first', withoutArguments((value, runtime) => runtime.items(value)[0])],
  ['groupby', groupby],
  ['items', withoutArguments(keyValuePairs)],
  ['join', join],
  ['last', withoutArguments((value, runtime) => runtime.items(value).at(-1))],
  ['length', length],
  ['list', withoutArguments((value, runtime) => [...runtime.items(value)])],
  ['map', map],
  ['max', extreme(1)],
  ['min', extreme(-1)],
  ['reject', select(false)],
  ['rejectattr', selectAttribute(false)],
  ['select', select(true)],
  ['selectattr', selectAttribute(true)],
  ['slice', slices],
  ['sort', sort],
  ['unique', unique],
  ['zip', zip],
]
