import { describe, expect, it } from 'vitest'
import { recordFields } from '../../../../../webapp/pages/admin/audit/record-fields.ts'

describe('the facts of a record', () => {
  it('are one per line, also those that an erasure keeps', () =>
    expect(
      recordFields({
        seq: 7,
        reference: 'CASE-1',
        followed: null,
        kept: { data: { project: 'chat', levels: ['read', 'upload'] }, stream: 'access/chat', version: 2 },
      }),
    ).toEqual([
      { name: 'seq', text: '7' },
      { name: 'reference', text: 'CASE-1' },
      { name: 'followed', text: null },
      { name: 'kept data project', text: 'chat' },
      { name: 'kept data levels', text: 'read, upload' },
      { name: 'kept stream', text: 'access/chat' },
      { name: 'kept version', text: '2' },
    ]))

  it('show invisible characters, and what has no lines of its own', () =>
    expect(recordFields({ 'a\u202e': 'b\u202e', empty: {}, none: [], rows: [{ n: 1 }] })).toEqual([
      { name: 'a⟨U+202E⟩', text: 'b⟨U+202E⟩' },
      { name: 'empty', text: '{}' },
      { name: 'none', text: '[]' },
      { name: 'rows', text: '[{"n":1}]' },
    ]))
})
