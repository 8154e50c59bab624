import { readFileSync } from 'node:fs'
import { importFile } from './import-files.ts'
import { leavesOf, missingLeaves, type Leaf } from './leaves.ts'

/** The leaves of JSON sample files, whole or line by line, that are neither in the documents of an import nor in its losses. */
export const lostSilently = async (path: string, ...companions: readonly string[]): Promise<readonly Leaf[]> => {
  const results = await importFile(path)
  const documents = results.flatMap(({ document }) => (document ? [document.bytes] : []))
  if (documents.length === 0) throw new Error(`${path} was not converted`)
  const losses = results.flatMap((result) => ('run' in result ? result.run.losses : []))
  return missingLeaves([path, ...companions].flatMap(leavesIn), documents, losses)
}

const leavesIn = (path: string): readonly Leaf[] => {
  const text = readFileSync(path, 'utf8')
  return path.endsWith('.jsonl')
    ? text.split('\n').flatMap((line) => (line.trim() === '' ? [] : leavesOf(JSON.parse(line))))
    : leavesOf(JSON.parse(text))
}
