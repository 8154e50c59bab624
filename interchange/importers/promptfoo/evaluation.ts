import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { isObject, rowOf } from '../../read/row.ts'
import type { RunHead, SourceRun } from '../importer.ts'
import { caseReader, type CaseReader, type Plan } from './cases.ts'
import { columnCollector } from './columns.ts'
import { planTests, type EvaluationRow } from './tests.ts'
import type { Traces } from './traces.ts'
import { promptfooEvidence } from './transcript.ts'

/** An evaluation in any of the forms that promptfoo writes. */
export type Evaluation = Pick<SourceRun, 'part' | 'identity' | 'stamp' | 'timeMs'> & {
  /** Where the rows are in the source, such as `results.results.*`. */
  readonly path: string
  /** Reads the rows from the first one on. */
  readonly rows: (losses: Losses) => AsyncIterable<EvaluationRow> | Iterable<EvaluationRow>
  /**
   * Reads what the names of tests and columns depend on: at least `testIdx` and `testCase` of each test, and the first whole
   * row of each `promptIdx`. It may leave out others.
   */
  readonly testRows: () => AsyncIterable<EvaluationRow> | Iterable<EvaluationRow>
  /** The configuration, which names the provider if rows do not. Called after `testRows`. */
  readonly config: () => Json
  /** The traces of the results, if there is evidence. */
  readonly traces?: Traces | null
  readonly hasEvidence: boolean
  /** Called after the rows were read. */
  readonly head: (losses: Losses, promptTexts: ReadonlyMap<string, string>) => RunHead
}

/** The run of an evaluation. The rows are read once for the names of the tests, and once for the cases. */
export const promptfooRun = (evaluation: Evaluation): SourceRun => {
  const { rows, testRows, config, head, path, traces, hasEvidence, ...run } = evaluation
  let plan: Plan | null = null
  let reader: CaseReader | null = null
  return {
    ...run,
    cases: async function* (losses) {
      plan ??= await planOf(testRows())
      reader = caseReader(losses, plan, singleProvider(config()))
      for await (const row of rows(losses)) {
        // First: the members of the case are taken from the row.
        const evidence = hasEvidence ? promptfooEvidence(rowForEvidence(row), traces?.of(row) ?? []) : null
        const draft = reader.read(rowOf(row, path))
        yield evidence === null ? draft : { ...draft, evidence }
      }
      traces?.recordOthers(losses)
    },
    head: (losses) => head(losses, reader?.promptTexts() ?? new Map()),
  }
}

/** What the evidence of a row is read from: its members are not those that a case takes. */
const rowForEvidence = ({ id, testIdx, promptIdx, metadata, response }: EvaluationRow): EvaluationRow => ({
  id: id ?? null,
  testIdx: testIdx ?? null,
  promptIdx: promptIdx ?? null,
  metadata: isObject(metadata) ? { ...metadata } : null,
  response: isObject(response) && isObject(response['metadata']) ? { metadata: { ...response['metadata'] } } : null,
})

const planOf = async (rows: ReturnType<Evaluation['testRows']>): Promise<Plan> => {
  const columns = columnCollector()
  const tests = await planTests(rows, columns.add)
  return { tests, columns: columns.plan() }
}

/** The provider of all rows, where rows do not name it: the only one of the configuration. */
const singleProvider = (config: Json): string | null => {
  const providers = isObject(config) ? config['providers'] : null
  const list: readonly Json[] = Array.isArray(providers) ? providers : [providers]
  const [provider, ...others] = list
  if (others.length > 0) return null
  if (typeof provider === 'string') return provider
  if (!isObject(provider)) return null
  const name = provider['label'] || provider['id']
  return typeof name === 'string' ? name : null
}
