import type { Token, TokenKind } from './code-tokens.ts'
import type * as Grammars from './grammar-highlighter.ts'

// Loaded lazily, see use-highlighter.ts. JSON, by far the most frequent, is read here; the library for other languages is
// loaded when one of them is shown.
const JSON_NAMES: readonly string[] = ['json', 'jsonc', 'json5']
let grammars: typeof Grammars | null = null

// A text ends at its line, so that an open one colours no more than that line.
const JSON_TOKEN =
  /"(?:[^"\\\n]+|\\.)*"?|\/\/[^\n]*|\/\*(?:[^*]+|\*(?!\/))*(?:\*\/)?|-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b|\b(?:true|false|null)\b/gu
const COLON = /[ \t\n\r]*:/y

const jsonKind = (found: string, isName: () => boolean): TokenKind => {
  if (found.startsWith('"')) return isName() ? 'name' : 'string'
  if (found.startsWith('/')) return 'comment'
  return /^[-\d]/.test(found) ? 'number' : 'keyword'
}

const jsonTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  let end = 0
  const add = (upTo: number, kind: TokenKind | null): void => {
    if (upTo > end) tokens.push({ text: text.slice(end, upTo), kind })
    end = upTo
  }
  for (const { 0: found, index } of text.matchAll(JSON_TOKEN)) {
    add(index, null)
    COLON.lastIndex = index + found.length
    add(
      COLON.lastIndex,
      jsonKind(found, () => COLON.test(text)),
    )
  }
  add(text.length, null)
  return tokens
}

/** Loads what a language needs; a language that is not known needs nothing. */
export const loadLanguage = async (language: string): Promise<void> => {
  if (JSON_NAMES.includes(language)) return
  grammars = await import('./grammar-highlighter.ts')
  await grammars.registerLanguage(language)
}

/** The tokens of a text in a language that is loaded, which joined are the text; null if the language is not known. */
export const highlight = (text: string, language: string): readonly Token[] | null =>
  JSON_NAMES.includes(language) ? jsonTokens(text) : (grammars?.grammarTokens(text, language) ?? null)
