import type { Json } from '../../../domain/run/readers.ts'
import { timeOfMs } from '../../document/time/times.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { RunHead } from '../importer.ts'
import { objectIn } from '../pages.ts'
import { textAt } from '../../read/members.ts'
import { pairsOf } from './pairs.ts'
import { runTags } from './tags.ts'

/** What `ers fetch` writes about a run and its experiment. */
export const RUN_FILE = 'run.json'
export const EXPERIMENT_FILE = 'experiment.json'

export type FetchedRun = { readonly id: string; readonly head: RunHead }

/** The run that files of the folder describe (`runs/get`, `experiments/get`); null without one. */
export const fetchedRun = async (files: readonly SourceFile[]): Promise<FetchedRun | null> => {
  const run = (await objectIn(files, RUN_FILE))?.['run']
  const experiment = (await objectIn(files, EXPERIMENT_FILE))?.['experiment']
  const info = isObject(run) ? run['info'] : null
  const id = textAt(info, 'run_id')
  if (!isObject(info) || id === null) return null
  const data = isObject(run) && isObject(run['data']) ? run['data'] : {}
  const [params, metrics, tags] = ['params', 'metrics', 'tags'].map((key) => pairsOf(data[key]))
  return {
    id,
    head: {
      suite: textAt(experiment, 'name'),
      startedAt: timeAt(info['start_time']),
      finishedAt: timeAt(info['end_time']),
      description: textAt(info, 'run_name') ?? textAt(tags, 'mlflow.runName'),
      tags: runTags(rowOf({ ...tags }, ''), info['status']),
      config: Object.keys(params ?? {}).length > 0 ? rowOf({ params: params! }, '') : null,
      rest: { run: info, tags: tags!, metrics: metrics!, ...(isObject(experiment) && { experiment }) },
    },
  }
}

const timeAt = (ms: Json | undefined): string | null => (typeof ms === 'number' && ms > 0 ? timeOfMs(ms) : null)
