import { expect, it } from 'vitest'
import { readHeader } from '../../../domain/transcript/event.ts'

it('the header of a transcript has at most twenty short texts of its source', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`m${n}`, 'text']))
  const source = { format: 'inspect', ['x'.repeat(201)]: 'a', long: 'y'.repeat(201), number: 1, ...many }
  const header = readHeader(JSON.stringify({ transcript: 1, source }))
  expect(Object.keys(header?.source ?? {})).toHaveLength(20)
  expect(header?.source).toMatchObject({ format: 'inspect', m0: 'text' })
  expect(header?.source).not.toHaveProperty('long')
  expect(header?.agent).toBeNull()
})
