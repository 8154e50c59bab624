import { linePosition, type Place, type SourceText } from './tree.ts'

/** An error of the YAML parser: its offset in the text, and its English sentence. */
export type YamlError = { readonly at: number; readonly message: string }
type Fault = { readonly place: Place; readonly message: string }

/** A value that starts like a template, behind a key or a dash. */
const TEMPLATE_VALUE = /^(\s*(?:- +)*(?:[\w.$-]+: +)?)(\{[{%])/

const NESTED = 'Nested mappings are not allowed in compact mappings'
const WRONG_COLUMN = new Set([
  'All mapping items must start at the same column',
  'All sequence items must start at the same column',
  'Sequence item without - indicator',
  'A block sequence may not be used as an implicit map key',
])
/** What the parser says in addition to the fault that it means. */
const IN_ADDITION = new Set([
  'Implicit keys need to be on a single line',
  'Implicit map keys need to be followed by map values',
])

/** Says that a value has to be quoted, because YAML reads its first characters as a mapping. */
export const needsQuotes = (start: string): string => `a value that begins with \`${start}\` needs quotes`

/**
 * Says in plain words what is wrong with the text of a YAML file: one fault for each place, at the line that has to be
 * changed.
 */
export const yamlFaults = (source: SourceText, errors: readonly YamlError[]): readonly Fault[] => {
  const faults: Fault[] = []
  const knownLines = new Set<number>()
  for (const error of errors) {
    const { place, message, isIndentation = false } = inPlainWords(source, error)
    const { line } = linePosition(place)
    if (knownLines.has(line) || (faults.length > 0 && IN_ADDITION.has(error.message))) continue
    faults.push({ place, message })
    knownLines.add(line)
    // The next line is read with the wrong indentation, too.
    if (isIndentation) knownLines.add(line + 1)
  }
  return faults
}

const inPlainWords = (source: SourceText, { at, message }: YamlError): Fault & { readonly isIndentation?: boolean } => {
  const here = linePosition({ source, at })
  const lineStart = at - here.column + 1
  const template = TEMPLATE_VALUE.exec(here.source)
  if (template !== null)
    return { place: { source, at: lineStart + template[1]!.length }, message: needsQuotes(template[2]!) }
  if (message === NESTED) {
    if (/:(?: |$)/.test(here.source.slice(here.column - 1)))
      return { place: { source, at }, message: 'a text with `: ` in it needs quotes' }
    return {
      place: { source, at: nextContent(source.text, lineStart + here.source.length) },
      message: 'wrong indentation: this line is indented deeper than the one above, which has its value already',
      isIndentation: true,
    }
  }
  if (WRONG_COLUMN.has(message))
    return {
      place: { source, at: lineStart + here.source.search(/\S|$/) },
      message: 'wrong indentation: the keys of a mapping, and the dashes of a list, start in the same column',
      isIndentation: true,
    }
  return { place: { source, at }, message }
}

/** The first character of the next line that is neither blank nor a comment. */
const nextContent = (text: string, from: number): number => {
  const found = /\n[ \t]*(?=[^\s#])/g
  found.lastIndex = from
  const match = found.exec(text)
  return match === null ? from : match.index + match[0].length
}
