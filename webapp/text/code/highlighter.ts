import { common, createLowlight } from 'lowlight'
import { tokensOf } from './code-tokens.ts'
import type { SyntaxNode, Token } from './code-tokens.ts'

// Loaded lazily, see use-highlighter.ts. lowlight returns a syntax tree; no HTML is made.
const lowlight = createLowlight(common)

/** The tokens of a text in a language; null if the language is not known. */
export const highlight = (text: string, language: string): readonly Token[] | null =>
  lowlight.registered(language)
    ? tokensOf(text, lowlight.highlight(language, text).children as readonly SyntaxNode[])
    : null
