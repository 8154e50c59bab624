import { asFlag, asInteger, asText, bind, defined, isOmitted, noArguments, required } from '../evaluation/arguments.ts'
import { prettyText, printed } from '../values/print.ts'
import type { Filter, Runtime } from '../evaluation/runtime.ts'
import { SafeText, plain, typeName, type Value } from '../values/value.ts'
import { TemplateError } from '../template-error.ts'
import { printf } from './printf.ts'

const made = (text: string, runtime: Runtime): string => {
  runtime.countText(text.length)
  return text
}

const onText =
  (change: (text: string) => string): Filter =>
  (value, args, runtime) => {
    noArguments(args)
    return made(change(printed(value)), runtime)
  }

const capitalized = (word: string): string => {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length).toLowerCase()
}

/** Upper case at the start of every word; white space and punctuation end a word. */
const title = (text: string): string => {
  let startsWord = true
  return Array.from(text, (character) => {
    const letter = startsWord ? character.toUpperCase() : character.toLowerCase()
    startsWord = /[\s!-/:-@[-`{-~]/.test(character)
    return letter
  }).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#x27;',
}

const escape: Filter = (value, args, runtime) => {
  noArguments(args)
  if (value instanceof SafeText) return value
  return new SafeText(
    made(
      printed(value).replace(/[<>&"']/g, (character) => ENTITIES[character]!),
      runtime,
    ),
  )
}

const trimmed = (text: string, characters: string): string => {
  const cut = new Set(characters)
  const points = Array.from(text)
  let from = 0
  let to = points.length
  while (from < to && cut.has(points[from]!)) from++
  while (to > from && cut.has(points[to - 1]!)) to--
  return points.slice(from, to).join('')
}

const trim: Filter = (value, args) => {
  const [characters] = bind(args, 'chars')
  return isOmitted(characters) ? printed(value).trim() : trimmed(printed(value), asText(characters, 'chars'))
}

const replace: Filter = (value, args, runtime) => {
  const [from, to] = bind(args, 'old', 'new')
  const text = printed(value)
  const old = printed(required(from, 'old'))
  const replacement = printed(required(to, 'new'))
  const parts = old === '' ? ['', ...text, ''] : text.split(old)
  runtime.countText(text.length + (parts.length - 1) * replacement.length)
  return parts.join(replacement)
}

const split: Filter = (value, args, runtime) => {
  const [separator, maximum] = bind(args, 'sep', 'maxsplit')
  const text = asText(value, 'the value')
  const most = isOmitted(maximum) ? -1 : asInteger(maximum, 'maxsplit')
  const parts = isOmitted(separator) ? splitAtSpace(text, most) : splitAt(text, asText(separator, 'sep'), most)
  runtime.count(parts.length)
  return parts
}

const splitAt = (text: string, separator: string, most: number): string[] => {
  const all = separator === '' ? ['', ...text, ''] : text.split(separator)
  if (most < 0 || all.length <= most + 1) return all
  return [...all.slice(0, most), all.slice(most).join(separator)]
}

/** Splits at runs of white space. What is left after the last split keeps its white space at the end. */
const splitAtSpace = (text: string, most: number): string[] => {
  const parts: string[] = []
  let rest = text.trimStart()
  while (rest !== '') {
    const end = parts.length === most ? -1 : rest.search(/\s/)
    if (end < 0) return [...parts, rest]
    parts.push(rest.slice(0, end))
    if (most < 0) return [...parts, ...rest.slice(end).split(/\s+/).filter(Boolean)]
    rest = rest.slice(end).trimStart()
  }
  return parts
}

const lines: Filter = (value, args, runtime) => {
  noArguments(args)
  const found = asText(value, 'the value').split(/\r?\n/)
  if (found.at(-1) === '') found.pop()
  runtime.count(found.length)
  return found
}

const indent: Filter = (value, args, runtime) => {
  const [width, first, blank] = bind(args, 'width', 'first', 'blank')
  const spaces = asInteger(width ?? 4n, 'width')
  const text = printed(value).replace(/\r?\n$/, '')
  const all = text.split(/\r?\n/)
  if (spaces < 0) throw new TemplateError('width must not be negative')
  runtime.countText(text.length + all.length * spaces)
  const margin = ' '.repeat(spaces)
  return all
    .map((line, index) => ((index > 0 || asFlag(first)) && (line !== '' || asFlag(blank)) ? margin + line : line))
    .join('\n')
}

const truncate: Filter = (value, args) => {
  const [length] = bind(args, 'length')
  const most = asInteger(required(length, 'length'), 'length')
  if (most < 0) throw new TemplateError('length must not be negative')
  const text = printed(value)
  return text.length <= most
    ? text
    : Array.from(text.slice(0, most * 2))
        .slice(0, most)
        .join('')
}

const slugify = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')

const format: Filter = (value, { positional, named }, runtime) =>
  made(printf(asText(value, 'the value'), positional, named), runtime)

const reverse: Filter = (value, args, runtime) => {
  noArguments(args)
  const target = plain(defined(value))
  if (typeof target !== 'string' && !Array.isArray(target) && (typeof target !== 'object' || target === null))
    throw new TemplateError(`a value of type ${typeName(target)} cannot be reversed`)
  const reversed: readonly Value[] = runtime.items(target).toReversed()
  return typeof target === 'string' ? reversed.map(printed).join('') : reversed
}

export const textFilters: ReadonlyArray<readonly [string, Filter]> = [
  ['upper', onText((text) => text.toUpperCase())],
  ['lower', onText((text) => text.toLowerCase())],
  ['title', onText(title)],
  ['capitalize', onText(capitalized)],
  ['slugify', onText(slugify)],
  ['e', escape],
  ['escape', escape],
  ['safe', (value, args) => (noArguments(args), new SafeText(printed(value)))],
  ['string', (value, args) => (noArguments(args), value instanceof SafeText ? value : printed(value))],
  [
    'pprint',
    (value, args, runtime) => {
      noArguments(args)
      return made(prettyText(plain(value)), runtime)
    },
  ],
  ['trim', trim],
  ['replace', replace],
  ['split', split],
  ['lines', lines],
  ['indent', indent],
  ['truncate', truncate],
  ['format', format],
  ['reverse', reverse],
]
