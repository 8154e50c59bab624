import type { Json } from '../../../domain/run/readers.ts'

/**
 * Parses the beginning of a JSON text: what is complete in it, with the containers that are still open closed. Null if
 * the text does not begin like JSON. It serves to recognise a format, never to read one.
 */
export const jsonHead = (text: string): Json => {
  const closers: string[] = []
  // The last place at which the text can be cut, and what closes it there.
  let cut = 0
  let cutClosers = ''
  const mark = (at: number) => {
    cut = at
    cutClosers = closers.toReversed().join('')
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      at++
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    } else if (char === '{' || char === '[') {
      if (closers.length >= MAX_HEAD_DEPTH) break
      closers.push(char === '{' ? '}' : ']')
      mark(at + 1)
    } else if (char === '}' || char === ']') {
      closers.pop()
      mark(at + 1)
      if (closers.length === 0) break
    } else if (char === ',') mark(at)
  }
  return cut === 0 ? null : parsed(text.slice(0, cut) + cutClosers)
}

const MAX_HEAD_DEPTH = 64

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text.replace(NON_NUMBERS, (word) => (word.startsWith('"') ? word : 'null'))) as Json
  } catch {
    // Not JSON, though it begins like it.
    return null
  }
}

/** Strings, and the words that Python writes for numbers that are none. */
const NON_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/gs
