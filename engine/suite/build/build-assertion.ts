import type { AssertionKind } from '../../assertions/assertion.ts'
import { ASSERTION_FIELDS } from '../../assertions/fields.ts'
import type { Json } from '../../json.ts'
import { NEGATION, type AuthoredAssertion } from '../shape/assertion-shape.ts'
import type { AuthoredGrader } from '../shape/provider-shape.ts'
import type { AssertionSpec } from '../suite.ts'
import { hasKey } from '../values.ts'
import { buildGrader } from './build-provider.ts'

/** Returns the kind of a type and whether the type negates it. */
export const splitType = (type: string): { readonly kind: AssertionKind; readonly negated: boolean } => {
  const negated = type.startsWith(NEGATION)
  return { kind: (negated ? type.slice(NEGATION.length) : type) as AssertionKind, negated }
}

/** Returns an accepted assertion in the form that evaluation uses. Keys that its kind lacks are left out. */
export const buildAssertion = (authored: AuthoredAssertion): AssertionSpec => {
  const { kind, negated } = splitType(authored.type)
  const known = ASSERTION_FIELDS[kind].fields
  const fields: Record<string, Json> = {}
  for (const key in authored) {
    const value = authored[key]
    if (value !== undefined && hasKey(known, key)) fields[key] = value
  }
  const grader = fields['grader']
  return {
    kind,
    weight: authored.weight ?? 1,
    negate: negated || (authored.negate ?? false),
    fields,
    ...(grader === undefined ? {} : { grader: buildGrader(grader as AuthoredGrader) }),
  }
}
