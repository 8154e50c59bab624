import { sha256OfStream } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { jsonSkeleton, type JsonShape, jsonRows } from '../../read/json/json-elements.ts'
import type { Look } from '../../read/look.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { testPlaces } from '../test-places.ts'
import { ctrfCase, DEFAULT_PROVIDER, ctrfPlace } from './cases.ts'
import { ctrfHead } from './head.ts'

const detect = ({ kind, head }: Look): Claim | null => {
  if (kind !== 'json' || !isObject(head)) return null
  if (head['reportFormat'] === 'CTRF') return { reason: 'reportFormat CTRF' }
  // Most files are older than the field `reportFormat`.
  const results = head['results']
  const isReport =
    isObject(results) && isObject(results['tool']) && (Array.isArray(results['tests']) || isObject(results['summary']))
  return isReport ? { reason: 'results.tool with results.tests' } : null
}

const SHAPE: JsonShape = { arrays: [['results', 'tests']] }

const open: Importer['open'] = async function* ({ file }, options): AsyncGenerator<SourceRun> {
  const skeleton = async (losses = newLosses()) => {
    const top = await jsonSkeleton(file.bytes(), SHAPE, losses)
    if (!isObject(top) || !isObject(top['results'])) throw new SourceRefused('has no results')
    return top
  }
  const { reportId } = await skeleton()
  const stamp = await sha256OfStream(file.bytes())
  const places = testPlaces(DEFAULT_PROVIDER)
  yield {
    // `runId` is that of the CI run, which may have several reports.
    identity: typeof reportId === 'string' && reportId !== '' ? reportId : stamp,
    stamp,
    cases: async function* (losses) {
      for await (const row of jsonRows(file.bytes(), SHAPE, losses)) {
        const named = places.named(ctrfCase(row, options, losses), ctrfPlace(row), losses)
        if (named) yield named
      }
      places.end()
    },
    head: async (losses) => ctrfHead(rowOf(await skeleton(), ''), file.name, options, losses),
  }
}

/** Reads reports in the Common Test Report Format (https://ctrf.io): 1.0, and those before it. */
export const ctrf: Importer = {
  format: 'ctrf',
  converter: 2,
  reads: 'a report of tests in the Common Test Report Format (CTRF), as JSON',
  detect,
  open,
}
