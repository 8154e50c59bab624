import { extname } from 'node:path/posix'
import { messageOf } from '../../domain/plain/message-of.ts'
import { ASSERTION_FIELDS } from '../assertions/fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { parseFloats } from '../numbers.ts'
import { dottedPath, keyPath } from '../suite/issues.ts'
import { fileReference } from '../suite/shape/assertion-shape.ts'
import { linePosition, treeValue } from '../suite/source/tree.ts'
import { parseYaml } from '../suite/source/parse-yaml.ts'
import type { AssertionSpec } from '../suite/suite.ts'
import { isFileValue } from '../suite/file-reference.ts'
import { readSuiteFile, SuiteFileError } from './suite-files.ts'

type FileReference = { readonly $file: string; readonly parse?: boolean; readonly raw?: boolean }

/** Replaces `$file` values by the content of files. Each file is read once. */
export type FileValues = {
  /** Returns vars with their files. The value of a file with `raw: true` is written `{$raw: value}`. */
  readonly vars: (vars: JsonObject) => Promise<JsonObject>
  readonly assertion: (assertion: AssertionSpec) => Promise<AssertionSpec>
}

/** Parses the text of a data file: JSON, or YAML for `.yaml` and `.yml`; all else stays text. Throws `SuiteFileError`. */
const parseDataFile = (path: string, text: string): Json => {
  const extension = extname(path).toLowerCase()
  if (extension === '.json')
    try {
      return parseFloats(text)
    } catch (error) {
      const reason = messageOf(error)
      throw new SuiteFileError(`${path} is not JSON: ${reason}`, { cause: error })
    }
  if (extension !== '.yaml' && extension !== '.yml') return text
  const tree = parseYaml({ name: path, text }, (place, message) => {
    const { line, column } = linePosition(place)
    throw new SuiteFileError(`${path}:${line}:${column}: ${message}`)
  })
  return tree === null ? null : treeValue(tree)
}

/** `$file` values of a suite in `directory`. The functions throw `SuiteFileError` with the place inside of the test. */
export const createFileValues = (directory: string): FileValues => {
  const loading = new Map<string, Promise<Json>>()

  const load = (value: Json, place: string): { readonly content: Promise<Json>; readonly raw: boolean } => {
    const faults: string[] = []
    const reference = fileReference.normal!(value)
    fileReference.check(reference, keyPath(place), (at, message) => faults.push(`${dottedPath(at)}: ${message}`))
    if (faults.length > 0) throw new SuiteFileError(faults.join('; '))
    const { $file, parse = true, raw = false } = reference as FileReference
    const key = `${parse} ${$file}`
    const content = loading.get(key) ?? read($file, parse)
    loading.set(key, content)
    return { content, raw }
  }
  const read = async (path: string, parse: boolean): Promise<Json> => {
    const text = await readSuiteFile(directory, path)
    return parse ? parseDataFile(path, text) : text
  }

  return {
    vars: async (vars) => {
      let loaded: Record<string, Json> | undefined
      for (const [name, value] of Object.entries(vars))
        if (isFileValue(value)) {
          const { content, raw } = load(value, name)
          ;(loaded ??= { ...vars })[name] = raw ? { $raw: await content } : await content
        }
      return loaded ?? vars
    },
    assertion: async (assertion) => {
      const known = ASSERTION_FIELDS[assertion.kind].fields
      let fields: Record<string, Json> | undefined
      for (const [name, value] of Object.entries(assertion.fields))
        if (isFileValue(value) && known[name]?.mayBeFile === true)
          (fields ??= { ...assertion.fields })[name] = await load(value, name).content
      return fields === undefined ? assertion : { ...assertion, fields }
    },
  }
}
