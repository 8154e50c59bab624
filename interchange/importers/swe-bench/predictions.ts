import type { Losses } from '../../document/losses.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { objectLines } from '../../read/json/object-lines.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import { withoutMark } from '../../read/decode.ts'

export const PREDICTION_PATH = 'predictions.*'

/** Reads predictions: JSON lines, a list, one object, or an object of them by instance. */
export const predictionsIn = async function* (
  files: readonly SourceFile[],
  losses: Losses,
): AsyncGenerator<Record<string, Json>> {
  for (const file of files) {
    for await (const value of valuesIn(file, losses)) {
      if (!isObject(value)) losses.add('left_out', PREDICTION_PATH, value, 'not an object')
      else if (typeof value['instance_id'] === 'string') yield value
      else
        for (const [id, prediction] of Object.entries(value))
          if (isObject(prediction)) yield { instance_id: id, ...prediction }
          else losses.add('left_out', `${PREDICTION_PATH}.${id}`, prediction, 'not a prediction')
    }
  }
}

const valuesIn = async function* (file: SourceFile, losses: Losses): AsyncGenerator<Json> {
  if (file.name.endsWith('.jsonl')) {
    for await (const { value } of objectLines(file.bytes(), losses, 'line', PREDICTION_PATH)) yield value
    return
  }
  if (await isList(file)) {
    for await (const { value } of jsonElements(file.bytes(), { arrays: [[]] }, losses)) yield value
    return
  }
  yield parseJson(await wholeJson(file), losses, PREDICTION_PATH)
}

/** Whether the first character is a bracket. A byte order mark and white space before it do not count. */
const isList = async (file: SourceFile): Promise<boolean> => {
  let isStart = true
  for await (const chunk of file.bytes()) {
    const first = Buffer.from(isStart ? withoutMark(chunk) : chunk)
      .toString('latin1')
      .trimStart()[0]
    if (first !== undefined) return first === '['
    isStart = false
  }
  return false
}
