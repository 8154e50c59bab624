import { expect, it } from 'vitest'
import { goesWith } from '../../../webapp/runs/goes-with.ts'

const added = { title: 'a title', note: null, tags: ['a', 'b'], revision: '1', at: '2026-01-01T00:00:00Z', by: null }

it.each([
  [[{ comments: 0 }], null],
  [[{ comments: 1 }], '1 comment'],
  [[{ comments: 2, added }], '2 comments, 1 added title and 2 added tags'],
  [
    [
      { comments: 0, added },
      { comments: 3, added: { ...added, note: 'a note' } },
    ],
    '3 comments, 2 added titles, 1 added note and 4 added tags',
  ],
])('%j are deleted with %s', (runs, words) => expect(goesWith(runs)).toBe(words))
