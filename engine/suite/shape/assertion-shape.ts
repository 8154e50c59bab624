import { ASSERTION_KINDS } from '../../../domain/run/document.ts'
import type { AssertionKind } from '../../assertions/assertion.ts'
import { ASSERTION_FIELDS, COMMON_FIELDS, type AssertionField } from '../../assertions/fields.ts'
import type { Json } from '../../json.ts'
import { isFileValue } from '../file-reference.ts'
import { graderBlock } from './provider-shape.ts'
import {
  boolean,
  byType,
  closed,
  named,
  choice,
  optional,
  required,
  text,
  type Field,
  type Fields,
  type Shape,
} from './shape.ts'
import { zodShape } from './zod-shape.ts'

/** An accepted assertion: the fields depend on `type`. */
export type AuthoredAssertion = {
  readonly type: string
  readonly weight?: number
  readonly negate?: boolean
  readonly [field: string]: Json | undefined
}

export const NEGATION = 'not-'

/** Stands for the content of a file, where a whole value may be one. */
export const fileReference = named(
  'fileReference',
  closed('a file reference', {
    $file: required(text, 'The path of the file, relative to the folder of the suite.'),
    parse: optional(boolean, 'Whether a .json, .yaml or .yml file becomes data. Otherwise it is text.', true),
    raw: optional(boolean, 'Whether the content is used as it is, without rendering.', false),
  }),
)

/** A value that may be a file: a mapping with `$file` is one, whatever else the field accepts. */
const orFile = (shape: Shape<Json>): Shape<Json> => ({
  check: (value, at, report) => (isFileValue(value) ? fileReference : shape).check(value, at, report),
  normal: (value) => (isFileValue(value) ? fileReference : shape).normal?.(value) ?? value,
  schema: (definitions) => ({
    if: { type: 'object', required: ['$file'] },
    then: fileReference.schema(definitions),
    else: shape.schema(definitions),
  }),
})

const fieldShape = (name: string, { schema, mayBeFile, description }: AssertionField): Shape<Json> => {
  if (name === 'grader') return graderBlock
  const shape = zodShape(schema, description)
  return mayBeFile ? orFile(shape) : shape
}

const field = (name: string, definition: AssertionField): Field<Json> =>
  definition.required
    ? required(fieldShape(name, definition), definition.description)
    : optional(fieldShape(name, definition), definition.description)

const kindShape = (kind: AssertionKind): Shape<AuthoredAssertion> => {
  const { description, fields } = ASSERTION_FIELDS[kind]
  const all: Fields = {
    type: required(choice('assertion type', [kind, `${NEGATION}${kind}`]), description),
    weight: field('weight', COMMON_FIELDS.weight),
    negate: field('negate', COMMON_FIELDS.negate),
    ...Object.fromEntries(Object.entries(fields).map(([name, definition]) => [name, field(name, definition)])),
  }
  return named(`assertion.${kind}`, closed(`an assertion of type \`${kind}\``, all)) as Shape<AuthoredAssertion>
}

const KIND_SHAPES: ReadonlyMap<string, Shape<AuthoredAssertion>> = new Map(
  ASSERTION_KINDS.flatMap((kind) => {
    const shape = kindShape(kind)
    return [[kind, shape] as const, [`${NEGATION}${kind}`, shape] as const]
  }),
)

export const assertion: Shape<AuthoredAssertion> = named(
  'assertion',
  byType('an assertion', KIND_SHAPES, COMMON_FIELDS.type.description, `each also as \`${NEGATION}…\``, ASSERTION_KINDS),
)
