/**
 * A name with the matched words of its snippet marked as they are there, between U+E000 and U+E001, so that the snippet need not repeat
 * the name. Null if the snippet is of another text.
 */
export const markedName = (name: string, snippet: string): string | null => {
  const marked = snippet.replace(/^…|…$/g, '').trim()
  const plain = marked.replace(/[\ue000\ue001]/g, '')
  const at = plain === '' || plain === marked ? -1 : name.indexOf(plain)
  return at === -1 ? null : `${name.slice(0, at)}${marked}${name.slice(at + plain.length)}`
}
