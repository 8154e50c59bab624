import { createLowlight } from 'lowlight'
import { codeTokens, type SyntaxNode, type Token } from './code-tokens.ts'
import { loadGrammars } from './grammars.ts'

// Loaded lazily, see highlighter.ts. lowlight returns a syntax tree; no HTML is made.
const lowlight = createLowlight()

/** Loads the grammars of a language; a language without a grammar loads none. */
export const registerLanguage = async (language: string): Promise<void> => {
  const grammars = await loadGrammars(language)
  for (const [name, grammar] of Object.entries(grammars))
    if (!lowlight.registered(name)) lowlight.register(name, grammar)
}

/** The tokens of a text in a language that is registered; null if the language is not known. */
export const grammarTokens = (text: string, language: string): readonly Token[] | null =>
  lowlight.registered(language)
    ? codeTokens(text, lowlight.highlight(language, text).children as readonly SyntaxNode[])
    : null
