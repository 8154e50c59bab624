import type { Json } from '../../../domain/run/readers.ts'
import { nullForNonNumbers } from './non-numbers.ts'

/**
 * Parses the complete part of the beginning of a JSON text, and closes the containers that are open there. Null if the text
 * does not begin like JSON. It serves to recognise a format, never to read one.
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
    return JSON.parse(nullForNonNumbers(text)) as Json
  } catch {
    // Not JSON, though it begins like it.
    return null
  }
}
