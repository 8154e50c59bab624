/** Strings, and the words NaN and Infinity that Python writes. */
const STRINGS_AND_PYTHON_WORDS = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/gs

/** Replaces the words NaN, Infinity and -Infinity outside of strings by null. `onWord` is called with each of them. */
export const nullForNonNumbers = (text: string, onWord: (word: string) => void = () => {}): string =>
  text.replace(STRINGS_AND_PYTHON_WORDS, (token) => {
    if (token.startsWith('"')) return token
    onWord(token)
    return 'null'
  })
