import { describe, expect, it } from 'vitest'
import { clip, invalid, InvalidDocument, malformedDocument } from '../../../domain/run/invalid-document.ts'

describe('a rejected document', () => {
  it('has a reason and a message', () => {
    expect(malformedDocument('x')).toMatchObject({ reason: 'malformed', message: 'invalid JSON body: x' })
    expect(invalid('x')).toMatchObject({ reason: 'invalid', message: 'invalid run document: x' })
    expect(malformedDocument('x')).toBeInstanceOf(InvalidDocument)
  })

  it('quotes at most 80 characters of the input, never half a character', () => {
    expect(clip('short')).toBe('short')
    expect(clip('a'.repeat(1000))).toHaveLength(80)
    expect(clip('😀'.repeat(1000)).isWellFormed()).toBe(true)
  })
})
