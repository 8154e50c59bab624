import { describe, expect, it } from 'vitest'
import { fieldRows, typeWords, type Schema } from '../../../../webapp/pages/document-format/field-rows.ts'
import { documentSchema } from '../../../../domain/document-format/schema.ts'
import { FIELDS } from '../../../../domain/document-format/fields.ts'

describe('the fields of the document format', () => {
  it('are all listed, each once, with a type and a meaning', () => {
    const rows = fieldRows(JSON.parse(JSON.stringify(documentSchema())) as Schema)
    expect(rows.map(({ path }) => path)).toEqual(Object.keys(FIELDS).filter((path) => !path.endsWith('*')))
    expect(rows.filter(({ type, description }) => type === '' || description === '')).toEqual([])
  })

  it('say in words what they accept', () => {
    expect(typeWords({ type: ['string', 'null'] })).toBe('text or null')
    expect(typeWords({ type: 'array', items: { type: 'string' } })).toBe('list of text')
    expect(typeWords({ type: 'integer', minimum: 0 })).toBe('whole number, 0 or more')
    expect(typeWords({ type: 'string', format: 'date-time' })).toBe('time')
    expect(typeWords({})).toBe('any JSON')
    expect(typeWords({ anyOf: [{ type: 'string' }, { type: 'array', items: {} }] })).toBe('text or list of any JSON')
  })
})
