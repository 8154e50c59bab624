import { describe, expect, it } from 'vitest'
import { canIndexKnow } from '../../../../webapp/pages/search/sure-words.ts'

describe('whether the search index can know that nothing contains a text', () => {
  it.each(['walrus', 'two words', '"a phrase" more', 'Größe', 'año', 'слово', '한국어 단어', 'कखग', '42', ' padded '])(
    'knows it of %j',
    (text) => expect(canIndexKnow(text)).toBe(true),
  )
  it.each([
    'C++',
    'a.b',
    'don’t',
    '东京',
    'すし',
    'ราคา',
    'ខ្មែរ',
    'vars-1525dd4fe234',
    'gpt4',
    '8cb9b3fd0ce1b8d1',
    'a_b',
    '--',
    '😀',
  ])('does not know it of %j', (text) => expect(canIndexKnow(text)).toBe(false))
})
