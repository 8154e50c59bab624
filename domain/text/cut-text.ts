/** Cuts a text to so many characters; a cut one ends with `…`. */
export const cut = (text: string, width: number): string => {
  if (text.length <= width) return text
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`
}
