import type { Losses } from '../../document/losses.ts'
import { jsonElements } from '../../read/json/json-elements.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'

/** The means of an instance by the name of the statistic. */
export type InstanceStats = ReadonlyMap<string, number>

/** Names an instance, as it is perturbed, in one trial. */
export const instanceKey = (instance: unknown, trial: unknown, perturbation: unknown): string =>
  JSON.stringify([instance ?? null, trial ?? 0, isObject(perturbation) ? (perturbation['name'] ?? null) : null])

const PATH = 'per_instance_stats.*'

/** Reads the statistics of all instances: their means, which of a single value is the value. */
export const instanceStats = async (file: SourceFile, losses: Losses): Promise<ReadonlyMap<string, InstanceStats>> => {
  const found = new Map<string, InstanceStats>()
  for await (const { value } of jsonElements(file.bytes(), { arrays: [[]] }, losses)) {
    if (!isObject(value) || !Array.isArray(value['stats'])) {
      losses.add('left_out', PATH, value, 'no statistics of an instance')
      continue
    }
    const key = instanceKey(value['instance_id'], value['train_trial_index'], value['perturbation'])
    const means = new Map(found.get(key) ?? [])
    for (const stat of value['stats'].filter(isObject)) {
      const { name, mean } = stat
      if (!isObject(name) || typeof name['name'] !== 'string')
        losses.add('left_out', `${PATH}.stats.*`, stat, 'no name')
      // A perturbed statistic of an instance that is not perturbed compares the two: worst, robustness, fairness.
      else if (typeof mean === 'number')
        means.set(statName(name['name'], name['perturbation'], value['perturbation']), mean)
    }
    found.set(key, means)
  }
  losses.addBytes('left_out', `${PATH}.stats`, file.size, 'all but the mean of each statistic')
  return found
}

const statName = (name: string, perturbation: unknown, own: unknown): string => {
  const other = isObject(perturbation) ? perturbation['computed_on'] : undefined
  return typeof other === 'string' && !isObject(own) ? `${name} (${other})` : name
}
