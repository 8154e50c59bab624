import type { SharedFilePart } from '../../domain/report/shared-parts.ts'
import type {
  SharedComparison,
  SharedContents,
  SharedFacts,
  SharedFile,
  SharedRow,
  SharedRun,
} from '../../queries/share/shared-file.ts'

// The data in the file: compressed texts in base64, in elements that the browser does not run.

/** The file has no data, or data that cannot be unpacked. */
export class NoData extends Error {
  override readonly name = 'NoData'
}

export const bytesIn = (base64: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

let file: Promise<SharedFile> | null = null
/** Blocks that were unpacked, as texts of cases, by the id of their element. */
const blocks = new Map<string, Promise<readonly string[]>>()

let textOf = (_id: string): string | null => null

/** Sets where the data are: `find` returns the text of an element by its id, or null. */
export const readDataFrom = (find: (id: string) => string | null): void => {
  textOf = find
  file = null
  blocks.clear()
}

/** Unpacks the text of an element. Throws `NoData`. */
const unpack = async (id: string): Promise<string> => {
  const text = textOf(id)
  if (text === null) throw new NoData('This page has no run: `ers share-html` writes pages with one.')
  if (!('DecompressionStream' in globalThis))
    throw new NoData('This browser is too old to unpack the run in this page.')
  try {
    const stream = new Blob([bytesIn(text)]).stream().pipeThrough(new DecompressionStream('gzip'))
    return await new Response(stream).text()
  } catch (cause) {
    throw new NoData('The run in this page is damaged: get the file again.', { cause })
  }
}

const parsed = async <T>(id: string): Promise<T> => JSON.parse(await unpack(id)) as T

const upTo = (length: number): readonly number[] => Array.from({ length }, (_, n) => n)

type Named = { readonly test_id: string | null; readonly name: string | null }

/** Puts the names of the rows where a file without variables has none. */
const namesFrom = (rows: readonly Named[]) => {
  const names = new Map(rows.toReversed().map(({ test_id, name }) => [test_id, name]))
  return <T extends Named>(item: T): T => ({ ...item, name: names.get(item.test_id) ?? null })
}

const readRun = async (n: number): Promise<SharedRun> => {
  const facts = await parsed<SharedFacts>(`run-${n}`)
  const [matrix, ...rows] = await Promise.all([
    parsed<SharedRun['matrix']>(`matrix-${n}`),
    ...facts.blocks.map((_, block) => parsed<readonly SharedRow[]>(`rows-${n}-${block}`)),
  ])
  return { ...facts, matrix, rows: rows.flat() }
}

const readWhole = async (): Promise<SharedFile> => {
  const contents = await parsed<SharedContents>('file')
  const [runs, comparisons] = await Promise.all([
    Promise.all(upTo(contents.runs).map(readRun)),
    Promise.all(upTo(contents.comparisons).map((n) => parsed<SharedComparison>(`comparison-${n}`))),
  ])
  if (!contents.without.includes('vars')) return { ...contents, runs, comparisons }
  const withName = namesFrom(runs.flatMap(({ rows }) => rows))
  return {
    ...contents,
    runs: runs.map((run) => {
      const own = namesFrom(run.rows)
      return { ...run, matrix: { ...run.matrix, rows: run.matrix.rows.map((row) => own(row)) } }
    }),
    comparisons: comparisons.map((comparison) => ({
      ...comparison,
      cases: { ...comparison.cases, cases: comparison.cases.cases.map((item) => withName(item)) },
    })),
  }
}

/** What the file has, but for the cases in full. Throws `NoData`. */
export const readFile = (): Promise<SharedFile> => (file ??= readWhole())

const readBlock = (run: number, block: number): Promise<readonly string[]> => {
  const id = `cases-${run}-${block}`
  const known = blocks.get(id) ?? unpack(id).then((text) => text.split('\n'))
  blocks.set(id, known)
  return known
}

/** A run of the file, and its place among its runs; null if the file does not have it. */
export const findRun = async (id: string): Promise<{ readonly shared: SharedRun; readonly place: number } | null> => {
  const { runs } = await readFile()
  const place = runs.findIndex(({ run }) => run.id === id)
  const shared = runs[place]
  return shared ? { shared, place } : null
}

/** A case in full as JSON text, by its place in the rows of its run; null if there is none. Throws `NoData`. */
export const readCase = async (run: number, { blocks: sizes }: SharedRun, row: number): Promise<string | null> => {
  let first = 0
  for (const [n, size] of sizes.entries()) {
    if (row < first + size) return (await readBlock(run, n))[row - first] ?? null
    first += size
  }
  return null
}

/** The texts of all cases of a run, in the order of its rows. Throws `NoData`. */
export const readAllCases = async (run: number, { blocks: sizes }: SharedRun): Promise<readonly string[]> =>
  (await Promise.all(sizes.map((_, n) => readBlock(run, n)))).flat()

/** The parts of the cases of a run that are in the file. Throws `NoData`. */
export const readParts = async (run: number): Promise<readonly SharedFilePart[]> =>
  textOf(`parts-${run}`) === null ? [] : parsed<readonly SharedFilePart[]>(`parts-${run}`)

/** A part in the file, in base64; null if it has none with this digest. */
export const partIn = (sha256: string): string | null => textOf(`part-${sha256}`)
