import { isObject } from '../../../../domain/plain/is-object.ts'
import { visibleLine } from '../../../text/visible-text.ts'

/** A fact of a record: its recorded name, with the names of the objects that contain it, and its value; null if it is none. */
export type RecordField = { readonly name: string; readonly text: string | null }

const fieldText = (value: unknown): string => visibleLine(typeof value === 'string' ? value : JSON.stringify(value))

const fieldsIn = (name: string, value: unknown): RecordField[] => {
  if (value === null) return [{ name, text: null }]
  if (Array.isArray(value) && value.length > 0 && !value.some((item) => typeof item === 'object'))
    return [{ name, text: value.map(fieldText).join(', ') }]
  if (!isObject(value) || Object.keys(value).length === 0) return [{ name, text: fieldText(value) }]
  return Object.entries(value).flatMap(([inner, item]) => fieldsIn(`${name} ${visibleLine(inner)}`, item))
}

/** The facts of a record: an object becomes a fact for each of its fields, a list of values one text. */
export const recordFields = (data: Readonly<Record<string, unknown>>): RecordField[] =>
  Object.entries(data).flatMap(([name, value]) => fieldsIn(visibleLine(name), value))
