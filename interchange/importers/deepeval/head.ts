import type { Json } from '../../../domain/run/readers.ts'
import { rowOf, type Row } from '../../read/row.ts'
import type { RunHead } from '../importer.ts'
import { numberAt, textAt } from '../../read/members.ts'
import { CASE_LISTS } from './content-hash.ts'
import { isKnown } from '../../document/known.ts'

/** The model of the hyperparameters, by its name. */
export const deepEvalProvider = (run: Readonly<Record<string, Json>>): string | null =>
  [[], ['name'], ['modelId']].map((path) => textAt(run, 'hyperparameters', 'model', ...path)).find(isKnown) ?? null

/** Reads what a test run says of itself. `finishedAt` is known in the database alone. */
export const deepEvalHead = (run: Row, finishedAt: string | null): RunHead => {
  const identifier = run.text('identifier') || null
  const file = run.text('testFile') || null
  const alias = run.text('datasetAlias') || null
  for (const key of CASE_LISTS) run.take(key)
  const [passed, unsuccessful] = [numberAt(run.value, 'testPassed'), numberAt(run.value, 'testFailed')]
  const config = Object.fromEntries(
    (['hyperparameters', 'prompts'] as const).flatMap((key) => {
      const value = run.take(key)
      return value === null ? [] : [[key, value] as const]
    }),
  )
  const others = { testFile: identifier === null ? null : file, datasetAlias: (identifier ?? file) ? alias : null }
  return {
    suite: identifier ?? file ?? alias,
    finishedAt,
    config: rowOf(config, ''),
    counts: { path: 'testPassed', passed, unsuccessful },
    rest: {
      ...run.rest(),
      ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
    },
  }
}
