import { expect, it } from 'vitest'
import { markedName } from '../../../../webapp/pages/search/marked-name.ts'

it.each([
  ['a name of a test', 'a \ue000name\ue001 of a test', 'a \ue000name\ue001 of a test'],
  ['a long name of a test', '…\ue000name\ue001 of a…', 'a long \ue000name\ue001 of a test'],
  ['chat / smoke', '\ue000smoke\ue001', 'chat / \ue000smoke\ue001'],
  // The words are in another text, or none is marked.
  ['a name', 'the \ue000prompt\ue001', null],
  ['a name', 'name', null],
  ['a name', '', null],
])('%j is marked as in %j', (name, snippet, marked) => expect(markedName(name, snippet)).toBe(marked))
