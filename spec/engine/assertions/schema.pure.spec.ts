import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { InvalidSchema, schemaErrors } from '../../../engine/assertions/schema.ts'
import type { Json } from '../../../engine/json.ts'

describe('schemaErrors', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { enum: [1, 2] }, b: { type: 'array', items: { type: 'string', pattern: '^x\\u0041?\\d' } } },
    additionalProperties: false,
  }

  it('is empty for a value that matches', () => {
    expect(schemaErrors(schema, { a: 1, b: ['x1', 'xA2'] })).toEqual([])
    expect(schemaErrors(true, 1)).toEqual([])
  })

  it('lists every violation with its place', () => {
    expect(schemaErrors(schema, { a: 3, b: ['y', 1], c: 0 })).toEqual([
      { path: '', message: 'must NOT have additional properties: `c`' },
      { path: '/a', message: 'must be equal to one of the allowed values: [1,2]' },
      { path: '/b/0', message: 'must match pattern "^x\\u0041?\\d"' },
      { path: '/b/1', message: 'must be string' },
    ])
    expect(schemaErrors(false, 1)).toHaveLength(1)
  })

  it('reads the draft from $schema; 2020-12 is the default', () => {
    const tuple = { prefixItems: [{ type: 'string' }] }
    expect(schemaErrors(tuple, [1])).toHaveLength(1)
    expect(schemaErrors({ ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' }, [1])).toEqual([])
    const items = { items: [{ type: 'string' }] }
    expect(schemaErrors({ ...items, $schema: 'http://json-schema.org/draft-07/schema#' }, [1])).toHaveLength(1)
    expect(schemaErrors({ ...items, $schema: 'https://json-schema.org/draft/2019-09/schema' }, [1])).toHaveLength(1)
    expect(schemaErrors({ ...items, $schema: 'http://json-schema.org/draft-06/schema#' }, [1])).toHaveLength(1)
  })

  it('compiles two schemas with the same $id', () => {
    expect(schemaErrors({ $id: 'https://example.test/s', type: 'string' }, 1)).toHaveLength(1)
    expect(schemaErrors({ $id: 'https://example.test/s', type: 'number' }, 1)).toEqual([])
  })

  it('follows a $ref inside of the schema', () => {
    const recursive = {
      $ref: '#/$defs/node',
      $defs: { node: { type: ['null', 'array'], items: { $ref: '#/$defs/node' } } },
    }
    expect(schemaErrors(recursive, [[null], []])).toEqual([])
    expect(schemaErrors(recursive, [[1]])).toHaveLength(1)
  })

  it('sees a number that no double holds as a number', () =>
    expect(schemaErrors({ type: 'integer' }, parseExact('9007199254740993') as Json)).toEqual([]))

  it.each<[string, Json]>([
    ['an unknown type', { type: 'text' }],
    ['a remote $ref', { $ref: 'https://example.test/other.json' }],
    ['an unknown draft', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['a pattern with look-ahead', { pattern: '(?=a)' }],
    ['a malformed pattern', { pattern: '(' }],
  ])('throws for %s', (_what, invalid) => {
    expect(() => schemaErrors(invalid, 1)).toThrow(InvalidSchema)
  })

  it('takes linear time for a pattern', () =>
    expect(schemaErrors({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}b`)).toHaveLength(1))
})
