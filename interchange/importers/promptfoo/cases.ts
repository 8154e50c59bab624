import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { CaseDraft } from '../../document/case-draft.ts'
import type { Losses } from '../../document/losses.ts'
import type { Row } from '../../read/row.ts'

/** Reads the rows of one evaluation, which have to come in their order: names of tests depend on the earlier ones. */
export const caseReader = (losses: Losses) => {
  void losses
  return {
    read: (row: Row): CaseDraft => {
      const provider = row.row('provider')
      const label = provider?.text('label') ?? provider?.text('id') ?? row.text('provider')
      const prompt = row.row('prompt')
      const vars = (row.take('vars') ?? {}) as Record<string, Json>
      const response = row.row('response')
      const failure = row.number('failureReason')
      const success = row.boolean('success') ?? false
      const error = row.text('error')
      return {
        provider: label,
        prompt: prompt?.text('label') ?? null,
        test: `vars-${createHash('sha256').update(canonicalJson(vars)).digest('hex').slice(0, 12)}`,
        vars,
        status: failure === 2 ? 'error' : success ? 'pass' : 'fail',
        score: row.number('score'),
        failure: failure === 2 ? { message: error ?? 'error' } : null,
        asserts: [],
        output: response?.take('output') ?? null,
        latencyMs: row.number('latencyMs'),
        rest: row,
      }
    },
  }
}
