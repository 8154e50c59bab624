import type { Notes } from './notes.ts'

/** How a module that promptfoo loads is started as a program, by the end of its name. */
const INTERPRETERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\.py$/i, 'python3'],
  [/\.[cm]?[jt]s$/i, 'node'],
]

/**
 * The command of a provider such as `exec:python chain.py`, `file://provider.py` or `python:provider.py`; null if the id
 * names no program. A note says what the program must become.
 */
export const convertCommand = (id: string, place: string, notes: Notes): readonly string[] | null => {
  const line = /^exec:(.+)$/s.exec(id)?.[1]?.trim()
  if (line !== undefined && line !== '') return fromLine(line, place, notes)
  const file = /^(?:python:(?:file:\/\/)?|file:(?:\/\/)?)(.+)$/s.exec(id)?.[1]?.trim()
  if (file === undefined || file === '') return null
  // A function of the module may be named behind the path: provider.py:call_api.
  const path = file.replace(/(\.(?:py|[cm]?[jt]s)):\w+$/i, '$1')
  const interpreter = INTERPRETERS.find(([end]) => end.test(path))?.[1]
  if (interpreter === undefined) {
    noteProtocol(place, notes)
    return [path]
  }
  notes.add(
    place,
    `\`${path}\` is a module, started as \`${interpreter} ${path}\`: it must become a program that reads a JSON request on standard input and writes a JSON response (exec-protocol.md)`,
  )
  return [interpreter, path]
}

/** A command line, split so that it starts: as one entry it would be the name of a program with blanks in it. */
const fromLine = (line: string, place: string, notes: Notes): readonly string[] => {
  noteProtocol(place, notes)
  const parts = splitLine(line)
  if (parts === null) notes.add(place, `a quote in \`${line}\` is not closed: write the arguments into \`command\``)
  else if (parts.length > 1)
    notes.add(
      place,
      `\`${line}\` was split on blanks, so that the suite runs: review the entries of \`command\`, there is no shell`,
    )
  return parts ?? [line]
}

const noteProtocol = (place: string, notes: Notes): void =>
  notes.add(
    place,
    'a program reads a JSON request on standard input and writes a JSON response (exec protocol 1, exec-protocol.md)',
  )

/** The parts between blanks. Quotes keep blanks together and are removed. Null: a quote is not closed. */
const splitLine = (line: string): readonly string[] | null => {
  const piece = /[^\s"']+|"[^"]*"|'[^']*'/g
  if (/["']/.test(line.replace(piece, ''))) return null
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([part]) =>
    part.replace(piece, (text) => (/^["']/.test(text) ? text.slice(1, -1) : text)),
  )
}
