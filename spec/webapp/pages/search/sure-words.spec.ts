import { describe, expect, it } from 'vitest'
import { canIndexKnow } from '../../../../webapp/pages/search/sure-words.ts'

describe('whether the search index can know that nothing contains a text', () => {
  it.each(['walrus', 'two words', '"a phrase" more', 'Größe', 'año', 'слово', '한국어 단어', 'कखग', '42', ' padded '])(
    'knows it of %j',
    (text) => expect(canIndexKnow(text)).toBe(true),
  )
  it.each(['C++', 'C# code', '东京', 'すし', 'ราคา', 'ខ្មែរ', 'الكتاب', '😀', '5€', '👩\u200d💻', '东京2020'])(
    'knows it of %j, which is found from any part of a text',
    (text) => expect(canIndexKnow(text)).toBe(true),
  )
  it.each(['a.b', 'don’t', 'vars-1525dd4fe234', 'gpt4', '8cb9b3fd0ce1b8d1', 'a_b', '--', '│', ''])(
    'does not know it of %j',
    (text) => expect(canIndexKnow(text)).toBe(false),
  )
})
