import { parseDocument } from 'yaml'
import type { Json } from '../../json.ts'

/**
 * A text in YAML, which includes JSON, as data. Throws an `Error` that says what is wrong with the text: also for an alias
 * that contains itself, because such data has no end.
 */
export const parseYaml = (text: string): Json => {
  const document = parseDocument(text, { merge: true })
  const [problem] = document.errors
  if (problem !== undefined) throw problem
  // The bound on aliases keeps a small file from becoming a huge one.
  const data = document.toJS({ maxAliasCount: 1000 }) as Json
  JSON.stringify(data)
  return data
}

/** A text in YAML or JSON as data; null: it is neither. */
export const parseData = (text: string): Json | null => {
  try {
    return parseYaml(text)
  } catch {
    // The fault does not matter: the caller says what it needs.
    return null
  }
}
