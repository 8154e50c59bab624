import type { AssertionKind } from '../../assertions/assertion.ts'
import { ASSERTION_FIELDS } from '../../assertions/fields.ts'
import type { Json, JsonObject } from '../../json.ts'
import { dropped, noteEmpty, referenced, type Assertion } from './assertion.ts'
import { asList, asMapping, filePath, isEmpty, noteDropped, type Place } from './notes.ts'
import { convertGrader } from './providers.ts'
import { convertSchema } from './schema.ts'
import { hasTemplate } from './template-text.ts'
import { allOf, anyOf, convertEqual, convertText, readTexts } from './texts.ts'

const COMMON = ['type', 'value', 'weight', 'threshold', 'provider']

/** Kinds that judge the call, not its output. */
const METRICS: ReadonlySet<string> = new Set(['cost', 'latency'])

/** The smallest cosine that `similar` accepts in promptfoo when no threshold is given. */
const SIMILAR_THRESHOLD = 0.75

/** `templates` are the `assertionTemplates` of the configuration, for `$ref`. */
export type AssertionPlace = Place & { readonly templates: JsonObject }

/** Converts a list of assertions. */
export const convertAssertions = (source: Json | undefined, at: AssertionPlace): readonly JsonObject[] =>
  resolvedMembers(source, at).flatMap(([member, place]) => convertAssertion(member, place, 1))

/** The assertions of a list, without references, each with its place. */
const resolvedMembers = (
  source: Json | undefined,
  at: AssertionPlace,
): ReadonlyArray<readonly [source: JsonObject | null, at: AssertionPlace]> =>
  (asList(source) ?? []).map((entry, index) => {
    const place = { ...at, place: `${at.place}[${index}]` }
    return [resolveReference(entry, place), place]
  })

/** `scale` is the weight that an assertion of weight 1 has, in the set that holds it. */
const convertAssertion = (source: JsonObject | null, at: AssertionPlace, scale: number): readonly JsonObject[] => {
  const type = source?.['type']
  if (source === null || typeof type !== 'string') {
    at.notes.add(at.place, 'an assertion without a type was dropped')
    return []
  }
  if (!isEmpty(source['transform'])) {
    at.notes.add(at.place, `\`${type}\` with \`transform\` was dropped: it would check another text`)
    return []
  }
  const isNegated = type.startsWith('not-')
  const kind = isNegated ? type.slice('not-'.length) : type
  if (kind === 'assert-set') return flattenSet(source, isNegated, at)
  if (source['weight'] === 0) {
    at.notes.add(
      at.place,
      `\`${type}\` was dropped: with a weight of 0 it decides nothing in promptfoo; if all weights of a case are 0, its score is 0 in promptfoo`,
    )
    return []
  }
  const assertions = convertKind(kind, source, isNegated, at)
  if (assertions.length === 0) return []
  noteDropped(source, new Set(COMMON), at.place, at.notes)
  if (isNegated && !METRICS.has(kind))
    at.notes.add('', 'a negated assertion passes on an empty answer in promptfoo, and never does here')
  const weight = (weightOf(source, at) * scale) / assertions.length
  return assertions.map((assertion) => ({
    ...assertion,
    ...(isNegated ? { type: `not-${assertion.type}` } : {}),
    ...(weight === 1 ? {} : { weight }),
  }))
}

const weightOf = (source: JsonObject, { place, notes }: Place): number => {
  const weight = source['weight'] ?? 1
  if (typeof weight === 'number' && weight >= 0) return weight
  notes.add(place, `the weight ${JSON.stringify(weight)} is not possible here; it became 1: review it`)
  return 1
}

const resolveReference = (entry: Json, { place, notes, templates }: AssertionPlace): JsonObject | null => {
  const source = asMapping(entry)
  const reference = source?.['$ref']
  if (source === null || typeof reference !== 'string') return source
  const name = /^#\/assertionTemplates\/([^/]+)$/.exec(reference)?.[1]
  const template = name === undefined ? null : asMapping(templates[name])
  if (template === null) notes.add(place, `\`${reference}\` names no assertion of \`assertionTemplates\``)
  const { $ref: _, ...own } = source
  return template === null ? null : { ...template, ...own }
}

/**
 * A set whose members must all pass is the same as its members, which share its weight: the mean of their scores is its
 * score. A set with a threshold has no counterpart.
 */
const flattenSet = (source: JsonObject, isNegated: boolean, at: AssertionPlace): readonly JsonObject[] => {
  if (isNegated || source['threshold'] !== undefined) {
    at.notes.add(at.place, '`assert-set` with a threshold was dropped')
    return []
  }
  const members = resolvedMembers(source['assert'], { ...at, place: `${at.place}.assert` })
  const sum = members.reduce(
    (total, [member]) => total + (typeof member?.['weight'] === 'number' ? member['weight'] : 1),
    0,
  )
  at.notes.add(at.place, '`assert-set` was replaced by its members, which share its weight: all of them must pass')
  const scale = sum > 0 ? weightOf(source, at) / sum : 1
  return members.flatMap(([member, place]) => convertAssertion(member, place, scale))
}

/** The assertions, without `not-` and weight, that a kind of promptfoo becomes. None, with a note: it is dropped. */
const convertKind = (kind: string, source: JsonObject, isNegated: boolean, at: Place): readonly Assertion[] => {
  const { value } = source
  switch (kind) {
    case 'contains':
    case 'icontains':
    case 'starts-with':
    case 'regex':
      return convertText(kind, value, at)
    case 'contains-any':
    case 'icontains-any':
      return anyAssertion(kind, value, at)
    case 'contains-all':
    case 'icontains-all':
      return allAssertion(kind, value, at)
    case 'equals':
      return convertEqual(value, at)
    case 'is-json':
    case 'contains-json':
      return jsonAssertion(kind, value, isNegated, at)
    case 'cost':
    case 'latency':
      return budgetAssertion(kind, source, at)
    case 'llm-rubric':
      return rubricAssertion(source, at)
    case 'similar':
    case 'similar:cosine':
      return similarAssertion(source, at)
    case 'javascript':
    case 'python':
    case 'ruby':
    case 'webhook':
      return dropped(kind, 'write an `exec` assertion, a program that checks the output', at)
    default:
      return dropped(kind, 'there is no such kind', at)
  }
}

/** The texts of an assertion; null, with a note: it has none, and is dropped. */
const requiredTexts = (kind: string, value: Json | undefined, at: Place): readonly string[] | null => {
  const isRendered = typeof value === 'string' && hasTemplate(value)
  const texts = isRendered ? null : readTexts(value)
  if (texts === null)
    dropped(kind, isRendered ? 'its texts are known only after a template is rendered' : 'it has no list of texts', at)
  return texts
}

const STATEMENTS = 'its texts are templates with statements'

const anyAssertion = (
  kind: 'contains-any' | 'icontains-any',
  value: Json | undefined,
  at: Place,
): readonly Assertion[] => {
  const texts = requiredTexts(kind, value, at)
  if (texts === null) return []
  if (texts.some(hasTemplate)) {
    const expression = anyOf(kind, texts)
    return expression === null ? dropped(kind, STATEMENTS, at) : jinja(kind, expression, at)
  }
  if (kind === 'contains-any')
    at.notes.add(at.place, '`contains-any` became `icontains-any`: upper and lower case are the same now')
  if (texts.some((text) => text.trim() === '')) noteEmpty(at)
  return [{ type: 'icontains-any', values: texts }]
}

const allAssertion = (
  kind: 'contains-all' | 'icontains-all',
  value: Json | undefined,
  at: Place,
): readonly Assertion[] => {
  const texts = requiredTexts(kind, value, at)
  if (texts === null) return []
  const expression = allOf(kind, texts)
  return expression === null ? dropped(kind, STATEMENTS, at) : jinja(kind, expression, at)
}

const jinja = (kind: string, value: string, { place, notes }: Place): readonly Assertion[] => {
  notes.add(place, `\`${kind}\` became a \`jinja\` assertion that checks the same`)
  return [{ type: 'jinja', value }]
}

const jsonAssertion = (
  kind: 'is-json' | 'contains-json',
  value: Json | undefined,
  isNegated: boolean,
  at: Place,
): readonly Assertion[] => {
  if (kind === 'contains-json')
    at.notes.add(
      '',
      '`contains-json` checks the answer as a whole if it is JSON, else the piece from its first bracket to the closing one; promptfoo checks each `{…}` in the answer, also one that is written loosely or cut off, and no list and no single value',
    )
  if (isEmpty(value)) return [{ type: kind }]
  const schema = convertSchema(value!, at)
  if (schema === null) return dropped(kind, 'its schema is no mapping', at)
  if (kind === 'contains-json') return [{ type: kind, schema }]
  if (isNegated) return dropped(`not-${kind}`, 'with a schema it has no counterpart', at)
  at.notes.add(
    at.place,
    '`is-json` with a schema became `is-json` and `contains-json`, each with half its weight: JSON that does not match the schema has half of the score',
  )
  return [{ type: 'is-json' }, { type: 'contains-json', schema }]
}

/** Whether a suite accepts a value in a field of its own kind of assertion. */
const isAccepted = (kind: AssertionKind, field: string, value: Json): boolean =>
  ASSERTION_FIELDS[kind].fields[field]!.schema.safeParse(value).success

const budgetAssertion = (kind: 'cost' | 'latency', source: JsonObject, at: Place): readonly Assertion[] => {
  const limit = Number(source['threshold'] ?? source['value'] ?? Number.NaN)
  if (!Number.isFinite(limit)) return dropped(kind, 'it has no limit', at)
  // Latencies are whole milliseconds, so rounding up changes no verdict.
  const max = kind === 'latency' ? Math.ceil(limit) : limit
  if (!isAccepted(kind, 'max', max)) return dropped(kind, `its limit ${limit} is out of range`, at)
  if (source['threshold'] === undefined)
    at.notes.add(
      at.place,
      `\`${kind}\` without a \`threshold\` is an error in promptfoo; its \`value\` became the limit`,
    )
  if (kind === 'cost')
    at.notes.add('', 'if the provider reports no cost, `cost` passes here, and is an error in promptfoo')
  return [{ type: kind, max }]
}

const convertThreshold = (kind: 'llm-rubric' | 'similar', source: JsonObject, { place, notes }: Place): JsonObject => {
  const { threshold } = source
  if (typeof threshold !== 'number') return {}
  if (isAccepted(kind, 'threshold', threshold)) return { threshold }
  notes.add(place, `the threshold ${threshold} of \`${kind}\` is out of range and was dropped`)
  return {}
}

const rubricAssertion = (source: JsonObject, at: Place): readonly Assertion[] => {
  const { value } = source
  if (typeof value !== 'string' || value === '') return dropped('llm-rubric', 'its rubric is no text', at)
  if (filePath(value) !== null) return dropped('llm-rubric', 'its rubric is in a file, and must be written out', at)
  const grader = convertGrader(source['provider'], at.place, at.notes)
  const threshold = convertThreshold('llm-rubric', source, at)
  at.notes.add('', 'the judge of `llm-rubric` is asked in other words here, and never about an empty answer')
  if (threshold['threshold'] !== undefined)
    at.notes.add(
      '',
      'with a `threshold` the score of `llm-rubric` alone decides here; in promptfoo the judge must also say pass',
    )
  return [{ type: 'llm-rubric', value, ...(grader === null ? {} : { grader }), ...threshold }]
}

const similarAssertion = (source: JsonObject, at: Place): readonly Assertion[] => {
  const { value } = source
  if (typeof value !== 'string') return dropped('similar', 'its reference is no text', at)
  if (!isEmpty(source['provider'])) at.notes.add(at.place, 'the provider of `similar` was dropped')
  return [
    {
      type: 'similar',
      value: referenced(value, at),
      ...convertThreshold('similar', { threshold: SIMILAR_THRESHOLD, ...source }, at),
    },
  ]
}
