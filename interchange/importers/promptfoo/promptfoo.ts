import { sha256OfStream } from '../../document/identity.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { newLosses } from '../../document/losses.ts'
import { jsonElements, jsonSkeleton } from '../../read/json-elements.ts'
import type { JsonShape } from '../../read/json-elements.ts'
import type { Look } from '../../read/look.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { promptfooHead } from './head.ts'
import { caseReader } from './cases.ts'

const detect = (look: Look): Claim | null => {
  if (look.kind === 'json' && isObject(look.head)) {
    const { head } = look
    const results = head['results']
    if (isObject(results) && Array.isArray(results['results'])) return { reason: 'results.results' }
    if (
      typeof head['version'] === 'number' &&
      Array.isArray(results) &&
      (look.keys.has('stats') || look.keys.has('prompts') || head['version'] === 1)
    )
      return { reason: `version ${head['version']} with results` }
  }
  return null
}

/** Where the results are: nested in versions 2 and 3, at the top in versions 1 and 4. */
const SHAPE: JsonShape = {
  arrays: [['results', 'results'], ['results']],
  // The same results again, for a table on a page.
  unread: [['results', 'table'], ['table']],
}

const RESULTS_PATHS = new Set(['results', 'results.results'])

const open: Importer['open'] = async function* ({ file }): AsyncGenerator<SourceRun> {
  const skeleton = async (losses = newLosses()) => {
    const top = await jsonSkeleton(file.bytes(), SHAPE, losses)
    if (!isObject(top)) throw new SourceRefused('the top of the file is no object')
    return top
  }
  const top = await skeleton()
  const stamp = await sha256OfStream(file.bytes())
  const evalId = top['evalId']
  yield {
    part: null,
    identity: typeof evalId === 'string' ? evalId : stamp,
    stamp,
    timeMs: null,
    cases: async function* (losses) {
      const reader = caseReader(losses)
      for await (const { array, value } of jsonElements(file.bytes(), SHAPE, newLosses())) {
        if (!RESULTS_PATHS.has(array)) continue
        if (!isObject(value)) losses.add('left_out', `${array}.*`, value, 'not an object')
        else yield reader.read(rowOf(value, `${array}.*`))
      }
    },
    head: async (losses) => promptfooHead(rowOf(await skeleton(losses), ''), losses),
  }
}

/** Reads evaluations of promptfoo: its JSON output, versions 1 to 4. */
export const promptfoo: Importer = {
  format: 'promptfoo',
  converter: 1,
  reads: 'an evaluation of promptfoo, as JSON, JSON lines, YAML or its database',
  detect,
  open,
}
