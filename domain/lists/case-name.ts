import { isRawNumber } from '../run/canonical-json.ts'
import { firstCodePoints } from '../run/document.ts'
import type { Json } from '../run/readers.ts'

type Named = { readonly name?: string | null | undefined; readonly vars?: object | undefined }

const MAX_VALUE_CODE_POINTS = 80
const MAX_NAME_CODE_POINTS = 200
const MAX_DEPTH = 3

/**
 * The name of a case for people: its own, else its variables, such as `city=Lima, country=Peru`. Null if it has neither:
 * then it is listed by the id of its test. The read tables store this name, so that no list has to read the document.
 */
export const shownName = ({ name, vars }: Named): string | null =>
  name || (vars === undefined ? null : nameOfVars(vars as Vars))

/** The same, else the id of the test. */
export const caseName = (item: Named & { readonly cell: { readonly test_id: string } }): string =>
  shownName(item) ?? item.cell.test_id

/** A case with the name under which lists show it. */
export const withShownName = <T extends Named>(item: T): T => {
  const name = shownName(item)
  return name === null || name === item.name ? item : { ...item, name }
}

type Vars = Readonly<Record<string, Json>>

/** The variables that are texts, numbers or booleans, each with its name, as many as fit. Null if there are none. */
const nameOfVars = (vars: Vars): string | null => {
  const parts: string[] = []
  let length = 0
  const visit = (value: Json, path: string, depth: number): void => {
    if (value === null || Array.isArray(value)) return
    if (typeof value === 'object' && !isRawNumber(value)) {
      if (depth === MAX_DEPTH) return
      for (const [key, member] of Object.entries(value as Vars)) {
        if (length > MAX_NAME_CODE_POINTS) return
        visit(member, path === '' ? key : `${path}.${key}`, depth + 1)
      }
      return
    }
    const text = isRawNumber(value) ? value.rawJSON : typeof value === 'string' ? value : JSON.stringify(value)
    const part = `${path}=${inOneLine(text, MAX_VALUE_CODE_POINTS)}`
    parts.push(part)
    length += part.length
  }
  visit(vars, '', 0)
  return parts.length === 0 ? null : inOneLine(parts.join(', '), MAX_NAME_CODE_POINTS)
}

/** The beginning of a text, with one space for white space. Of a long text, only the beginning is read. */
const inOneLine = (text: string, codePoints: number): string => {
  const read = firstCodePoints(text, codePoints * 2)
  const line = read.replaceAll(/\s+/g, ' ').trim()
  const beginning = firstCodePoints(line, codePoints)
  return beginning === line && read === text ? line : `${beginning.trimEnd()}…`
}
