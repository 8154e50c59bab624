import { z } from 'zod'
import { TOOLS } from './tools.ts'
import type { Tool } from './tool.ts'

/** One part of a text that was cut. */
const Truncated = z.array(z.object({ path: z.string(), kept: z.int(), total: z.int() }))

/** Members that any result may have besides its own. */
const ADDED = { error: z.string(), _truncated: Truncated, _warning: z.string() }

type Schema = { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] }

/** A zod schema as JSON Schema, for what a client sends (`input`) or receives. Members may always be added. */
const jsonSchema = (schema: z.ZodType): Schema => {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  return withoutIds(described) as Schema
}

/** Removes the names of schemas, which only the document of the HTTP API uses. */
const withoutIds = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutIds)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(name === 'id' && typeof value === 'string'))
      .map(([name, value]) => [name, withoutIds(value)]),
  )
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
