import { totalAsCase } from '../../document/case/total-as-case.ts'
import type { CaseDraft } from '../../document/case/case-draft.ts'
import { isObject, type JsonObject } from '../../read/row.ts'
import { objectAt, objectsAt, textAt } from '../../read/members.ts'

/** The metrics of a log without samples, each as a case. Logs from before July 2024 have one scorer. */
export const totalsOfLog = (header: JsonObject, provider: string | null): readonly CaseDraft[] => {
  const results = objectAt(header, 'results')
  const scores = objectsAt(results, 'scores')
  const single = objectAt(results, 'scorer')
  const found = scores.length > 0 || results === null || !isObject(results['metrics']) ? scores : [results]
  return found.flatMap((score) => {
    const name = textAt(score, 'name') ?? textAt(single, 'name') ?? 'results'
    const metrics = objectAt(score, 'metrics')
    return Object.keys(metrics ?? {}).flatMap((key) => {
      const value = objectAt(metrics, key)?.['value']
      return typeof value === 'number' ? [totalAsCase({ provider, test: `${name}/${key}`, metric: key, value })] : []
    })
  })
}
