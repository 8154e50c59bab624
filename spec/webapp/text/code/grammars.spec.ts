import hljs from 'highlight.js/lib/core'
import { common } from 'lowlight'
import { describe, expect, it } from 'vitest'
import { loadGrammars } from '../../../../webapp/text/code/grammars.ts'

describe('loadGrammars', () => {
  // JSON is coloured without a grammar.
  it.each(Object.entries(common).filter(([name]) => name !== 'json'))(
    'loads %s by its name and each of its aliases',
    async (name, grammar) => {
      for (const each of [name, ...(grammar(hljs).aliases ?? [])])
        expect((await loadGrammars(each))[name]?.name).toBe(grammar.name)
    },
  )
  it.each(['klingon', '__proto__', 'constructor', ''])('loads nothing for %j', async (name) =>
    expect(await loadGrammars(name)).toEqual({}),
  )
  it('also loads the languages that are found inside', async () =>
    expect(Object.keys(await loadGrammars('html')).toSorted()).toEqual(['css', 'javascript', 'xml']))
})
