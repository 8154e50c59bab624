import type { Json } from '../../domain/run/readers.ts'
import { newLosses, type Losses } from '../document/losses.ts'
import { contradiction } from '../document/tool-counts.ts'
import { lookOrNull, type Look } from '../read/look.ts'
import { parseJson } from '../read/json/parse-json.ts'
import { isObject, rowOf } from '../read/row.ts'
import type { Folder, SourceFile } from '../read/source-file.ts'
import { wholeJson } from '../read/json/whole-json.ts'
import { numberAt, textAt } from '../read/members.ts'
import type { RunHead } from './importer.ts'

const NUMBERED = /^(.*\D|)(\d+)\.json$/i

/**
 * Whether a file is a page of a list as `ers fetch` calls it. Its name decides where its first row is so large that the
 * keys that would show it come after what is looked at.
 */
export const isFetchedPage = ({ name, kind, head }: Look, list: string, key: string | null): boolean =>
  kind === 'json' &&
  name.startsWith(`${list}-`) &&
  /^\d{6}\.json$/.test(name.slice(list.length + 1)) &&
  Array.isArray(key === null ? head : isObject(head) ? head[key] : null)

/**
 * The other pages of a list of an API: files of the folder whose names differ from that of `file` in their number alone,
 * and that `isPage` accepts. In the order of their numbers.
 */
export const otherPages = async (
  file: SourceFile,
  folder: Folder,
  isPage: (look: Look) => boolean,
): Promise<readonly SourceFile[]> => {
  const stem = NUMBERED.exec(file.name)?.[1]
  if (stem === undefined) return []
  const found: Array<{ readonly page: SourceFile; readonly number: number }> = []
  for (const page of folder.files.values()) {
    const [, otherStem, digits] = NUMBERED.exec(page.name) ?? []
    if (page.path === file.path || otherStem !== stem) continue
    const look = await lookOrNull(page)
    if (look !== null && isPage(look)) found.push({ page, number: Number(digits) })
  }
  return found.sort((a, b) => a.number - b.number).map(({ page }) => page)
}

/**
 * The files of the folder that have one of these names, as `ers fetch` calls them, and that `isWanted` accepts: a file of
 * another tool may have such a name too.
 */
export const namedFiles = (
  folder: Folder,
  names: readonly string[],
  isWanted = ({ kind }: Look): boolean => kind === 'json',
): Promise<readonly SourceFile[]> =>
  readableFiles(
    names.flatMap((name) => folder.files.get(name) ?? []),
    isWanted,
  )

/** The object that a file of these names holds; null without one. Throws `SourceRefused` if it is no JSON. */
export const objectIn = async (files: readonly SourceFile[], name: string): Promise<Record<string, Json> | null> => {
  const file = files.find((one) => one.name === name)
  if (file === undefined) return null
  const value = parseJson(await wholeJson(file), newLosses(), name)
  return isObject(value) ? value : null
}

/**
 * What the pages of a list say about the whole list: the number of its rows, and by a cursor that another page follows. Pages
 * may be read in any order, so only a cursor on every page shows that the last page is missing.
 */
export const listFacts = ({
  total = '',
  cursors,
}: {
  readonly total?: string
  readonly cursors: readonly string[]
}) => {
  let [pages, followed] = [0, 0]
  let stated: number | null = null
  return {
    add: (rest: Record<string, Json>): void => {
      pages += 1
      followed += Number(cursors.some((path) => textAt(rest, ...path.split('.')) !== null))
      const [holder = '', key = ''] = total.split('.')
      stated = numberAt(rest[holder], key) ?? stated
    },
    /** Records that the pages hold other rows than the list. */
    compare: (rows: number, losses: Losses): void => {
      if (stated !== null && stated !== rows) contradiction(losses, total, stated, rows)
      else if (stated === null && pages > 0 && followed === pages)
        losses.addBytes('cut', cursors[0]!, 0, 'the last page says that more follow')
    },
  }
}

/** The JSON files of a folder that `isWanted` accepts. */
export const jsonFiles = (folder: Folder, isWanted: (look: Look) => boolean): Promise<readonly SourceFile[]> =>
  readableFiles(
    [...folder.files.values()].filter(({ name }) => /\.jsonl?$/i.test(name)),
    isWanted,
  )

/** The files that can be read and that `isWanted` accepts. */
export const readableFiles = async (
  files: readonly SourceFile[],
  isWanted: (look: Look) => boolean,
): Promise<readonly SourceFile[]> => {
  const found: SourceFile[] = []
  for (const file of files) {
    const look = await lookOrNull(file)
    if (look && isWanted(look)) found.push(file)
  }
  return found
}

/** What the answer of an API says of an experiment. Its metadata is its configuration. */
export const experimentHead = (
  experiment: Readonly<Record<string, Json>>,
  others: Readonly<Record<string, Json>>,
): RunHead => {
  const { metadata, ...rest } = experiment
  return {
    description: textAt(experiment, 'description') ?? textAt(experiment, 'name'),
    config: isObject(metadata) && Object.keys(metadata).length > 0 ? rowOf({ ...metadata }, 'metadata') : null,
    rest: { experiment: rest, ...others },
  }
}
