import { KEYWORDS, pythonTypes } from './python-types.ts'
import type { Schema } from './python-types.ts'

// Writes the Python client's types and methods from the OpenAPI document.

type Parameter = {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>
type Operation = {
  readonly operationId?: string
  readonly summary?: string
  readonly parameters?: readonly object[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const HEADER = '# Written by `npm run clients` from clients/openapi.json. Do not edit.\n'
const JSON_TYPE = 'application/json'

/** The name of an operation or a parameter in Python: `listRuns` is `list_runs`, `from` is `from_`. */
const pythonName = (name: string): string => {
  const snake = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return KEYWORDS.has(snake) || snake === 'self' || snake === 'body' ? `${snake}_` : snake
}

/** A text as a literal of Python. JSON's escapes mean the same there, but for those of characters beyond the first plane. */
const literal = (text: string): string => JSON.stringify(text)

/**
 * Returns the two generated files of the Python client: a TypedDict for each shape, and a method for each operation.
 * The same document gives the same bytes.
 */
export const pythonFiles = (document: Document): { readonly types: string; readonly operations: string } => {
  const types = pythonTypes(document.components.schemas)
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => methodText(method, path, operation, types.typeOf)),
  )
  const operations = `${HEADER}from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from .transport import Caller, path_of
from .types import *  # noqa: F403


class Operations(Caller):
    """A method for each operation of the API. Each raises ErsError when the service answers with an error."""

${methods.join('\n')}`
  return { types: `${HEADER}${types.text()}`, operations }
}

type TypeOf = (schema: Schema, name: string) => string

const methodText = (method: string, path: string, operation: Operation, typeOf: TypeOf): string => {
  const { operationId = '', summary = '' } = operation
  const parameters = (operation.parameters ?? []) as readonly Parameter[]
  const className = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inQuery = parameters
    .filter((parameter) => parameter.in === 'query')
    .sort((a, b) => Number(b.required ?? false) - Number(a.required ?? false))
  const body = bodyOf(operation, className, typeOf)
  const keywords = inQuery.map(({ name, required = false, schema = {} }) => {
    const type = typeOf(schema, `${className}${name}`)
    return required ? `${pythonName(name)}: ${type}` : `${pythonName(name)}: ${optional(type)} = None`
  })
  const given = [
    'self',
    ...inPath.map((name) => `${pythonName(name)}: str | int`),
    ...(body ? [`body: ${body.type}`] : []),
  ]
  const answer = answerOf(operation, className, typeOf)
  const query = inQuery.map(({ name }) => `${literal(name)}: ${pythonName(name)}`)
  const described = parameters.filter(({ description }) => description !== undefined)
  const call = [
    literal(method.toUpperCase()),
    inPath.length === 0
      ? literal(path)
      : `path_of(${literal(path)}, ${inPath.map((name) => `${name}=${pythonName(name)}`).join(', ')})`,
    ...(query.length === 0 ? [] : [wrapped('query={', query, '}', 12)]),
    ...(body ? ['body=body', `body_type=${literal(body.contentType)}`] : []),
    `answer=${literal(answer.kind)}`,
  ]
  const named = [...given, ...(keywords.length > 0 ? ['*', ...keywords] : [])]
  const about = described
    .map(({ name, description = '' }) => `        ${pythonName(name)}: ${docText(description)}\n`)
    .join('')
  return `${wrapped(`    def ${pythonName(operationId)}(`, named, `) -> ${answer.type}:`)}
        """${docText(summary)}.${about === '' ? '' : `\n\n${about}        `}"""
${answer.type === 'None' ? wrapped('        self._call(', call, ')') : `${wrapped(`        found: ${answer.type} = self._call(`, call, ')')}\n        return found`}
`
}

const MAX_WIDTH = 100

/** A list in brackets, on one line if that is short, else with a line for each item. */
const wrapped = (before: string, items: readonly string[], after: string, column = 0): string => {
  const line = `${before}${items.join(', ')}${after}`
  if (column + line.length <= MAX_WIDTH) return line
  const indent = ' '.repeat(column) + (/^ */.exec(before)?.[0] ?? '')
  return `${before}\n${items.map((item) => `${indent}    ${item},\n`).join('')}${indent}${after}`
}

const optional = (type: string): string => (/(?:^|\| )None$/.test(type) ? type : `${type} | None`)

/** A text inside of a docstring. */
const docText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll(/\s+/g, ' ')

const bodyOf = (
  { requestBody }: Operation,
  className: string,
  typeOf: TypeOf,
): { readonly type: string; readonly contentType: string } | null => {
  const [entry] = Object.entries(requestBody?.content ?? {})
  if (!entry) return null
  const [contentType, { schema = {} }] = entry
  if (contentType !== JSON_TYPE) return { type: 'bytes', contentType }
  return { type: typeOf(schema, `${className}Body`), contentType }
}

/** What a method returns: by the type of the successful response, and how the response is read. */
const answerOf = (
  { responses }: Operation,
  className: string,
  typeOf: TypeOf,
): { readonly kind: string; readonly type: string } => {
  const successful = Object.entries(responses).filter(([status]) => /^[23]/.test(status))
  if (successful.some(([status]) => status === '303')) return { kind: 'location', type: 'str' }
  const contents = successful.map(([, { content = {} }]) => content)
  const contentTypes = [...new Set(contents.flatMap((content) => Object.keys(content)))]
  if (contentTypes.length === 0) return { kind: 'nothing', type: 'None' }
  if (contentTypes.includes('text/event-stream')) return { kind: 'lines', type: 'Iterator[str]' }
  const isJson = contentTypes.includes(JSON_TYPE)
  const others = contentTypes.filter((name) => name !== JSON_TYPE)
  const areTexts = others.every((name) => /^(?:text\/|image\/svg|application\/(?:x-ndjson|xml))/.test(name))
  if (!areTexts) return { kind: 'bytes', type: 'bytes' }
  if (isJson && others.length > 0) return { kind: 'json or text', type: 'Any' }
  if (!isJson) return { kind: 'text', type: 'str' }
  const types = contents.flatMap((content) => {
    const { schema } = content[JSON_TYPE] ?? {}
    return schema ? [typeOf(schema, `${className}Answer`)] : []
  })
  return { kind: 'json', type: [...new Set(types)].join(' | ') }
}
