import type { Json } from '../json.ts'
import type { Definitions, JsonSchema } from './shape/shape.ts'
import { suiteShape } from './shape/suite-shape.ts'

/**
 * Returns the JSON Schema (draft 2020-12) of a suite file, made from the shapes that check it. Editors complete and
 * explain keys with it. A file that extends or imports others may lack keys that a whole suite needs.
 */
export const suiteSchema = (): JsonSchema => {
  const definitions: Definitions = new Map()
  const { required = [], ...shape } = suiteShape.schema(definitions)
  const composes: Json = { anyOf: [{ required: ['extends'] }, { required: ['imports'] }] }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Suite',
    description: 'An evaluation suite: what is evaluated, with which tests, and how the answers are judged.',
    ...shape,
    if: composes,
    else: { required },
    $defs: Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
