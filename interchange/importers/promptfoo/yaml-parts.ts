/** A YAML export in parts that can be parsed one by one. */
export type YamlParts = {
  /** All but the rows. */
  readonly rest: string
  /** The text of each row, as a list of one item. */
  readonly rows: readonly string[]
  /** The bytes of the table, which repeats the rows. */
  readonly leftOut: number
}

/**
 * Splits a YAML export at the items of the list of results, by the indentation that promptfoo writes: each row can then be
 * parsed by itself, which takes little memory. A file that is written in another way has no rows here, and its rest is
 * the whole text.
 */
export const splitYaml = (text: string): YamlParts => {
  const rest: string[] = []
  const rows: string[] = []
  let leftOut = 0
  let row: string[] | null = null
  let area: 'rest' | 'rows' | 'table' = 'rest'
  let top = ''
  /** The indentation of the key of the area, and of its items. */
  let keyIndent = 0
  let itemIndent = -1
  const endRow = () => {
    if (row !== null) rows.push(row.join('\n'))
    row = null
  }
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/)
    const isItem =
      area === 'rows' && indent >= keyIndent && /^\s*- /.test(line) && (itemIndent < 0 || indent === itemIndent)
    if (area !== 'rest' && indent >= 0 && indent <= keyIndent && !isItem) {
      endRow()
      area = 'rest'
    }
    if (area === 'rest') {
      const key = /^( *)([A-Za-z]+):/.exec(line)
      if (key && key[1] === '') top = key[2]!
      const name = key?.[2]
      const isStart = /^ *[A-Za-z]+: *\r?$/.test(line) && (indent === 0 || (top === 'results' && indent === 2))
      if (isStart && name === 'table') {
        area = 'table'
        keyIndent = indent
        continue
      }
      rest.push(line)
      if (isStart && name === 'results' && (indent === 2 || isListNext(text, line))) {
        area = 'rows'
        keyIndent = indent
        itemIndent = -1
      }
      continue
    }
    if (area === 'table') {
      leftOut += Buffer.byteLength(line) + 1
      continue
    }
    if (isItem) {
      endRow()
      itemIndent = indent
      row = [line]
    } else if (row !== null) row.push(line)
    else rest.push(line)
  }
  endRow()
  return { rest: rest.join('\n'), rows, leftOut }
}

/** Whether the top-level `results` is the list itself, as in version 1. */
const isListNext = (text: string, line: string): boolean => {
  const at = text.startsWith(`${line}\n`) ? 0 : text.indexOf(`\n${line}\n`) + 1
  return /^\s*- /.test(text.slice(at + line.length + 1, at + line.length + 40))
}
