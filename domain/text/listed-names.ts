const MAX_CHARACTERS = 300

/** Names for a message: the first `most` of them in at most 300 characters, with an ellipsis if that is not all. */
export const listedNames = (names: readonly string[], most = 20): string => {
  const text = names.slice(0, most).join(', ')
  if (text.length > MAX_CHARACTERS) return `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…`
  return names.length > most ? `${text}, …` : text
}
