import { sha256, sha256OfStream } from '../../document/identity.ts'
import { newLosses } from '../../document/losses.ts'
import { timeRange } from '../../document/time/time-range.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Look } from '../../read/look.ts'
import { parseJson } from '../../read/json/parse-json.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { wholeJson } from '../../read/json/whole-json.ts'
import type { Claim, Importer, SourceRun } from '../importer.ts'
import { helmCases } from './cases.ts'
import { helmHead } from './head.ts'
import { instanceStats } from './stats.ts'
import { textAt, requireObject } from '../../read/members.ts'

const SPEC = 'run_spec.json'
const STATES = 'scenario_state.json'
const STATS = 'per_instance_stats.json'
const OTHERS = ['scenario.json', 'stats.json'] as const

const detect = ({ kind, keys, name }: Look): Claim | null => {
  if (kind !== 'json') return null
  if (keys.has('scenario_spec') && keys.has('adapter_spec')) return { reason: 'keys scenario_spec, adapter_spec' }
  if (keys.has('adapter_spec') && keys.has('request_states')) return { reason: STATES, isCompanion: true }
  if (keys.has('instance_id') && keys.has('stats')) return { reason: STATS, isCompanion: true }
  if (name === 'scenario.json' && keys.has('definition_path')) return { reason: name, isCompanion: true }
  if (name === 'stats.json' && keys.has('name') && keys.has('count')) return { reason: name, isCompanion: true }
  return null
}

const companions: Importer['companions'] = async (_file, _look, { files }) =>
  [STATES, STATS, ...OTHERS].flatMap((name) => files.get(name) ?? [])

const open: Importer['open'] = async function* ({ file, companions: others }, options): AsyncGenerator<SourceRun> {
  const [states, stats] = [STATES, STATS].map((name) => others.find((other) => other.name === name))
  if (states === undefined) throw new SourceRefused(`${STATES} is not in the same folder`)
  if (stats === undefined) throw new SourceRefused(`${STATS} is not in the same folder: it has the scores`)
  const spec = async () => requireObject(parseJson(await wholeJson(file), newLosses(), ''), SPEC)
  const hashes = [await fileHash(file), await fileHash(states), await fileHash(stats)]
  const model = textAt(await spec(), 'adapter_spec', 'model')
  let times = timeRange()
  yield {
    identity: sha256(hashes.toSorted().join('\n')),
    stamp: sha256(hashes.toSorted().join('\n')),
    cases: async function* (losses) {
      times = timeRange(options, losses)
      const scores = await instanceStats(stats, losses)
      yield* helmCases(states, scores, model, times, options, losses)
    },
    head: async (losses) => {
      const scenario = others.find(({ name }) => name === 'scenario.json')
      const totals = others.find(({ name }) => name === 'stats.json')
      if (totals) losses.addBytes('left_out', 'stats', totals.size, 'totals of the instances')
      const described = scenario ? parseJson(await wholeJson(scenario), losses, 'scenario') : null
      return helmHead(await spec(), described, times)
    },
  }
}

const fileHash = (file: SourceFile): Promise<string> => sha256OfStream(file.bytes())

/** Reads runs of HELM: a folder each. */
export const helm: Importer = {
  format: 'helm',
  converter: 2,
  reads: 'a run of HELM: the folder with run_spec.json, scenario_state.json and per_instance_stats.json',
  detect,
  companions,
  open,
}
