import type { AssertionKind } from '../../assertions/assertion.ts'
import { ASSERTION_FIELDS } from '../../assertions/fields.ts'
import type { Json, JsonObject } from '../../json.ts'
import { asList, asMapping, filePath, isEmpty, isProgram, isScalar, noteDropped, type Notes } from './notes.ts'
import { convertGrader } from './providers.ts'
import { asExpression, hasTemplate } from './template-text.ts'

/** What every assertion may carry. */
const COMMON = ['type', 'value', 'weight', 'threshold', 'provider']

/** Kinds whose text is literal here and a template in promptfoo, with the expression that does the same. */
const TEXT_KINDS: Readonly<Record<string, (expression: string) => string>> = {
  contains: (expression) => `${expression} in output`,
  icontains: (expression) => `${expression}|lower in output|lower`,
  'starts-with': (expression) => `output is startingwith(${expression})`,
  regex: (expression) => `output|regex_match(${expression})`,
}

/** An assertion of a suite, before `not-` and its weight. */
type Assertion = JsonObject & { readonly type: string }

type Place = { readonly place: string; readonly notes: Notes; readonly templates: JsonObject }

/** Converts a list of assertions. `templates` are the `assertionTemplates` of the configuration, for `$ref`. */
export const convertAssertions = (
  source: Json | undefined,
  place: string,
  templates: JsonObject,
  notes: Notes,
): readonly JsonObject[] =>
  (asList(source) ?? []).flatMap((entry, index) =>
    convertAssertion(entry, { place: `${place}[${index}]`, notes, templates }),
  )

const convertAssertion = (entry: Json, at: Place): readonly JsonObject[] => {
  const source = resolveReference(entry, at)
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
  const assertions = fieldsOf(kind, source, isNegated, at)
  if (assertions.length === 0) return []
  noteDropped(source, new Set(COMMON), at.place, at.notes)
  const weight = typeof source['weight'] === 'number' ? { weight: source['weight'] } : {}
  return assertions.map((assertion) => ({
    ...assertion,
    ...(isNegated ? { type: `not-${assertion.type}` } : {}),
    ...weight,
  }))
}

const resolveReference = (entry: Json, { place, notes, templates }: Place): JsonObject | null => {
  const source = asMapping(entry)
  const reference = source?.['$ref']
  if (source === null || typeof reference !== 'string') return source
  const name = /^#\/assertionTemplates\/([^/]+)$/.exec(reference)?.[1]
  const template = name === undefined ? null : asMapping(templates[name])
  if (template === null) notes.add(place, `\`${reference}\` names no assertion of \`assertionTemplates\``)
  const { $ref: _, ...own } = source
  return template === null ? null : { ...template, ...own }
}

/** A set whose members must all pass is the same as its members. Any other has no counterpart. */
const flattenSet = (source: JsonObject, isNegated: boolean, at: Place): readonly JsonObject[] => {
  if (isNegated || source['threshold'] !== undefined || source['weight'] !== undefined) {
    at.notes.add(at.place, '`assert-set` with a threshold or a weight was dropped')
    return []
  }
  at.notes.add(at.place, '`assert-set` was replaced by its members: all of them must pass')
  return convertAssertions(source['assert'], `${at.place}.assert`, at.templates, at.notes)
}

/** The assertions, without `not-` and weight, that a kind of promptfoo becomes. None, with a note: it is dropped. */
const fieldsOf = (kind: string, source: JsonObject, isNegated: boolean, at: Place): readonly Assertion[] => {
  const { value } = source
  switch (kind) {
    case 'contains':
    case 'icontains':
    case 'starts-with':
    case 'regex':
      return textAssertion(kind, value, at)
    case 'contains-any':
    case 'icontains-any':
      return anyAssertion(kind, value, at)
    case 'equals':
      return value === undefined ? dropped(kind, 'it has no value', at) : [{ type: kind, value: referenced(value, at) }]
    case 'is-json':
    case 'contains-json':
      return jsonAssertion(kind, value, isNegated, at)
    case 'cost':
    case 'latency':
      return budgetAssertion(kind, source, at)
    case 'llm-rubric':
      return rubricAssertion(source, at)
    case 'similar':
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

const dropped = (kind: string, why: string, { place, notes }: Place): readonly Assertion[] => {
  notes.add(place, `\`${kind}\` was dropped: ${why}`)
  return []
}

const textAssertion = (kind: string, value: Json | undefined, at: Place): readonly Assertion[] => {
  if (!isScalar(value)) return dropped(kind, 'its value is no text', at)
  const text = String(value)
  if (filePath(text) !== null) return dropped(kind, 'its text is in a file, and must be written out', at)
  if (kind === 'regex' && /\(\?<?[=!]|\\[1-9]/.test(text))
    at.notes.add(at.place, 'regular expressions have no look-around and no back-references: review the pattern')
  if (!hasTemplate(text)) return [{ type: kind, value: text }]
  const expression = asExpression(text)
  if (expression === null) return dropped(kind, 'its text is a template with statements', at)
  at.notes.add(at.place, `the text of \`${kind}\` is no template; a \`jinja\` assertion checks the same`)
  return [{ type: 'jinja', value: TEXT_KINDS[kind]!(expression) }]
}

const anyAssertion = (kind: string, value: Json | undefined, at: Place): readonly Assertion[] => {
  const list = asList(value) ?? (typeof value === 'string' ? value.split(',').map((text) => text.trim()) : null)
  if (list === null || list.length === 0 || !list.every(isScalar)) return dropped(kind, 'it has no list of texts', at)
  const values = list.map(String)
  if (kind === 'contains-any')
    at.notes.add(at.place, '`contains-any` became `icontains-any`: upper and lower case are the same now')
  if (values.some(hasTemplate)) at.notes.add(at.place, 'the texts of `icontains-any` are no templates: review them')
  return [{ type: 'icontains-any', values }]
}

/** A value that stands in a file becomes `{$file: path}`. */
const referenced = (value: Json, { place, notes }: Place): Json => {
  const path = filePath(value)
  if (path === null) return value
  if (isProgram(path)) notes.add(place, `\`${path}\` is a program: its text is used, not its result`)
  return { $file: path }
}

const jsonAssertion = (
  kind: 'is-json' | 'contains-json',
  value: Json | undefined,
  isNegated: boolean,
  at: Place,
): readonly Assertion[] => {
  if (isEmpty(value)) return [{ type: kind }]
  const schema = schemaOf(value!, at)
  if (schema === null) return dropped(kind, 'its schema is no mapping', at)
  if (kind === 'contains-json') return [{ type: kind, schema }]
  if (isNegated) return dropped(`not-${kind}`, 'with a schema it has no counterpart', at)
  at.notes.add(at.place, '`is-json` with a schema became `is-json` and `contains-json`')
  return [{ type: 'is-json' }, { type: 'contains-json', schema }]
}

const schemaOf = (value: Json, at: Place): Json | null => {
  if (filePath(value) !== null) return referenced(value, at)
  if (typeof value !== 'string') return asMapping(value)
  try {
    return asMapping(JSON.parse(value) as Json)
  } catch {
    // Not JSON: the caller notes that the schema is no mapping.
    return null
  }
}

/** Whether a suite accepts a value in a field of its own kind of assertion. */
const isAccepted = (kind: AssertionKind, field: string, value: Json): boolean =>
  ASSERTION_FIELDS[kind].fields[field]!.schema.safeParse(value).success

const budgetAssertion = (kind: 'cost' | 'latency', source: JsonObject, at: Place): readonly Assertion[] => {
  const limit = Number(source['threshold'] ?? source['value'] ?? Number.NaN)
  if (!Number.isFinite(limit)) return dropped(kind, 'it has no limit', at)
  // Latencies are whole milliseconds, so rounding up changes no verdict.
  const max = kind === 'latency' ? Math.ceil(limit) : limit
  return isAccepted(kind, 'max', max) ? [{ type: kind, max }] : dropped(kind, `its limit ${limit} is out of range`, at)
}

const thresholdOf = (kind: 'llm-rubric' | 'similar', source: JsonObject, { place, notes }: Place): JsonObject => {
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
  return [
    { type: 'llm-rubric', value, ...(grader === null ? {} : { grader }), ...thresholdOf('llm-rubric', source, at) },
  ]
}

const similarAssertion = (source: JsonObject, at: Place): readonly Assertion[] => {
  const { value } = source
  if (typeof value !== 'string') return dropped('similar', 'its reference is no text', at)
  if (source['threshold'] === undefined) at.notes.add(at.place, '`similar` without a threshold asks for 0.8 here')
  if (!isEmpty(source['provider'])) at.notes.add(at.place, 'the provider of `similar` was dropped')
  return [{ type: 'similar', value: referenced(value, at), ...thresholdOf('similar', source, at) }]
}
