import type { Json } from '../../../domain/run/readers.ts'
import type { Row } from '../../read/row.ts'

export type Properties = ReadonlyMap<string, readonly string[]>

/** Takes the properties of a suite or a test case by name. A value is an attribute or the text of the element. */
export const takeProperties = (row: Row): Properties => {
  const found = new Map<string, string[]>()
  for (const list of row.rows('properties'))
    for (const property of list.rows('property')) {
      const name = property.text('name')
      if (name === null) continue
      const values = found.get(name) ?? []
      values.push(property.text('value') ?? property.text('#text')?.trim() ?? '')
      found.set(name, values)
    }
  return found
}

/** The properties as an object. One with several values is a list. */
export const propertiesObject = (properties: Properties): Record<string, Json> =>
  Object.fromEntries([...properties].map(([name, values]) => [name, values.length === 1 ? values[0]! : [...values]]))
