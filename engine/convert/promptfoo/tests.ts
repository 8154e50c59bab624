import type { Json, JsonObject } from '../../json.ts'
import { FILE_PREFIX } from '../../suite/file-reference.ts'
import { convertAssertions, type AssertionPlace } from './assertions.ts'
import { asList, asMapping, filePath, isEmpty, isProgram, noteDropped, type Notes } from './notes.ts'
import { hasTemplate } from './template-text.ts'

const FILES = /\.(?:ya?ml|json|jsonl|ndjson|csv|tsv)$/i

/** Converts `tests`: a list of tests and of files, or the name of one file. */
export const convertTests = (source: Json | undefined, from: Omit<AssertionPlace, 'place'>): readonly Json[] => {
  const { notes } = from
  const list = asList(source) ?? (isEmpty(source) ? [] : [source as Json])
  return list.flatMap((entry, index): readonly Json[] => {
    const place = `tests[${index}]`
    if (typeof entry === 'string') return convertSource(entry, place, notes)
    const test = asMapping(entry)
    const path = test?.['path']
    if (test !== null && typeof path === 'string') {
      noteDropped(test, new Set(['path']), place, notes)
      return convertSource(path, place, notes)
    }
    if (test === null) {
      notes.add(place, 'is no test and was dropped')
      return []
    }
    return [convertTest(test, index, from)]
  })
}

const convertSource = (text: string, place: string, notes: Notes): readonly string[] => {
  const path = filePath(text) ?? text
  if (/^[a-z][\w+.-]*:\/\//i.test(path) || isProgram(path) || !FILES.test(path)) {
    notes.add(
      place,
      `\`${text}\` was dropped: tests come from files in yaml, json, jsonl, csv or tsv, or from a \`generator\` program`,
    )
    return []
  }
  if (path.startsWith('/') || path.split('/').includes('..'))
    notes.add(place, `\`${path}\` is outside the folder of the suite, where no tests are read: move it`)
  if (/\.[ct]sv$/i.test(path))
    notes.add(
      place,
      `columns \`__expected\` of \`${path}\` are read as vars here: write their assertions as a JSON list in a column \`__assert\``,
    )
  else notes.add(place, `the tests in \`${path}\` must have the form of tests of a suite: they were not converted`)
  return [`${FILE_PREFIX}${path}`]
}

const convertTest = (source: JsonObject, index: number, from: Omit<AssertionPlace, 'place'>): JsonObject => {
  const place = `tests[${index}]`
  const { notes } = from
  noteDropped(source, new Set(['description', 'vars', 'assert', 'threshold']), place, notes)
  const { vars, matrix } = convertVars(source['vars'], `${place}.vars`, notes)
  const assertions = convertAssertions(source['assert'], { ...from, place: `${place}.assert` })
  if (assertions.length === 0 && !isEmpty(source['assert']))
    notes.add(place, 'none of its own assertions is left: unless it has others, it passes with every output')
  const { description, threshold } = source
  return {
    ...(typeof description === 'string' && description !== '' ? { description } : { id: `case-${index}` }),
    ...(Object.keys(vars).length > 0 ? { vars } : {}),
    ...(Object.keys(matrix).length > 0 ? { matrix } : {}),
    ...(typeof threshold === 'number' ? { threshold } : {}),
    ...(assertions.length > 0 ? { assert: assertions } : {}),
  }
}

/** The vars of a test. A list means one test for each of its values, which is an axis of a `matrix`. */
const convertVars = (
  source: Json | undefined,
  place: string,
  notes: Notes,
): { readonly vars: JsonObject; readonly matrix: JsonObject } => {
  const vars: Record<string, Json> = {}
  const matrix: Record<string, Json> = {}
  if (typeof source === 'string' || asList(source) !== null)
    notes.add(place, 'vars in files were dropped: write them out')
  for (const [name, value] of Object.entries(asMapping(source) ?? {})) {
    const list = asList(value)
    if (list !== null && list.length > 0) {
      notes.add(`${place}.${name}`, 'the list became an axis of `matrix`: one case for each value')
      for (const item of list) notePrinting(item, `${place}.${name}`, notes)
      matrix[name] = list
      continue
    }
    const converted = convertVar(value, `${place}.${name}`, notes)
    if (converted !== undefined) vars[name] = converted
  }
  return { vars, matrix }
}

/** Notes a value that a template prints otherwise here. */
const notePrinting = (value: Json, place: string, notes: Notes): void => {
  if (value === null) notes.add(place, 'a null prints `none` here, and nothing in promptfoo')
  if (asMapping(value) !== null || asList(value)?.some((item) => asMapping(item) !== null) === true)
    notes.add(place, 'a mapping prints as JSON here, and as `[object Object]` in promptfoo')
}

const convertVar = (value: Json, place: string, notes: Notes): Json | undefined => {
  const path = filePath(value)
  if (path !== null && isProgram(path)) {
    notes.add(place, `\`${path}\` is a program and was dropped`)
    return undefined
  }
  if (path !== null) return { $file: path }
  notePrinting(value, place, notes)
  if (typeof value === 'string' && hasTemplate(value))
    notes.add(
      place,
      'a template in a var can use `env`, but no other vars: write the text out, or as `{$raw: …}` if the braces are part of it',
    )
  return value
}

/** Converts `defaultTest` to the `defaults` of a suite. Null: there is nothing to convert. */
export const convertDefaults = (source: Json | undefined, from: Omit<AssertionPlace, 'place'>): JsonObject | null => {
  const { notes } = from
  const test = asMapping(source)
  if (test === null) {
    if (!isEmpty(source)) notes.add('defaultTest', 'is no mapping and was dropped')
    return null
  }
  noteDropped(test, new Set(['vars', 'assert', 'threshold', 'options']), 'defaultTest', notes)
  const options = asMapping(test['options'])
  if (options !== null) noteDropped(options, new Set(['provider']), 'defaultTest.options', notes)
  const vars: Record<string, Json> = {}
  for (const [name, value] of Object.entries(asMapping(test['vars']) ?? {})) {
    const place = `defaultTest.vars.${name}`
    if (asList(value) !== null) notes.add(place, 'the list is one value here: write a `matrix` in each test')
    const converted = convertVar(value, place, notes)
    if (converted !== undefined) vars[name] = converted
  }
  const assertions = convertAssertions(test['assert'], { ...from, place: 'defaultTest.assert' })
  const defaults = {
    ...(Object.keys(vars).length > 0 ? { vars } : {}),
    ...(assertions.length > 0 ? { assert: assertions } : {}),
    ...(typeof test['threshold'] === 'number' ? { threshold: test['threshold'] } : {}),
  }
  return Object.keys(defaults).length > 0 ? defaults : null
}
