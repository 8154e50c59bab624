/** Parses CSV (RFC 4180) to rows of fields. The last line ends with CRLF. */
export const parseCsv = (text: string): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length;) {
    let field = ''
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (text[at] === '"' && text[at + 1] !== '"') break
        if (text[at] === '"') at++
        field += text[at] ?? ''
      }
      at++
    } else for (; text[at] !== ',' && !text.startsWith('\r\n', at); at++) field += text[at] ?? ''
    row.push(field)
    const isEnd = text[at] !== ','
    at += isEnd ? 2 : 1
    if (!isEnd) continue
    rows.push(row)
    row = []
  }
  return rows
}
