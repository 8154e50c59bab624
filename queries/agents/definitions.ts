import { z } from 'zod'
import { TOOLS } from './tools.ts'
import type { Tool } from './tool.ts'

/** One part of a text that was cut. */
const Truncated = z.array(z.object({ path: z.string(), kept: z.int(), total: z.int() }))

/** Members that any result may have besides its own. */
const ADDED = { error: z.string(), _truncated: Truncated, _warning: z.string() }

type Schema = { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] }

/** The bounds that zod gives every integer. They would cost a third of the list of tools. */
const isSafeBound = (name: string, value: unknown): boolean =>
  (name === 'minimum' || name === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

/**
 * A zod schema as JSON Schema, in the form for inputs, because only that form allows more members in an object. Named
 * schemas are written where they are used, since some clients do not follow references.
 */
const jsonSchema = (schema: z.ZodType): Schema => {
  const {
    $schema: _,
    $defs: named = {},
    ...described
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  const plain = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(plain)
    if (typeof part !== 'object' || part === null) return part
    const { $ref: reference, ...rest } = part as { readonly $ref?: unknown }
    const target = typeof reference === 'string' ? named[reference.replace('#/$defs/', '')] : {}
    return Object.fromEntries(
      Object.entries({ ...target, ...rest })
        .filter(([name, value]) => !isSafeBound(name, value) && !(name === 'id' && typeof value === 'string'))
        .map(([name, value]) => [name, plain(value)]),
    )
  }
  return plain(described) as Schema
}

const inputSchema = (schema: z.ZodType): object => {
  const { properties = {}, required = [] } = jsonSchema(schema)
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/**
 * The schema of a structured result: the members of the tool, or an error. Clients check results with `isError` against
 * it too. The root is an object, as the protocol demands, and only the required members differ.
 */
const outputSchema = (result: z.ZodObject): object => {
  const { properties, required = [] } = jsonSchema(result.extend(z.object(ADDED).partial().shape))
  return { type: 'object', properties, anyOf: [{ required }, { required: ['error'] }] }
}

const definition = ({ name, title, description, arguments: given, result }: Tool) => ({
  name,
  title,
  description,
  inputSchema: inputSchema(given),
  outputSchema: outputSchema(result),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
})

/** The definitions of all tools, as the Model Context Protocol lists them, as JSON text. */
export const toolDefinitions = (): string => JSON.stringify({ tools: TOOLS.map(definition) })
