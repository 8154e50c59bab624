import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { nearestName } from '../../../domain/text/nearest.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'
import { listOf, maybe, members, oneOfValues, text, wrong } from './checks.ts'
import { checkMap, FORMATS, parseYaml, type TableMap } from './map.ts'
import { asText, fits, rowValues } from './values.ts'

const PRESETS = ['ragas', 'tau-bench', 'alpaca-eval', 'weave', 'mlflow-table'] as const

/** A map that is part of the program, for files with these columns. */
export type Preset = {
  readonly name: string
  readonly columns: readonly string[]
  /** At least one column must fit each of these names with `*`. */
  readonly any: readonly string[]
  /** Texts that columns must contain. */
  readonly contains: Readonly<Record<string, string>>
  readonly map: TableMap
}

const presetFile = listOf(
  members({
    when: members({
      formats: listOf(oneOfValues(FORMATS)),
      columns: listOf(text),
      any: maybe(listOf(text)),
      contains: maybe((value) => (isObject(value) ? value : {})),
    }),
    map: (value) => (isObject(value) ? value : {}),
  }),
)

let loaded: readonly Preset[] | null = null

/** All presets. A preset may have several layouts: the first that fits is taken. */
const presets = (): readonly Preset[] =>
  (loaded ??= PRESETS.flatMap((name) =>
    presetFile(parseYaml(readFileSync(presetUrl(name), 'utf8')), name).flatMap(({ when, map }) =>
      when.formats.map((format) => ({
        name,
        columns: when.columns,
        any: when.any ?? [],
        contains: Object.fromEntries(
          Object.entries(when.contains ?? {}).map(([key, value]) => [key, asText(value) ?? '']),
        ),
        map: checkMap({ format, ...map }),
      })),
    ),
  ))

/** The sources and the built program have different depths: the path is relative to the nearest `package.json`. */
const presetUrl = (name: string): URL => {
  const found = findPackageJSON(import.meta.url)
  if (found === undefined) throw new Error('no package.json was found above the program: its presets cannot be located')
  return new URL(`interchange/maps/${name}.yaml`, pathToFileURL(found))
}

const PREFIX = 'preset:'

/** The layouts of `preset:NAME`; null if this is no name of a preset but the text of a map. Throws `SourceRefused`. */
export const presetsNamed = (map: string): readonly Preset[] | null => {
  if (!map.startsWith(PREFIX) || map.includes('\n')) return null
  const name = map.slice(PREFIX.length).trim()
  const found = presets().filter((preset) => preset.name === name)
  if (found.length > 0) return found
  const nearest = nearestName(name, PRESETS)
  throw wrong(
    '',
    `names no preset: ${name.slice(0, 60)}${nearest ? `; did you mean preset:${nearest}?` : ''}; there are ${PRESETS.map((known) => PREFIX + known).join(', ')}`,
  )
}

/** What a table shows of itself: its format, and the values of its first row by column. */
export type TableSample = {
  readonly formats: readonly TableMap['format'][]
  readonly first: Readonly<Record<string, Json>>
}

/** The first preset that fits a table; null if none does. */
export const presetFor = ({ formats, first }: TableSample, among: readonly Preset[] = presets()): Preset | null => {
  const row = rowValues({ ...first })
  const has = (column: string) => Object.hasOwn(first, column) || row.get(column) !== null
  return (
    among.find(
      ({ columns, any, contains, map }) =>
        formats.includes(map.format) &&
        columns.every(has) &&
        any.every((pattern) => Object.keys(first).some((column) => fits(pattern, column))) &&
        Object.entries(contains).every(([column, part]) => row.text(column)?.includes(part)),
    ) ?? null
  )
}
