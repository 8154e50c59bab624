import { statSync } from 'node:fs'
import { SourceRefused } from '../../interchange/document/source-refused.ts'
import type { ImportOptions } from '../../interchange/document/import-options.ts'
import { guessTable, type Guess } from '../../interchange/importers/table/guess.ts'
import { lookAt } from '../../interchange/read/look.ts'
import { fileOnDisk, isOfFile } from '../../interchange/read/source-file.ts'

/** A map that was guessed for a file. */
export type GuessedMap = Guess & { readonly path: string }

/** The most maps that one dry run guesses: people have to read them. */
export const MAX_GUESSES = 3

/** Guesses a map for a file that no importer knows. Returns none if it is no table, or has no column with results. */
export const guessMap = async (path: string, options: ImportOptions): Promise<readonly GuessedMap[]> => {
  try {
    const file = fileOnDisk(path, statSync(path))
    return [{ path, ...(await guessTable(file, await lookAt(file), options)) }]
  } catch (error) {
    if (error instanceof SourceRefused || isOfFile(error)) return []
    throw error
  }
}

/** The map as a file to save, and the first cases that it gives. */
export const guessLines = ({ path, map, cases }: GuessedMap): readonly string[] => [
  `# ${path.replace(/[\x00-\x1f\x7f]+/g, ' ')}: a guess to correct. Save it, and give it with --map`,
  map.trimEnd(),
  `# the first ${cases.length === 1 ? 'case' : `${cases.length} cases`}:`,
  ...cases.map((found) => `# ${JSON.stringify(found)}`),
]
