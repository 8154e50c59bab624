import type { Json, JsonObject } from '../../json.ts'
import { child, type Path } from '../issues.ts'
import { isList, isMapping } from '../values.ts'

type Environment = Readonly<Record<string, string | undefined>>
type ReportText = (path: Path, message: string) => void

const OPEN = '${env:'

/** Replaces `${env:NAME}` and `${env:NAME:-text}` in a text, and `$$` by `$`. */
const interpolateText = (text: string, env: Environment, fail: (message: string) => void): string => {
  let result = ''
  let from = 0
  for (;;) {
    const dollar = text.indexOf('$', from)
    if (dollar < 0) return result + text.slice(from)
    result += text.slice(from, dollar)
    if (text.startsWith('$$', dollar)) {
      result += '$'
      from = dollar + 2
    } else if (text.startsWith(OPEN, dollar)) {
      const end = text.indexOf('}', dollar)
      if (end < 0) {
        fail('`${env:` has no closing brace; write `$${env:` for the literal text')
        return text
      }
      const inner = text.slice(dollar + OPEN.length, end)
      const mark = inner.indexOf(':-')
      const name = mark < 0 ? inner : inner.slice(0, mark)
      const value = Object.hasOwn(env, name) ? env[name] : undefined
      if (name === '') fail('`${env:}` names no variable; write `${env:NAME}` or `${env:NAME:-default}`')
      else if (value === undefined && mark < 0)
        fail(`environment variable \`${name}\` is not set; set it, or give a default: \`\${env:${name}:-text}\``)
      result += value ?? (mark < 0 ? '' : inner.slice(mark + 2))
      from = end + 1
    } else {
      result += '$'
      from = dollar + 1
    }
  }
}

/** Returns the value with all its texts interpolated; the same value if none has a `$`. Keys stay as they are. */
const interpolateAll = (value: Json, at: Path, env: Environment, report: ReportText): Json => {
  if (typeof value === 'string')
    return value.includes('$') ? interpolateText(value, env, (message) => report(at, message)) : value
  if (isList(value)) {
    const items = value.map((item, index) => interpolateAll(item, child(at, index), env, report))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isMapping(value)) return value
  let changed: Record<string, Json> | undefined
  for (const [key, member] of Object.entries(value)) {
    const result = interpolateAll(member, child(at, key), env, report)
    if (result !== member) (changed ??= { ...value })[key] = result
  }
  return changed ?? value
}

type Change = (value: Json, at: Path) => Json

/** Returns a mapping with one member changed, if the mapping has it. */
const changing = (value: Json, at: Path, key: string, change: Change): Json => {
  if (!isMapping(value) || !Object.hasOwn(value, key)) return value
  const members: JsonObject = value
  const member = members[key]!
  const result = change(member, child(at, key))
  return result === member ? value : { ...value, [key]: result }
}

const changingItems = (value: Json, at: Path, change: Change): Json => {
  if (!isList(value)) return value
  const items = value.map((item, index) => change(item, child(at, index)))
  return items.some((item, index) => item !== value[index]) ? items : value
}

/**
 * Interpolates the parts of a suite where `${env:…}` counts: all of `providers`, `grader.provider` of the suite and of
 * assertions in `defaults` and inline tests, and `cache.s3`.
 */
export const interpolate = (suite: JsonObject, env: Environment, report: ReportText): JsonObject => {
  const all: Change = (value, at) => interpolateAll(value, at, env, report)
  const grader: Change = (value, at) => changing(value, at, 'provider', all)
  const assertions: Change = (value, at) =>
    changingItems(value, at, (assertion, place) => changing(assertion, place, 'grader', grader))
  const withAssertions: Change = (value, at) => changing(value, at, 'assert', assertions)
  const parts: ReadonlyArray<readonly [string, Change]> = [
    ['providers', (value, at) => changingItems(value, at, all)],
    ['grader', grader],
    ['defaults', withAssertions],
    ['tests', (value, at) => changingItems(value, at, withAssertions)],
    ['cache', (value, at) => changing(value, at, 's3', all)],
  ]
  return parts.reduce<Json>((value, [key, change]) => changing(value, null, key, change), suite) as JsonObject
}
